import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isRecord } from '../../base/json.ts';
import { textsIn } from '../../core/protocol/tool-result.ts';
import { fault, isText, type Found, type LineFormat } from './past-event.ts';

type Fields = Readonly<Record<string, unknown>>;

/** How many calls of a file are remembered; a message may be written again when its calls have ended. */
const mostKnown = 10_000;

/** The chats of Gemini CLI, `~/.gemini/tmp/PROJECT/chats/session-….jsonl`. */
export const geminiCli: LineFormat = {
  title: 'Gemini CLI',
  recognizes: ({ sessionId, projectHash }) => isText(sessionId) && isText(projectHash),
  reader: (file) => {
    const known = new Set<string>();
    const isNew = (key: string): boolean => {
      if (known.has(key)) return false;
      if (known.size >= mostKnown) known.delete(known.keys().next().value!);
      known.add(key);
      return true;
    };
    const folder = folderOf(file);
    let session: string | undefined;
    const found = (event: string, given: Fields): Found => ({
      kind: 'event',
      dialect: 'gemini-cli',
      event,
      given,
      ...(session !== undefined && { session }),
      ...(folder !== undefined && { folder }),
    });
    return function* read(record): Generator<Found> {
      const update = isRecord(record['$set']) ? record['$set'] : record;
      if (isText(update['sessionId'])) session = update['sessionId'];
      for (const message of messagesIn(update)) {
        if (!isRecord(message) || !isText(message['type'])) {
          yield fault('holds a message without a type');
          continue;
        }
        const { id, type, content, toolCalls } = message;
        const prompt = textsIn(content);
        if (type === 'user' && prompt.trim() !== '' && isNew(`prompt ${String(id)}`))
          yield found('BeforeAgent', { prompt });
        for (const call of Array.isArray(toolCalls) ? (toolCalls as readonly unknown[]) : []) {
          const { name, args } = isRecord(call) ? call : {};
          if (!isRecord(call) || !isText(name) || !isRecord(args)) {
            yield fault('holds a tool call without a name or without arguments');
            continue;
          }
          const key = String(call['id']);
          const given = { tool_name: name, tool_input: args };
          if (isNew(`call ${key}`)) yield found('BeforeTool', given);
          const { status, result } = call;
          if (!isText(status) || result === undefined || result === null) continue;
          if (status !== 'cancelled' && isNew(`result ${key}`))
            yield found('AfterTool', { ...given, tool_response: responseOf(call) });
        }
      }
    };
  },
};

/** A line is a message, or says what has changed; older files are one object with all messages in it. */
const messagesIn = (record: Fields): readonly unknown[] =>
  Array.isArray(record['messages'])
    ? record['messages']
    : 'id' in record && 'content' in record
      ? [record]
      : [];

function responseOf({ status, result, resultDisplay }: Fields): Fields {
  const parts: readonly unknown[] = Array.isArray(result) ? result : [result];
  const texts = parts.map((part) => {
    const { functionResponse } = isRecord(part) ? part : {};
    const { response } = isRecord(functionResponse) ? functionResponse : {};
    const { output, error } = isRecord(response) ? response : {};
    return output ?? error ?? part;
  });
  const llmContent = textsIn(texts);
  const returnDisplay = isText(resultDisplay) ? resultDisplay : llmContent;
  return {
    llmContent,
    returnDisplay,
    ...(status === 'error' && { error: { message: llmContent } }),
  };
}

/** The project that a chat belongs to, which newer versions record next to the folder of the chats. */
function folderOf(file: string): string | undefined {
  const chats = dirname(file);
  for (const place of [dirname(chats), dirname(dirname(chats))])
    try {
      return readFileSync(join(place, '.project_root'), 'utf8').trim() || undefined;
    } catch {
      // Then it is not recorded there.
    }
  return undefined;
}
