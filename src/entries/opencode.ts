/** Users' hooks around OpenCode's agent, as a plugin: OpenCode takes every value of this module for one. */
export { HookmachinePlugin, type HookmachineCallbacks } from '../adapters/opencode/plugin.ts';
export type { AdapterOptions, BlockedCall } from '../adapters/options.ts';
