/**
 * `hookmachine/opencode`: hooks around OpenCode's agent, as a plugin. OpenCode treats every value that this
 * module exports as a plugin.
 */
export { HookmachinePlugin, type HookmachineCallbacks } from '../adapters/opencode/plugin.ts';
export type { AdapterOptions, BlockedCall } from '../adapters/parts/options.ts';
