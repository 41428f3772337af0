/** `hookmachine/claude-agent-sdk`: hooks around the agent of the Claude Agent SDK. */

import { assertInstalled } from '../adapters/parts/assert-installed.ts';

export { withHooks, type HookedQuery } from '../adapters/claude-agent-sdk/with-hooks.ts';
export type { QueryFunction } from '../adapters/claude-agent-sdk/types.ts';
export type { AdapterOptions, BlockedCall } from '../adapters/parts/options.ts';

assertInstalled(
  'hookmachine/claude-agent-sdk',
  '@anthropic-ai/claude-agent-sdk',
  '@anthropic-ai/claude-agent-sdk',
);
