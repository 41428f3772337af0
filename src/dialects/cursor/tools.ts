import { isRecord } from '../../protocol/output.ts';
import { textsIn } from '../../protocol/tool-result.ts';
import { shellStreams } from '../shell-streams.ts';
import {
  filePathAs,
  folderPathAs,
  shellFolderAs,
  toolTable,
  type ToolInput,
} from '../tool-table.ts';

type Fields = Readonly<Record<string, unknown>>;

const filePath = filePathAs('file_path');
const folderPath = folderPathAs('path');

const tools = toolTable([
  {
    ours: 'run_shell_command',
    name: 'Shell',
    renamed: shellFolderAs('working_directory'),
  },
  { ours: 'read_file', name: 'Read', renamed: filePath },
  { ours: 'replace', name: 'Write', renamed: filePath },
  { ours: 'write_file', name: 'Write', renamed: filePath },
  { ours: 'search_file_content', name: 'Grep', renamed: [...folderPath, ['include', 'glob']] },
  { ours: 'task', name: 'Task' },
]);

const mcp = /^mcp__.+?__(.+)$/;
const mcpType = 'MCP:';

/** Cursor's type of a tool of ours; any other keeps its name. */
export const toCursorTool = (ours: string): string => {
  const [, name] = mcp.exec(ours) ?? [];
  return name === undefined ? tools.toTheirs(ours) : `${mcpType}${name}`;
};

/** Our name of a tool of Cursor's; what writes a file is distinguished by its arguments. */
export const fromCursorTool = (theirs: string, input: ToolInput): string =>
  theirs === 'Write' && 'old_string' in input ? 'replace' : tools.fromTheirs(theirs);

/** Our arguments as Cursor's hooks know them. */
export const toCursorInput = (ours: string, input: ToolInput): Fields => tools.toInput(ours, input);

/** Cursor's arguments as our tool takes them. */
export const fromCursorInput = (ours: string, input: ToolInput): Fields =>
  tools.fromInput(ours, input);

/** What kind of call a tool of ours makes, as far as Cursor has events for it. */
export function callOf(ours: string): 'shell' | 'mcp' | 'read' | 'write' | undefined {
  const type = toCursorTool(ours);
  if (type.startsWith(mcpType)) return 'mcp';
  return type === 'Shell'
    ? 'shell'
    : type === 'Read'
      ? 'read'
      : type === 'Write'
        ? 'write'
        : undefined;
}

/** A tool's name without the type that says that a server has it. */
export const bareName = (type: string): string =>
  type.startsWith(mcpType) ? type.slice(mcpType.length) : type;

/** The type of a server's tool. */
export const mcpTool = (name: string): string =>
  name.startsWith(mcpType) || mcp.test(name) ? name : `${mcpType}${name}`;

/** By result, how Cursor has it: every hook receives the same, letter by letter. */
const known = new WeakMap<object, string>();

/** Why a call failed. */
interface CursorFailure {
  readonly message: string;
  readonly type: 'timeout' | 'error';
}

/** What became of a call, in parts that Cursor's events tell. */
export interface CursorResult {
  /** What the model reads; of a shell command what it printed. */
  readonly text: string;
  /** The same as a JSON text. */
  readonly output: string;
  /** A shell command that ends with another status than 0 failed. */
  readonly failure: CursorFailure | undefined;
}

/** Takes a result apart. */
export function cursorResult(ours: string, input: Fields, given: unknown): CursorResult {
  const response = isRecord(given) ? given : {};
  const content = textsIn(response['llmContent']);
  const failure = failureIn(response);
  const json = (value: object): string => known.get(response) ?? JSON.stringify(value);
  if (callOf(ours) !== 'shell')
    return { text: content, output: json({ output: content }), failure };
  const { stdout, stderr } = shellStreams(content, String(input['command']));
  const text = [stdout, stderr].filter((stream) => stream !== '').join('\n');
  const exitCode = exitCodeIn(response, content);
  return { text, output: json({ output: text, exitCode }), failure };
}

function failureIn({ error }: Fields): CursorFailure | undefined {
  if (!isRecord(error)) return undefined;
  const { message, type } = error;
  return { message: textsIn(message), type: type === 'timeout' ? 'timeout' : 'error' };
}

function exitCodeIn({ metadata }: Fields, content: string): number {
  const code = isRecord(metadata) ? metadata['exitCode'] : undefined;
  if (typeof code === 'number') return code;
  return Number(/\nExit Code: (\d+)/.exec(content)?.[1] ?? 0);
}

/** A result that Cursor tells as a JSON text, in the form of `tool_response`. */
export function fromCursorOutput(json: string): Fields {
  let value: unknown = json;
  try {
    value = JSON.parse(json);
  } catch {
    // It is the text itself.
  }
  const { output, exitCode } = isRecord(value) ? value : {};
  const text = typeof output === 'string' ? output : typeof value === 'string' ? value : json;
  const response = {
    llmContent: text,
    returnDisplay: text,
    ...(typeof exitCode === 'number' && { metadata: { exitCode } }),
  };
  known.set(response, json);
  return response;
}
