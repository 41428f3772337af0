import { fieldsOf, isRecord, inTable } from '../../base/json.ts';
import { textsIn } from '../../core/protocol/tool-result.ts';
import { keptForms, resultOf, shellStreams } from '../parts/tool-facts.ts';

type Fields = Readonly<Record<string, unknown>>;

const forms = keptForms();

/** Returns a tool's result as Claude Code's hooks receive it; `input` is in its form. */
export function toClaudeResponse(tool: string, input: Fields, given: unknown): unknown {
  const response = fieldsOf(given);
  const known = forms.theirs(response);
  if (known) return known.form;
  const text = textsIn(response['llmContent']);
  const make = inTable(responses, tool);
  const mcp = tool.startsWith('mcp__') ? [{ type: 'text', text }] : text;
  const made = make?.(text, input, response) ?? mcp;
  forms.keep(response, made);
  return made;
}

/** Returns a result in Claude Code's form as a `tool_response`. */
export const fromClaudeResponse = (tool: string, given: unknown): Fields =>
  forms.keep(resultOf(textOf(tool, given)), given);

/** Whether a hook's result has the form of the one that it received; Claude Code drops any other. */
export function hasFormOf(received: unknown, given: unknown): boolean {
  if (!isRecord(received)) return isText(given) || isBlocks(given);
  return (
    isRecord(given) &&
    Object.entries(received).every(
      ([name, value]) =>
        (name === 'noOutputExpected' && given[name] === undefined) ||
        value === null ||
        typeOf(given[name]) === typeOf(value),
    )
  );
}

const isText = (value: unknown): boolean => typeof value === 'string';

const isBlocks = (value: unknown): boolean => Array.isArray(value) && value.every(isRecord);

const typeOf = (value: unknown): string => (Array.isArray(value) ? 'array' : typeof value);

/**
 * By our tool, the result in Claude Code's form, made from the text that the model reads, Claude Code's
 * arguments, and our whole response.
 */
const responses: Readonly<
  Record<string, (text: string, input: Fields, response: Fields) => Fields>
> = {
  run_shell_command: (text, { command }, { error }) => ({
    ...shellStreams(text, String(command)),
    interrupted: fieldsOf(error)['type'] === 'cancelled',
    isImage: false,
    noOutputExpected: false,
  }),
  write_file: (text, { file_path, content }) => ({
    type: text.includes('created') ? 'create' : 'update',
    filePath: file_path,
    content,
    structuredPatch: [],
    originalFile: null,
  }),
  replace: (_, { file_path, old_string, new_string, replace_all }) => ({
    filePath: file_path,
    oldString: old_string,
    newString: new_string,
    originalFile: null,
    structuredPatch: [],
    userModified: false,
    replaceAll: replace_all === true,
  }),
  read_file(content, { file_path: filePath, offset }) {
    const lines = content === '' ? 0 : content.replace(/\n$/, '').split('\n').length;
    const startLine = typeof offset === 'number' ? offset : 1;
    const file = { filePath, content, numLines: lines, startLine, totalLines: lines };
    return { type: 'text', file };
  },
  glob(text) {
    const [, ...lines] = text.split('\n');
    const filenames = lines.filter((line) => line !== '' && !line.startsWith('['));
    return { filenames, durationMs: 0, numFiles: filenames.length, truncated: false };
  },
  search_file_content: (content) => ({
    mode: 'content',
    filenames: [],
    numFiles: 0,
    content,
    numLines: content === '' ? 0 : content.split('\n').length,
  }),
};

/** Returns the text that the model reads in a result of Claude Code's form. */
function textOf(tool: string, given: unknown): string {
  if (typeof given === 'string') return given;
  if (isBlocks(given)) return textsIn(given);
  const { stdout, stderr, content, file } = fieldsOf(given);
  const { content: inFile } = fieldsOf(file);
  if (typeof stdout === 'string')
    return [stdout, stderr].filter((stream) => isText(stream) && stream !== '').join('\n');
  if (typeof inFile === 'string') return inFile;
  if (Array.isArray(content)) return textsIn(content);
  return typeof content === 'string' && tool === 'search_file_content'
    ? content
    : (JSON.stringify(given) ?? '');
}
