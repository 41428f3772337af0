import { isRecord } from '../../base/json.ts';
import type { ConversationMessage } from '../../core/answers/event-context.ts';
import type { LlmContent, ToolResult } from '../../core/protocol/tool-result.ts';
import type { GenAIContent, GenAIPart, GenAIResponse } from '../../core/translate/genai-types.ts';
import { partsOf } from '../../core/translate/response.ts';
import { joined, textsOf } from '../../core/translate/turns.ts';
import type { ToolCallRequest } from '../../core/calls/run-tool-call.ts';

/** The user's text as a message. */
export const userMessage = (text: string): GenAIContent => ({ role: 'user', parts: [{ text }] });

/** The first candidate's message; undefined if it is empty, because providers refuse empty messages. */
export function modelMessage(response: GenAIResponse): GenAIContent | undefined {
  const parts = partsOf(response).filter((part) => !isEmpty(part));
  return parts.length === 0 ? undefined : { role: 'model', parts };
}

/** An empty part with a signature does not count as empty: the provider needs it back. */
const isEmpty = (part: GenAIPart): boolean =>
  Object.entries(part).every(
    ([key, value]) => value === undefined || value === '' || key === 'thought',
  );

/**
 * Returns the message with an id for each tool call, so that results can be matched to calls; some providers
 * give none, or ''. If calls are kept beyond the process, every id is replaced: those of providers are not
 * unique.
 */
export const withCallIds = (
  message: GenAIContent,
  nextId: () => string,
  isKept = false,
): GenAIContent => ({
  ...message,
  parts: (message.parts ?? []).map((part) =>
    part.functionCall && (isKept || !part.functionCall.id)
      ? { ...part, functionCall: { ...part.functionCall, id: nextId() } }
      : part,
  ),
});

/** The tool calls that a message asks for. */
export const toolCallsOf = ({ parts = [] }: GenAIContent): ToolCallRequest[] =>
  parts.flatMap(({ functionCall: call }) =>
    call ? [{ id: call.id ?? '', name: call.name ?? '', input: call.args ?? {} }] : [],
  );

/** The conversation so far as text only, without tool calls and their results. */
export const conversationOf = (history: readonly GenAIContent[]): ConversationMessage[] =>
  history.flatMap(({ role, parts = [] }) => {
    const content = joined(textsOf(parts));
    return content === '' ? [] : [{ role: role === 'model' ? 'assistant' : 'user', content }];
  });

/** The results of a model's tool calls as one message, in the order asked. */
export const toolMessage = (
  results: readonly { readonly request: ToolCallRequest; readonly toolResult: ToolResult }[],
): GenAIContent => ({
  role: 'user',
  parts: results.flatMap(({ request, toolResult }) => resultParts(request, toolResult)),
});

function resultParts({ id, name }: ToolCallRequest, result: ToolResult): GenAIPart[] {
  const { text, others } = split(result.llmContent);
  const response = result.error ? { error: text } : { output: text };
  return [{ functionResponse: { id, name, response } }, ...others];
}

/** The texts of a tool's content joined into one, and the parts that are not text. */
function split(content: LlmContent): { text: string; others: GenAIPart[] } {
  const parts: readonly unknown[] = Array.isArray(content) ? content : [content];
  const texts: string[] = [];
  const others: GenAIPart[] = [];
  for (const part of parts)
    if (typeof part === 'string') texts.push(part);
    else if (!isRecord(part)) continue;
    else if (typeof part['text'] === 'string') texts.push(part['text']);
    else others.push(part);
  return { text: texts.join(''), others };
}
