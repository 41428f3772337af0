import { resolve } from 'node:path';
import { isRecord } from '../../base/json.ts';
import { textsIn } from '../../core/protocol/tool-result.ts';
import { shellWord } from '../../base/shell-word.ts';
import { fault, isText, openCalls, type Found, type LineFormat } from './past-event.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Codex's tools for commands, by the names that the model knows; its hooks know only one. */
const shells: ReadonlySet<string> = new Set([
  'shell',
  'shell_command',
  'exec_command',
  'container.exec',
  'local_shell',
]);

/** The text that the model reads before a command's output. */
const outputHead = /^(?:[A-Z][\w /()]*:? [^\n]*\n)*Output:\n/;

/** The sessions of Codex, `~/.codex/sessions/YEAR/MONTH/DAY/rollout-….jsonl`. */
export const codex: LineFormat = {
  title: 'Codex',
  recognizes: ({ type, payload, id, timestamp, instructions }) =>
    (isText(type) && isRecord(payload)) ||
    // Until autumn 2025 the first line named no type, and the others had no payload.
    (isText(id) && isText(timestamp) && instructions !== undefined),
  reader: () => {
    const calls = openCalls();
    let session: string | undefined;
    let folder: string | undefined;
    let cwd: string | undefined;
    return function* read(record): Generator<Found> {
      const item = isRecord(record['payload']) ? record['payload'] : record;
      const type = item === record || record['type'] === 'response_item' ? item['type'] : undefined;
      if (item === record && !isText(type)) {
        if (isText(record['id'])) session ??= record['id'];
        return;
      }
      if (record['type'] === 'session_meta' && isText(item['id'])) session ??= item['id'];
      if (record['type'] === 'session_meta' || record['type'] === 'turn_context')
        cwd = isText(item['cwd']) ? item['cwd'] : cwd;
      folder ??= cwd;
      const found = (event: string, given: Fields): Found => ({
        kind: 'event',
        dialect: 'codex',
        event,
        given: { ...(cwd !== undefined && { cwd }), ...given },
        ...(session !== undefined && { session }),
        ...(folder !== undefined && { folder }),
      });
      if (record['type'] === 'event_msg') {
        if (item['type'] === 'user_message' && isText(item['message']))
          yield found('UserPromptSubmit', { prompt: item['message'] });
        return;
      }
      const id = item['call_id'] ?? item['id'];
      switch (type) {
        case 'function_call':
        case 'custom_tool_call':
        case 'local_shell_call': {
          const call = callIn(item, cwd);
          if (call === undefined)
            return yield fault('holds a tool call without a name or without arguments');
          // Hooks do not receive what is typed into a running shell.
          if (call === 'none') return;
          const given = { ...call, ...(isText(id) && { tool_use_id: id }) };
          calls.begin(id, given);
          return yield found('PreToolUse', given);
        }
        case 'function_call_output':
        case 'custom_tool_call_output': {
          const call = calls.end(id);
          // The same holds for what such a shell printed.
          if (call !== undefined)
            yield found('PostToolUse', { ...call, tool_response: outputOf(item['output']) });
        }
      }
    };
  },
};

/** A call as Codex's hooks know it; 'none' if they do not. */
function callIn(item: Fields, cwd: string | undefined): Fields | 'none' | undefined {
  if (item['type'] === 'local_shell_call') {
    const action = isRecord(item['action']) ? item['action'] : {};
    return shellCall(action['command'], action['working_directory'], cwd);
  }
  const { name, namespace } = item;
  if (!isText(name)) return undefined;
  if (item['type'] === 'custom_tool_call') {
    if (!isText(item['input'])) return undefined;
    return name === 'apply_patch' ? patchCall(item['input']) : 'none';
  }
  const input = argumentsIn(item['arguments']);
  if (input === undefined) return undefined;
  if (name === 'write_stdin') return 'none';
  if (shells.has(name)) return shellCall(input['command'] ?? input['cmd'], input['workdir'], cwd);
  if (name === 'apply_patch') return patchCall(input['input'] ?? input['patch']);
  return { tool_name: isText(namespace) ? fullName(namespace, name) : name, tool_input: input };
}

const fullName = (namespace: string, name: string): string =>
  namespace.startsWith('mcp__') && !namespace.endsWith('__')
    ? `${namespace}__${name}`
    : `${namespace}${name}`;

const patchCall = (patch: unknown): Fields | undefined =>
  isText(patch) ? { tool_name: 'apply_patch', tool_input: { command: patch } } : undefined;

function shellCall(given: unknown, workdir: unknown, cwd = '/'): Fields | undefined {
  const command =
    Array.isArray(given) && given.every(isText) ? given.map(shellWord).join(' ') : given;
  if (!isText(command)) return undefined;
  return {
    tool_name: 'Bash',
    tool_input: { command },
    ...(isText(workdir) && workdir !== '' && { cwd: resolve(cwd, workdir) }),
  };
}

function argumentsIn(json: unknown): Fields | undefined {
  if (!isText(json)) return undefined;
  if (json === '') return {};
  try {
    const value: unknown = JSON.parse(json);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The output of a tool, without the text around it for the model. */
function outputOf(given: unknown): string {
  const value = isRecord(given) ? given['content'] : given;
  const text = isText(value) ? value : textsIn(value);
  const inJson = argumentsIn(text)?.['output'];
  return isText(inJson) ? inJson : text.replace(outputHead, '');
}
