/*
 * A host of an agent in a process of its own: it begins a session, or resumes the one that it is given. The model
 * is at an address of the test's.
 */
import { query as plain } from '@anthropic-ai/claude-agent-sdk';
import { createConfig } from 'hookmachine';
import { withHooks } from 'hookmachine/claude-agent-sdk';
import { connectDurable } from 'hookmachine/durable';
import { runHost } from '../durable-host.mjs';

await runHost({ createConfig, connectDurable }, async (durable, { saved, url }) => {
  const suspended = [];
  const query = withHooks(plain, { durable, onSuspended: (call) => suspended.push(call) });
  const results = [];
  const { PATH, HOME } = process.env;
  const options = {
    model: 'm',
    settingSources: [],
    allowedTools: ['Bash'],
    env: {
      PATH,
      HOME,
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: 'none',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
    },
    ...(saved !== undefined && { resume: saved }),
  };
  for await (const message of query({ prompt: saved === undefined ? 'Go' : '', options }))
    if (message.type === 'result') results.push(message);
  await query.end();
  const [{ result, terminal_reason: why, session_id: session }] = results;
  return { text: result, why, saved: session, suspended };
});
