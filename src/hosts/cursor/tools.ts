import { isRecord } from '../../base/json.ts';
import { textsIn } from '../../core/protocol/tool-result.ts';
import { shellStreams } from '../parts/tool-facts.ts';
import {
  filePathAs,
  folderPathAs,
  shellFolderAs,
  toolTable,
  type ToolInput,
} from '../parts/tool-table.ts';

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

/** Returns Cursor's type for one of our tools; any other tool keeps its name. */
export const toCursorTool = (ours: string): string => {
  const [, name] = mcp.exec(ours) ?? [];
  return name === undefined ? tools.toTheirs(ours) : `${mcpType}${name}`;
};

/**
 * Returns our name for one of Cursor's tools; the tools that write a file are distinguished by their
 * arguments.
 */
export const fromCursorTool = (theirs: string, input: ToolInput): string =>
  theirs === 'Write' && 'old_string' in input ? 'replace' : tools.fromTheirs(theirs);

/** Returns our arguments as Cursor's hooks know them. */
export const toCursorInput = (ours: string, input: ToolInput): Fields => tools.toInput(ours, input);

/** Returns Cursor's arguments as our tool takes them. */
export const fromCursorInput = (ours: string, input: ToolInput): Fields =>
  tools.fromInput(ours, input);

/** Returns the kind of call that one of our tools makes; undefined if Cursor has no events for it. */
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

/** Returns a tool's name without the prefix that marks a server's tool. */
export const bareName = (type: string): string =>
  type.startsWith(mcpType) ? type.slice(mcpType.length) : type;

/** Returns the type of a server's tool. */
export const mcpTool = (name: string): string =>
  name.startsWith(mcpType) || mcp.test(name) ? name : `${mcpType}${name}`;

/** Cursor's form of each result, so that every hook receives exactly the same. */
const known = new WeakMap<object, string>();

/** Why a call failed. */
interface CursorFailure {
  readonly message: string;
  readonly type: 'timeout' | 'error';
}

/** What became of a call, in the parts that Cursor's events report. */
export interface CursorResult {
  /** What the model reads; for a shell command, what it printed. */
  readonly text: string;
  /** The whole result as JSON text. */
  readonly output: string;
  /** A shell command that exits with a status other than 0 has failed. */
  readonly failure: CursorFailure | undefined;
}

/** Splits a result into its parts. */
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

/** Returns a result that Cursor gives as JSON text, as a `tool_response`. */
export function fromCursorOutput(json: string): Fields {
  let value: unknown = json;
  try {
    value = JSON.parse(json);
  } catch {
    // It is plain text.
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
