import { isDeepStrictEqual } from 'node:util';
import type { EndedToolCall } from '../../core/calls/run-tool-call.ts';
import { isError } from '../../base/errors.ts';
import { type LlmContent, textsIn, type ToolResult } from '../../core/protocol/tool-result.ts';
import type { Core } from './core.ts';
import type { Block, Command, Content, ResultMessage } from './types.ts';
import { messageOf } from '../../base/message-of.ts';

/** What came of running a tool: a result or an error. */
export type Ran =
  | { readonly given: unknown; readonly result: ToolResult }
  /** The tool threw. */
  | { readonly error: unknown };

/** A tool's output as hooks see it. */
export function toToolResult(given: unknown, id: string): ToolResult {
  const message = messageFor(given, id);
  const content = message ? message.content : typeof given === 'string' ? given : asText(given);
  const text = textsIn(content);
  return {
    llmContent: content as LlmContent,
    returnDisplay: text,
    ...(message?.status === 'error' && { error: { message: text } }),
  };
}

const asText = (given: unknown): string =>
  given === undefined || isCommand(given) ? '' : JSON.stringify(given);

/** The result message of a call: the tool's output, or the message for it in a command to the graph. */
function messageFor(given: unknown, id: string): ResultMessage | undefined {
  if (isResult(given)) return given;
  return isCommand(given)
    ? messagesIn(given).find((message) => isResultOf(message, id))
    : undefined;
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

const isResult = (value: unknown): value is ResultMessage =>
  isRecord(value) && value['type'] === 'tool' && 'tool_call_id' in value;

const isResultOf = (value: unknown, id: string): value is ResultMessage =>
  isResult(value) && value.tool_call_id === id;

const isCommand = (value: unknown): value is Command =>
  isRecord(value) && (value['lg_name'] === 'Command' || 'goto' in value);

function messagesIn({ update }: Command): readonly unknown[] {
  const messages = isRecord(update) ? update['messages'] : undefined;
  return Array.isArray(messages) ? messages : [];
}

/** The result as LangChain wants it back: the object that the tool returned, if hooks left it alone. */
export function fromToolCall(
  { plainResult, appended }: EndedToolCall,
  ran: Ran | undefined,
  call: { readonly id: string; readonly name: string },
  core: Core,
): unknown {
  if (ran && 'given' in ran) {
    const isSame = isDeepStrictEqual(plainResult.llmContent, ran.result.llmContent);
    if (isSame && appended.length === 0) return ran.given;
    const content = withTexts(isSame ? contentOf(ran, call.id) : plainResult.llmContent, appended);
    return withContent(ran.given, content, plainResult.error !== undefined, call, core);
  }
  const content =
    ran && plainResult.error?.message === messageOf(ran.error)
      ? textOfError(ran.error)
      : (plainResult.llmContent ?? '');
  return resultMessage(withTexts(content, appended), true, call, core);
}

const contentOf = (
  { given, result }: { readonly given: unknown; readonly result: ToolResult },
  id: string,
) => messageFor(given, id)?.content ?? result.llmContent;

/** The result of a tool that threw, as LangChain would make it without us. */
export const failedResult = (
  error: unknown,
  call: { readonly id: string; readonly name: string },
  core: Core,
): ResultMessage => resultMessage(textOfError(error), true, call, core);

/** The text that LangChain itself makes of an error, for the model. */
export function textOfError(error: unknown): string {
  const isForModel = isError(error) && error.name === 'ToolInvocationError';
  return isForModel ? error.message : `${String(error)}\n Please fix your mistakes.`;
}

/** Content followed by the texts that hooks added. */
function withTexts(content: unknown, texts: readonly string[]): Content {
  if (typeof content === 'string') return content + texts.join('');
  const blocks = (Array.isArray(content) ? content : [content]) as readonly (string | Block)[];
  return [...blocks.map(asBlock), ...texts.map((text) => ({ type: 'text', text }))];
}

const asBlock = (block: string | Block): Block => {
  if (typeof block === 'string') return { type: 'text', text: block };
  return block.type === undefined && typeof block.text === 'string'
    ? { ...block, type: 'text' }
    : block;
};

function withContent(
  given: unknown,
  content: Content,
  isFailed: boolean,
  call: { readonly id: string; readonly name: string },
  core: Core,
): unknown {
  const message = messageFor(given, call.id);
  const changed = resultMessage(content, isFailed, call, core, message);
  if (!isCommand(given)) return changed;
  const messages = message
    ? messagesIn(given).map((other) => (other === message ? changed : other))
    : [...messagesIn(given), changed];
  const update = { ...(isRecord(given.update) ? given.update : {}), messages };
  return Object.assign(Object.create(Object.getPrototypeOf(given)), given, { update });
}

function resultMessage(
  content: Content,
  isFailed: boolean,
  { id, name }: { readonly id: string; readonly name: string },
  core: Core,
  base?: ResultMessage,
): ResultMessage {
  return new core.ToolMessage({
    content,
    tool_call_id: id,
    name: base?.name ?? name,
    status: isFailed ? 'error' : (base?.status ?? 'success'),
    ...(base?.id !== undefined && { id: base.id }),
    ...(base?.artifact !== undefined && { artifact: base.artifact }),
    ...(base?.metadata !== undefined && { metadata: base.metadata }),
    ...(base?.additional_kwargs && { additional_kwargs: base.additional_kwargs }),
    ...(base?.response_metadata && { response_metadata: base.response_metadata }),
  });
}

/** Returns the content of a result to a program that called a tool itself; throws if it is an error. */
export function textOfResult(result: unknown): unknown {
  if (!isResult(result)) return result;
  if (result.status === 'error') throw new Error(textsIn(result.content));
  return result.content;
}
