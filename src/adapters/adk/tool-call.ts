import { randomUUID } from 'node:crypto';
import type { ToolInput } from '../../../machines/tool-call.ts';
import type { EndedToolCall } from '../../core/calls/run-tool-call.ts';
import { messageOf } from '../../base/message-of.ts';
import { isRecord } from '../../base/json.ts';
import { type LlmContent, textsIn, type ToolResult } from '../../core/protocol/tool-result.ts';
import type { AgentHooks } from '../parts/agent-hooks.ts';
import { askedByHook } from './questions.ts';
import type { ToolAnswer, ToolCallback } from './types.ts';

/** The key under which the model reads what hooks appended to a result. */
const annotations = 'hookmachine';

const needsConfirmation = new Error(
  'This tool call requires confirmation, please approve or reject.',
);

/** A tool call that ADK runs, from its callback before the tool to the one after it. */
export class CallbackToolCall {
  readonly #callback: ToolCallback;
  readonly #ended: Promise<EndedToolCall>;
  readonly #started: Promise<void>;
  #settle!: (result: Promise<ToolResult>) => void;
  #given: ToolResult | undefined;

  constructor(hooks: AgentHooks, callback: ToolCallback, sessionId: string) {
    this.#callback = callback;
    const { tool, toolArgs, toolContext } = callback;
    const input: ToolInput = { ...toolArgs };
    const { functionCallId: id = randomUUID(), toolConfirmation: confirmation } = toolContext;
    let start!: () => void;
    this.#started = new Promise((resolve) => {
      start = resolve;
    });
    const result = new Promise<ToolResult>((resolve) => {
      this.#settle = resolve;
    });
    this.#ended = hooks.tool(
      {
        id,
        name: tool.name,
        input,
        isVerbatim: true,
        signal: toolContext.abortSignal ?? toolContext.invocationContext.abortSignal,
        sessionId,
        isApproved: confirmation?.confirmed === true,
        confirm: ({ reason }) => {
          if (confirmation) return confirmation.confirmed;
          toolContext.requestConfirmation({
            payload: askedByHook,
            ...(reason !== undefined && { hint: reason }),
          });
          throw needsConfirmation;
        },
        isInterruption: (error) => error === needsConfirmation,
      },
      (final) => {
        if (final !== input) replaceWith(toolArgs, final);
        start();
        return result;
      },
    );
    // Each callback that needs it awaits it.
    this.#ended.catch(() => undefined);
  }

  /** Returns what replaces the result if the tool does not run; undefined if it does. */
  async begin(): Promise<ToolAnswer> {
    try {
      return await Promise.race([
        this.#started.then(() => undefined),
        this.#ended.then(({ toolResult }) => ({ error: textsIn(toolResult.llmContent) })),
      ]);
    } catch (error) {
      return { error: messageOf(error) };
    }
  }

  /** Returns the result as hooks left it; undefined if they changed nothing. */
  async succeed(result: unknown): Promise<ToolAnswer> {
    const { functionCallId = '', actions } = this.#callback.toolContext;
    // The tool itself wants the user asked: it has not run yet.
    if (actions.requestedToolConfirmations?.[functionCallId] !== undefined) {
      this.#settle(Promise.reject(needsConfirmation));
      await this.#ended.catch(() => undefined);
      return undefined;
    }
    this.#given = toToolResult(result);
    this.#settle(Promise.resolve(this.#given));
    const ended = await this.#ended;
    const isGiven = ended.plainResult.llmContent === this.#given.llmContent;
    return isGiven && ended.appended.length === 0
      ? undefined
      : toAnswer(isGiven ? result : ended.plainResult.llmContent, ended.appended);
  }

  async fail(thrown: unknown): Promise<ToolAnswer> {
    this.#settle(Promise.reject(thrown));
    const { plainResult, appended, after } = await this.#ended;
    if (after?.toolResponse !== undefined) return toAnswer(plainResult.llmContent, appended);
    return appended.length === 0 ? undefined : toAnswer({ error: messageOf(thrown) }, appended);
  }
}

function replaceWith(args: Record<string, unknown>, final: ToolInput): void {
  for (const key of Object.keys(args)) if (!(key in final)) delete args[key];
  Object.assign(args, final);
}

/** A tool's output as hooks see it: an object stays an object. */
function toToolResult(result: unknown): ToolResult {
  const text = typeof result === 'string' ? result : (JSON.stringify(result) ?? '');
  const isObject = typeof result === 'object' && result !== null;
  const error =
    isRecord(result) && typeof result['error'] === 'string' ? result['error'] : undefined;
  return {
    llmContent: isObject ? (result as LlmContent) : text,
    returnDisplay: text,
    ...(error !== undefined && { error: { message: error } }),
  };
}

/**
 * A result in ADK's form: a text followed by the hooks' texts, or an object with those under a key of their
 * own.
 */
function toAnswer(result: unknown, appended: readonly string[]): Record<string, unknown> {
  const note = appended.join('');
  if (typeof result === 'string') return { result: result + note };
  const fields = isRecord(result)
    ? result
    : { [Array.isArray(result) ? 'results' : 'result']: result };
  return note === '' ? { ...fields } : { ...fields, [annotations]: note.trim() };
}
