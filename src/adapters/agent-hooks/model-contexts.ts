import { isRecord } from '../../base/json.ts';
import type { GenAIContent, GenAIPart, GenAIResponse } from '../../core/translate/genai-types.ts';
import type { ModelRequest } from '../../core/translate/model.ts';

/*
 * A model call in the form that interceptors see (§4.2), and back. What an interceptor did not change stays as it
 * is, with all that only the provider understands.
 */

/** A message as interceptors see it. */
interface Message {
  readonly role: string;
  readonly content: unknown;
}

const isText = (part: GenAIPart): boolean =>
  typeof part.text === 'string' && Object.keys(part).length === 1;

const messageOf = ({ role = 'user', parts = [] }: GenAIContent): Message => ({
  role: role === 'model' ? 'assistant' : role,
  content: parts.every(isText) ? parts.map(({ text }) => text).join('') : { parts },
});

/** Returns the messages of a request. */
export const messagesOf = ({ contents }: ModelRequest): Message[] =>
  (Array.isArray(contents) ? contents : [contents]).map((content) =>
    typeof content === 'string' ? { role: 'user', content } : messageOf(content as GenAIContent),
  );

/** Returns a request with messages as interceptors left them. */
export function withMessages(request: ModelRequest, messages: unknown): ModelRequest {
  const before = messagesOf(request);
  const contents = Array.isArray(request.contents) ? request.contents : [request.contents];
  const after = (messages as readonly Message[]).map((message, index) =>
    JSON.stringify(message) === JSON.stringify(before[index])
      ? contents[index]
      : contentOf(message),
  );
  return { ...request, contents: after as ModelRequest['contents'] };
}

const contentOf = ({ role, content }: Message): GenAIContent => ({
  role: role === 'assistant' ? 'model' : role,
  parts:
    isRecord(content) && Array.isArray(content['parts'])
      ? (content['parts'] as GenAIPart[])
      : [{ text: typeof content === 'string' ? content : JSON.stringify(content) }],
});

const partsOf = ({ candidates = [] }: GenAIResponse): readonly GenAIPart[] =>
  candidates[0]?.content?.parts ?? [];

/** Returns a response as interceptors see it. */
export function responseOf(response: GenAIResponse): Readonly<Record<string, unknown>> {
  const parts = partsOf(response);
  const texts = parts.flatMap((part) => (typeof part.text === 'string' ? [part.text] : []));
  const calls = parts.flatMap(
    ({ functionCall: call }, index) =>
    call === undefined ? [] : [{ id: call.id ?? `call-${index}`, name: call.name ?? '', args: call.args ?? {} }], // prettier-ignore
  );
  return {
    content: texts.length > 0 ? texts.join('') : null,
    tool_calls: calls,
    finish_reason:
      calls.length > 0
        ? 'tool_calls'
        : (response.candidates?.[0]?.finishReason ?? 'STOP').toLowerCase(),
  };
}

/** Returns a response with what interceptors changed. */
export function withResponse(response: GenAIResponse, changed: unknown): GenAIResponse {
  if (JSON.stringify(responseOf(response)) === JSON.stringify(changed)) return response;
  const { content, tool_calls: calls } = changed as ReturnType<typeof responseOf>;
  const parts: GenAIPart[] = [
    ...(typeof content === 'string' ? [{ text: content }] : content === null ? [] : [{ text: JSON.stringify(content) }]), // prettier-ignore
    ...(Array.isArray(calls) ? calls : []).map((call: Readonly<Record<string, unknown>>) => ({
      functionCall: call,
    })),
  ];
  const [first = {}, ...others] = response.candidates ?? [];
  return { ...response, candidates: [{ ...first, content: { role: 'model', parts } }, ...others] };
}
