import { isRecord } from '../../base/json.ts';
import { textsIn } from '../../core/protocol/tool-result.ts';
import { shellStreams } from '../parts/tool-facts.ts';
import { toClaudeInput, toClaudeTool } from './tools.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Claude Code's form of each result, so that every hook receives exactly the same. */
const known = new WeakMap<object, unknown>();

/** The call that a result belongs to. */
export interface Call {
  /** Our name for the tool. */
  readonly tool: string;
  readonly input: Fields;
  readonly cwd?: string;
}

/** Returns a tool's result as Claude Code's hooks receive it. */
export function toClaudeResponse(call: Call, given: unknown): unknown {
  const response = isRecord(given) ? given : {};
  if (known.has(response)) return known.get(response);
  const text = textsIn(response['llmContent']);
  const make = Object.hasOwn(responses, call.tool) ? responses[call.tool] : undefined;
  const made = make
    ? make(text, toClaudeInput(call.tool, call.input, call.cwd), response)
    : isMcp(call.tool)
      ? [{ type: 'text', text }]
      : text;
  known.set(response, made);
  return made;
}

/** Returns a result in Claude Code's form as a `tool_response`. */
export function fromClaudeResponse(tool: string, given: unknown): Fields {
  const text = textOf(tool, given);
  const response = { llmContent: text, returnDisplay: text };
  known.set(response, given);
  return response;
}

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

const isMcp = (tool: string): boolean => tool.startsWith('mcp__');

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
    interrupted: isRecord(error) && error['type'] === 'cancelled',
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
  read_file: (text, { file_path, offset }) => {
    const lines = text === '' ? 0 : text.replace(/\n$/, '').split('\n').length;
    return {
      type: 'text',
      file: {
        filePath: file_path,
        content: text,
        numLines: lines,
        startLine: typeof offset === 'number' ? offset : 1,
        totalLines: lines,
      },
    };
  },
  glob: (text) => {
    const filenames = namesIn(text);
    return { filenames, durationMs: 0, numFiles: filenames.length, truncated: false };
  },
  search_file_content: (text) => ({
    mode: 'content',
    filenames: [],
    numFiles: 0,
    content: text,
    numLines: text === '' ? 0 : text.split('\n').length,
  }),
};

/** The names in a list of files, which begin below its first line. */
const namesIn = (text: string): string[] =>
  text
    .split('\n')
    .slice(1)
    .filter((line) => line !== '' && !line.startsWith('['));

/** Returns the text that the model reads in a result of Claude Code's form. */
function textOf(tool: string, given: unknown): string {
  if (typeof given === 'string') return given;
  if (isBlocks(given)) return textsIn(given);
  if (isRecord(given)) {
    const { stdout, stderr, content, file } = given;
    if (typeof stdout === 'string')
      return [stdout, stderr].filter((stream) => isText(stream) && stream !== '').join('\n');
    if (isRecord(file) && typeof file['content'] === 'string') return file['content'];
    if (Array.isArray(content)) return textsIn(content);
    if (typeof content === 'string' && toClaudeTool(tool) === 'Grep') return content;
  }
  return JSON.stringify(given) ?? '';
}
