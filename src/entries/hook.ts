/** `hookmachine/hook`: for hooks that are modules or functions. It loads almost nothing. */

export {
  defineHook,
  type DefinedHook,
  type HookEventInput,
  type HookHelpers,
  type HookReply,
} from '../handlers/define-hook.ts';
export {
  defineStreamHook,
  replacing,
  type StreamPiece,
  type StreamReply,
} from '../handlers/define-stream-hook.ts';
export type { HookOutput } from '../core/protocol/output.ts';
export type * from '../core/protocol/input.ts';
