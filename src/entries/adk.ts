/** `hookmachine/adk`: hooks around the agents of Google's Agent Development Kit. */

export { HooksPlugin } from '../adapters/adk/hooks-plugin.ts';
export type { AdapterOptions, BlockedCall } from '../adapters/parts/options.ts';
