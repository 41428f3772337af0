import type { ToolCallOutcome } from '../../machines/tool-call.ts';
import type { DefaultHookOutput } from '../protocol/output-classes.ts';
import { errorResult, type LlmContent, type ToolResult } from '../protocol/tool-result.ts';

/** The agent is to stop, and why; the reason is for the user (HOOK-020, 028). */
export interface StopRequest {
  readonly reason: string;
}

/** A tool call's result with the effects of its hooks applied. */
export interface AppliedToolCall {
  readonly toolResult: ToolResult;
  readonly stop?: StopRequest;
}

/** What an ended tool call means for the model, the user and the agent (HOOK-017, 027 to 030, 131, 132, 217). */
export function applyToolEffects(
  outcome: ToolCallOutcome,
  before: DefaultHookOutput | undefined,
  after: DefaultHookOutput | undefined,
  replaced?: Readonly<Record<string, unknown>>,
): AppliedToolCall {
  switch (outcome.status) {
    case 'blocked': {
      const reason = before?.getBlockReason() ?? 'Blocked by hook';
      return {
        toolResult: withTexts(errorResult(reason, 'blocked_by_hook'), [
          note(before?.systemMessage),
        ]),
        ...(outcome.stop && { stop: { reason: before?.getStopReason() ?? reason } }),
      };
    }
    case 'stopped': {
      const reason = (after?.shouldStopExecution() ? after : before)?.getStopReason() ?? '';
      const toolResult = outcome.result
        ? withHookTexts(resultOf(outcome.result, replaced), before, after)
        : withTexts(errorResult(reason, 'stopped_by_hook'), [note(before?.systemMessage)]);
      return { toolResult, stop: { reason } };
    }
    // What AfterTool hooks had said so far decides nothing (G-02).
    case 'cancelled':
      return {
        toolResult: outcome.result
          ? withHookTexts(outcome.result as ToolResult, before, undefined)
          : errorResult(`The tool call was cancelled: ${outcome.reason}`, 'cancelled'),
      };
    case 'refused':
      return {
        toolResult: errorResult(
          outcome.reason,
          outcome.by === 'selection' ? 'tool_not_allowed' : 'declined',
        ),
      };
    case 'done':
      return { toolResult: withHookTexts(resultOf(outcome.result, replaced), before, after) };
  }
}

/** The tool's result, or what a hook put in its place. */
const resultOf = (result: object, replaced: object | undefined): ToolResult =>
  (replaced ?? result) as ToolResult;

/** Context first, then messages (C-56, C-57); a denial after the fact is told, and takes nothing back (C-62). */
function withHookTexts(
  result: ToolResult,
  before: DefaultHookOutput | undefined,
  after: DefaultHookOutput | undefined,
): ToolResult {
  const context = after?.getAdditionalContext();
  const told = withTexts(result, [
    context === undefined ? undefined : `\n\n${context}`,
    note(before?.systemMessage),
    note(after?.systemMessage),
    after?.isBlockingDecision() ? note(after.getBlockReason()) : undefined,
  ]);
  return after?.suppressOutput === true ? { ...told, suppressDisplay: true } : told;
}

/** A system annotation (HOOK-131, C-55). */
const note = (text: string | undefined): string | undefined =>
  text === undefined || text === '' ? undefined : `\n\n[System] ${text}`;

function withTexts(result: ToolResult, texts: readonly (string | undefined)[]): ToolResult {
  const present = texts.filter((text) => text !== undefined);
  return present.length === 0
    ? result
    : { ...result, llmContent: present.reduce<LlmContent>(append, result.llmContent ?? '') };
}

/** Content that is no text keeps its parts and gets one more (C-59). */
function append(content: LlmContent, text: string): LlmContent {
  if (typeof content === 'string') return content + text;
  return [...(Array.isArray(content) ? content : [content]), { text }] as LlmContent;
}
