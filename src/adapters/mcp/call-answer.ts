import type { EndedToolCall } from '../../core/calls/run-tool-call.ts';
import { messageOf } from '../../base/message-of.ts';
import { textsIn } from '../../core/protocol/tool-result.ts';
import { blocksOf, extendedResult, replacedResult, textBlock } from './call-result.ts';
import { withItem, withMember } from './json-text.ts';
import { idOf, type Message, objectIn } from './message.ts';

/** The server's answer to a call as its hooks left it; byte for byte the same if they changed nothing. */
export function answerWith(call: EndedToolCall, answer: Message): Buffer {
  try {
    return changed(call, answer);
  } catch (error) {
    // The answer is nested too deeply. It must not pass without what hooks want.
    const text = `The result could not be changed as the hooks requested: ${messageOf(error)}`;
    return resultFor(idOf(answer), { content: [textBlock(text)], isError: true });
  }
}

function changed(call: EndedToolCall, answer: Message): Buffer {
  const { bytes, text, value } = answer;
  const added = addedText(call);
  const replacement = call.after?.toolResponse;
  if (replacement !== undefined) {
    const result = replacedResult(value['result'], replacement);
    const whole = added === undefined ? result : extendedResult(result, added);
    return resultFor(idOf(answer), whole);
  }
  if (added === undefined) return bytes;
  if ('result' in value) {
    const { content } = objectIn(value, 'result');
    return Array.isArray(content) && content.length > 0
      ? lineOf(withItem(text, ['result', 'content'], JSON.stringify(textBlock(added))))
      : resultFor(idOf(answer), extendedResult(value['result'], added));
  }
  const message = `${messageIn(value)}\n\n${added}`;
  return lineOf(withMember(text, ['error', 'message'], JSON.stringify(message)));
}

/**
 * The answer to a call that the server did not answer: a result, because clients do not show errors to their
 * models.
 */
export const ownResult = (call: EndedToolCall): object => {
  const added = addedText(call);
  return {
    content: [
      ...blocksOf(call.plainResult.llmContent),
      ...(added === undefined ? [] : [textBlock(added)]),
    ],
    isError: true,
  };
};

/** An answer with a result; the id is JSON, as it was written. */
export const resultFor = (id: string, result: object): Buffer =>
  Buffer.from(`{"jsonrpc":"2.0","id":${id},"result":${JSON.stringify(result)}}\n`);

/** An answer with an error; the id is JSON, as it was written. */
export const errorFor = (id: string, code: number, message: string): Buffer =>
  lineOf(`{"jsonrpc":"2.0","id":${id},"error":${JSON.stringify({ code, message })}}`);

/** The message of a server's error. */
export const messageIn = (value: Message['value']): string => {
  const { message } = objectIn(value, 'error');
  return typeof message === 'string' ? message : 'The MCP server answered with an error.';
};

/** A text as a line. */
export const lineOf = (text: string): Buffer =>
  Buffer.from(text.endsWith('\n') ? text : `${text}\n`);

/**
 * What the model reads after the result: what hooks appended, and why one of them stops the agent, unless
 * that was said already.
 */
function addedText({ appended, plainResult, stop }: EndedToolCall): string | undefined {
  const texts = appended.map((text) => text.trim());
  const said = [textsIn(plainResult.llmContent), ...texts].join('\n');
  if (stop && stop.reason !== '' && !said.includes(stop.reason))
    texts.push(`[System] ${stop.reason}`);
  return texts.length === 0 ? undefined : texts.join('\n\n');
}
