/** `hookmachine/mastra`: hooks around a Mastra agent with one line. */

import { assertInstalled } from '../adapters/parts/assert-installed.ts';

export { hooksOf, withHooks, type MastraOptions } from '../adapters/mastra/with-hooks.ts';
export type { MastraAgentConfig } from '../adapters/mastra/types.ts';
export type { AiSdkModel } from '../adapters/ai-sdk/types.ts';
export type { ModelFor } from '../adapters/ai-sdk/model.ts';
export type { HooksHandle } from '../adapters/parts/handle.ts';
export type { AdapterOptions, BlockedCall } from '../adapters/parts/options.ts';

assertInstalled('hookmachine/mastra', '@mastra/core', '@mastra/core');
