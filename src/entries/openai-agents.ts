/** `hookmachine/openai-agents`: hooks around the agents of the OpenAI Agents SDK. */

export {
  withHooks,
  type AgentLike,
  type OpenAiAgentsOptions,
  type RunnerLike,
  type WithHooks,
} from '../adapters/openai-agents/index.ts';
export type { AdapterOptions, BlockedCall } from '../adapters/parts/options.ts';
