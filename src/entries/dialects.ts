/**
 * `hookmachine/dialects`: the dialects of hooks, for `dialects` of a config, and the types of a custom one.
 */

export { defaultDialects } from '../dialects/defaults.ts';
export { presentDialects } from '../dialects/index.ts';
export { claudeCode } from '../dialects/claude-code/index.ts';
export { codex } from '../dialects/codex/index.ts';
export { cursor } from '../dialects/cursor/index.ts';
export { geminiCli } from '../dialects/gemini-cli/index.ts';
export { copilot } from '../dialects/copilot/index.ts';
export { hookmachine } from '../dialects/hookmachine/index.ts';
export { kodelet, kodeletStrict } from '../dialects/kodelet/index.ts';
export { llxprt } from '../dialects/llxprt/index.ts';
export { qwenCode } from '../dialects/qwen-code/index.ts';
export { mergeEffects } from '../dialects/merge-effects.ts';
export type { Verdict } from '../dialects/verdict.ts';
export type { HookEventName, Slot } from '../hook-points.ts';
export type { Answer, Decision, Effect } from '../dialects/answer.ts';
export type { RegexBudget } from '../dialects/bounded-regex.ts';
export type {
  CallParts,
  CallResult,
  CheckedCall,
  Dialect,
  NamedAnswer,
  ReadCall,
} from '../dialects/dialect.ts';
export type { ConversationMessage, EventContext, InvokedBy } from '../dialects/event-context.ts';
export type { Installation } from '../dialects/installation.ts';
export type { Speaker } from '../dialects/speaker.ts';
export type { Writer, WrittenHook } from '../dialects/writer.ts';
export type { FoundHooks, HookSite } from '../dialects/hook-site.ts';
export type { HookPayload } from '../../machines/hook-event.ts';
export type { HookProcessOutcome } from '../../machines/hook-process.ts';
export type { HookDefinition, UnaskedHook } from '../settings/hook-definition.ts';
export type { HooksFromSource } from '../settings/hooks-from-source.ts';
