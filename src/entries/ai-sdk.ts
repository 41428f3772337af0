/** `hookmachine/ai-sdk`: hooks around a model and its tools with one line, for the AI SDK 5, 6 and 7. */

import { assertInstalled } from '../adapters/parts/assert-installed.ts';

export { withHooks, type WithHooks, type WithHooksOptions } from '../adapters/ai-sdk/with-hooks.ts';
export type { AiSdkOptions } from '../adapters/ai-sdk/options.ts';
export {
  guardTool,
  hooksMiddleware,
  type GuardToolOptions,
  type HooksMiddleware,
} from '../adapters/ai-sdk/parts.ts';
export type { AiSdkModel, AiSdkTool, AiSdkTools } from '../adapters/ai-sdk/types.ts';
export type { ModelFor } from '../adapters/ai-sdk/model.ts';
export type { HooksHandle } from '../adapters/parts/handle.ts';
export type { AdapterOptions, BlockedCall } from '../adapters/parts/options.ts';

assertInstalled('hookmachine/ai-sdk', 'ai', 'ai');
