import type { ToolCallOutcome } from '../../../machines/tool-call.ts';
import { isError } from '../../base/errors.ts';
import { messageOf } from '../../base/message-of.ts';
import { blockReasonOf, reasonOf, stopReasonOf } from '../answers/reasons.ts';
import type { Verdict } from '../answers/verdict.ts';
import { errorResult, type LlmContent, type ToolResult } from '../protocol/tool-result.ts';

/** A request that the agent stop; the reason is for the user. */
export interface StopRequest {
  readonly reason: string;
}

/** A tool call's result with the effects of its hooks applied. */
export interface AppliedToolCall {
  readonly toolResult: ToolResult;
  /**
   * The result without what hooks appended: the tool's own result or its replacement, with objects left as
   * objects.
   */
  readonly plainResult: ToolResult;
  /** The texts that hooks appended for the model, each with the blank line that separates it. */
  readonly appended: readonly string[];
  readonly stop?: StopRequest;
}

/** What the hooks of each phase decided, for phases whose hooks ran. */
interface PhaseVerdicts {
  readonly before?: Verdict | undefined;
  readonly permission?: Verdict | undefined;
  readonly failed?: Verdict | undefined;
  readonly after?: Verdict | undefined;
}

/** Derives what an ended tool call means for the model, the user and the agent. */
export function applyToolEffects(
  outcome: ToolCallOutcome,
  { before, permission, failed, after }: PhaseVerdicts,
): AppliedToolCall {
  const early = [before, permission];
  const late = [failed, after];
  switch (outcome.status) {
    case 'blocked': {
      const decider = permission?.decision === 'deny' ? permission : before;
      const event = decider === before ? 'BeforeTool' : 'ToolPermission';
      const reason = decider ? blockReasonOf(event, decider) : 'Blocked by hook';
      return {
        ...withTexts(errorResult(reason, 'blocked_by_hook'), early.map(messageIn)),
        ...(outcome.stop && { stop: { reason: decider ? stopReasonOf(decider) : reason } }),
      };
    }
    case 'stopped': {
      const stopper = [after, failed, permission].find((verdict) => verdict?.stop) ?? before;
      const reason = stopper ? stopReasonOf(stopper) : '';
      const applied = outcome.result
        ? withHookTexts(finalResult(outcome.result, after), early, late)
        : withTexts(errorResult(reason, 'stopped_by_hook'), early.map(messageIn));
      return { ...applied, stop: { reason } };
    }
    // Output of AfterTool hooks so far decides nothing.
    case 'cancelled':
      return outcome.result
        ? withHookTexts(outcome.result as ToolResult, early, [])
        : withTexts(errorResult(`The tool call was cancelled: ${outcome.reason}`, 'cancelled'));
    case 'refused':
      return withTexts(
        errorResult(outcome.reason, outcome.by === 'selection' ? 'tool_not_allowed' : 'declined'),
      );
    case 'failed':
      return withTexts(
        errorResult(
          `Blocked because the hooks could not be planned: ${messageOf(outcome.error)}`,
          'hooks_failed',
        ),
      );
    case 'deferred': {
      const reason = before && reasonOf(before);
      const text = reason ? `The tool call was deferred: ${reason}` : 'The tool call was deferred.';
      return {
        ...withTexts(errorResult(text, 'deferred')),
        // Resuming the call begins a new turn.
        stop: { reason: reason ?? `A hook deferred the call of ${outcome.toolName}.` },
      };
    }
    case 'done':
      return withHookTexts(finalResult(outcome.result, after), early, late);
  }
}

/** The tool's result, or the result that a hook replaced it with. */
function finalResult(result: object, after: Verdict | undefined): ToolResult {
  const change = after?.changes.tool_response;
  return (change && 'whole' in change ? change.whole : result) as ToolResult;
}

type Verdicts = readonly (Verdict | undefined)[];

/**
 * Context first, then messages. A denial after the fact is reported, but undoes nothing.
 */
function withHookTexts(result: ToolResult, early: Verdicts, late: Verdicts): AppliedToolCall {
  const isHidden = late.some((verdict) => verdict?.hide);
  return withTexts(isHidden ? { ...result, suppressDisplay: true } : result, [
    ...late.map((verdict) => paragraph(verdict?.context)),
    ...[...early, ...late].map(messageIn),
    ...late.map((verdict) => denialIn(verdict, result)),
  ]);
}

const paragraph = (text: string | undefined): string | undefined =>
  text === undefined ? undefined : `\n\n${text}`;

/** A result that is exactly the reason needs no note. */
function denialIn(verdict: Verdict | undefined, { llmContent }: ToolResult): string | undefined {
  if (verdict?.decision !== 'deny') return undefined;
  const reason = blockReasonOf('AfterTool', verdict);
  return llmContent === reason ? undefined : note(reason);
}

const messageIn = (verdict: Verdict | undefined): string | undefined => note(verdict?.message);

/** A system annotation. */
const note = (text: string | undefined): string | undefined =>
  text === undefined || text === '' ? undefined : `\n\n[System] ${text}`;

function withTexts(
  plainResult: ToolResult,
  texts: readonly (string | undefined)[] = [],
): AppliedToolCall {
  const appended = texts.filter((text) => text !== undefined);
  if (appended.length === 0) return { toolResult: plainResult, plainResult, appended };
  const llmContent = appended.reduce<LlmContent>(append, plainResult.llmContent ?? '');
  return { toolResult: { ...plainResult, llmContent }, plainResult, appended };
}

/** Content other than text keeps its parts and gets one more. */
function append(content: LlmContent, text: string): LlmContent {
  if (typeof content === 'string') return content + text;
  return [...(Array.isArray(content) ? content : [content]), { text }] as LlmContent;
}

/** The part of a result that AfterTool hooks see. */
export const toolResponse = ({ llmContent, returnDisplay, metadata, error }: ToolResult) => ({
  llmContent,
  returnDisplay,
  ...(metadata && { metadata }),
  ...(error && { error }),
});

/** A thrown error as a result that the model reads and AfterTool hooks see. */
export function failedResult(error: unknown): ToolResult {
  return errorResult(messageOf(error), isError(error) ? error.name : 'Error');
}
