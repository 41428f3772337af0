/**
 * `hookmachine/dialects`: the dialects of hooks, for `dialects` of a config, and the types of a custom one.
 */

export { defaultDialects } from '../hosts/all/defaults.ts';
export { presentDialects } from '../hosts/all/known.ts';
export { claudeCode } from '../hosts/claude-code/index.ts';
export { codex } from '../hosts/codex/index.ts';
export { cursor } from '../hosts/cursor/index.ts';
export { geminiCli } from '../hosts/gemini-cli/index.ts';
export { copilot } from '../hosts/copilot/index.ts';
export { hookmachine } from '../hosts/hookmachine/index.ts';
export { kodelet, kodeletStrict } from '../hosts/kodelet/index.ts';
export { llxprt } from '../hosts/llxprt/index.ts';
export { qwenCode } from '../hosts/qwen-code/index.ts';
export { factory } from '../hosts/factory/index.ts';
export { kimi } from '../hosts/kimi/index.ts';
export { cline } from '../hosts/cline/index.ts';
export { crush } from '../hosts/crush/index.ts';
export { goose } from '../hosts/goose/index.ts';
export { openhands } from '../hosts/openhands/index.ts';
export { antigravity } from '../hosts/antigravity/index.ts';
export { tableDialect } from '../hosts/table/table-dialect.ts';
export { tableHost } from '../hosts/table/table-host.ts';
export { entriesBelow } from '../hosts/table/entries.ts';
export { claudeAnswer, readClaude } from '../hosts/table/claude-shape.ts';
export type {
  DialectTable,
  HostTable,
  Said,
  TableDialect,
  TableEvent,
  TableHost,
  TableNames,
  TablePlaces,
} from '../hosts/table/host-table.ts';
export { mergeEffects } from '../core/answers/merge-effects.ts';
export type { Verdict } from '../core/answers/verdict.ts';
export type { HookEventName, Slot } from '../core/points/hook-points.ts';
export type { Answer, Decision, Effect, NamedAnswer } from '../core/answers/answer.ts';
export type { RegexBudget } from '../base/bounded-regex.ts';
export type {
  CallParts,
  CallResult,
  CheckedCall,
  Dialect,
  Host,
  ReadCall,
} from '../core/dialects/dialect.ts';
export type {
  ConversationMessage,
  EventContext,
  InvokedBy,
} from '../core/answers/event-context.ts';
export type { Installation } from '../core/dialects/installation.ts';
export type { Speaker } from '../core/dialects/speaker.ts';
export type { Writer, WrittenHook } from '../core/dialects/writer.ts';
export type { FoundHooks, HookSite } from '../core/dialects/hook-site.ts';
export type { HookPayload } from '../../machines/hook-event.ts';
export type { HookProcessOutcome } from '../../machines/hook-process.ts';
export type { HookDefinition, UnaskedHook } from '../core/definitions/hook-definition.ts';
export type { HooksFromSource } from '../core/definitions/hooks-from-source.ts';
