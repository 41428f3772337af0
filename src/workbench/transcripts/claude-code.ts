import { isRecord } from '../../base/json.ts';
import { textsIn } from '../../core/protocol/tool-result.ts';
import { fault, isText, openCalls, type Found, type LineFormat } from './past-event.ts';

type Fields = Readonly<Record<string, unknown>>;

/** The beginning of a prompt that Claude Code itself has written. */
const notTyped = /^\s*(?:<(?:command|local-command|bash|task|system)-|\[Request interrupted)/;

/** The sessions of Claude Code, `~/.claude/projects/PROJECT/SESSION.jsonl`. */
export const claudeCode: LineFormat = {
  title: 'Claude Code',
  recognizes: ({ type, payload, sessionId, uuid, leafUuid, messageId }) =>
    isText(type) && payload === undefined && [sessionId, uuid, leafUuid, messageId].some(isText),
  reader: () => {
    const calls = openCalls();
    let folder: string | undefined;
    return function* read(record): Generator<Found> {
      const { type, sessionId, cwd } = record;
      if (!isText(type)) return yield fault('is not a record of Claude Code: it has no "type"');
      if (isText(cwd)) folder ??= cwd;
      if (type !== 'user' && type !== 'assistant') return;
      const found = (event: string, given: Fields): Found => ({
        kind: 'event',
        dialect: 'claude-code',
        event,
        given,
        ...(isText(sessionId) && { session: sessionId }),
        ...(folder !== undefined && { folder }),
      });
      const content = isRecord(record['message']) ? record['message']['content'] : undefined;
      if (!isText(content) && !Array.isArray(content))
        return yield fault('holds a message without content');
      const blocks: readonly unknown[] = isText(content) ? [] : content;
      if (type === 'user') {
        const prompt = isText(content) ? content : textsIn(content);
        if (isTyped(record, prompt)) yield found('UserPromptSubmit', { prompt });
      }
      const results = blocks.filter((block) => isRecord(block) && block['type'] === 'tool_result');
      for (const block of blocks) {
        if (!isRecord(block)) continue;
        if (block['type'] === 'tool_use') {
          const { id, name, input } = block;
          if (!isText(name) || !isRecord(input))
            yield fault('holds a tool call without a name or without arguments');
          else {
            const call = {
              tool_name: name,
              tool_input: input,
              ...(isText(id) && { tool_use_id: id }),
            };
            calls.begin(id, call);
            yield found('PreToolUse', call);
          }
        } else if (block['type'] === 'tool_result') {
          const call = calls.end(block['tool_use_id']);
          // A single result comes with what the tool returned in its own form.
          const whole = results.length === 1 ? record['toolUseResult'] : undefined;
          if (call === undefined) yield fault('holds a result of a call that is not in the file');
          else if (block['is_error'] === true)
            yield found('PostToolUseFailure', { ...call, error: textsIn(block['content']) });
          else
            yield found('PostToolUse', {
              ...call,
              tool_response: whole ?? block['content'] ?? '',
            });
        }
      }
    };
  },
};

/** Whether a message is the user's, and neither added by the agent nor sent from one agent to another. */
const isTyped = (record: Fields, prompt: string): boolean =>
  prompt.trim() !== '' &&
  !notTyped.test(prompt) &&
  ['isMeta', 'isSidechain', 'isCompactSummary'].every((flag) => record[flag] !== true);
