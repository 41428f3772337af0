import { query as plain, type Options, type Query } from '@anthropic-ai/claude-agent-sdk';
import { withHooks } from '../../../../src/entries/claude-agent-sdk.ts';

const query = withHooks(plain, { cwd: '/tmp' });
const options: Options = { model: 'm' };

/** A wrapped query takes and returns what the plain one does. */
export const running: Query = query({ prompt: 'Go', options });
export const ended: Promise<void> = query.end();

// @ts-expect-error: the SDK wants a prompt.
query({ options });
