import { fieldsOf, isRecord, inTable } from '../../base/json.ts';
import { textsIn } from '../../core/protocol/tool-result.ts';
import { keptForms, resultOf, shellStreams } from '../parts/tool-facts.ts';
import {
  filePathAs,
  folderPathAs,
  shellFolderAs,
  toolTable,
  type ToolInput,
} from '../parts/tool-table.ts';

type Fields = Readonly<Record<string, unknown>>;

const renamed = filePathAs('file_path');

/** Our tools in Cursor; the two that write a file are one there. */
const tools = toolTable([
  { ours: 'run_shell_command', name: 'Shell', renamed: shellFolderAs('working_directory') },
  { ours: 'read_file', name: 'Read', renamed },
  { ours: 'replace', name: 'Write', renamed },
  { ours: 'write_file', name: 'Write', renamed },
  {
    ours: 'search_file_content',
    name: 'Grep',
    renamed: [...folderPathAs('path'), ['include', 'glob']],
  },
  { ours: 'task', name: 'Task' },
]);

/** Returns our arguments as Cursor's hooks know them, and the reverse. */
export const { toInput: toCursorInput, fromInput: fromCursorInput } = tools;

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

const kinds: Readonly<Record<string, 'shell' | 'read' | 'write'>> = {
  Shell: 'shell',
  Read: 'read',
  Write: 'write',
};

/** Returns the kind of call that one of our tools makes; undefined if Cursor has no events for it. */
export function callOf(ours: string): 'shell' | 'mcp' | 'read' | 'write' | undefined {
  const type = toCursorTool(ours);
  return type.startsWith(mcpType) ? 'mcp' : inTable(kinds, type);
}

/** Returns a tool's name without the prefix that marks a server's tool. */
export const bareName = (type: string): string =>
  type.startsWith(mcpType) ? type.slice(mcpType.length) : type;

/** Returns the type of a server's tool. */
export const mcpTool = (name: string): string =>
  name.startsWith(mcpType) || mcp.test(name) ? name : `${mcpType}${name}`;

/** A result's form is JSON text. */
const forms = keptForms();

/** What became of a call, in the parts that Cursor's events report. */
export interface CursorResult {
  /** What the model reads; for a shell command, what it printed. */
  readonly text: string;
  /** The whole result as JSON text. */
  readonly output: string;
  /** A shell command that exits with a status other than 0 has failed. */
  readonly failure: { readonly message: string; readonly type: 'timeout' | 'error' } | undefined;
}

/** Splits a result into its parts. */
export function cursorResult(ours: string, input: Fields, given: unknown): CursorResult {
  const response = fieldsOf(given);
  const { llmContent, error, metadata } = response;
  const content = textsIn(llmContent);
  const { message, type } = fieldsOf(error);
  const failure = isRecord(error)
    ? ({ message: textsIn(message), type: type === 'timeout' ? 'timeout' : 'error' } as const)
    : undefined;
  const json = (value: object): string =>
    (forms.theirs(response)?.form as string | undefined) ?? JSON.stringify(value);
  if (callOf(ours) !== 'shell')
    return { text: content, output: json({ output: content }), failure };
  const { stdout, stderr } = shellStreams(content, String(input['command']));
  const text = [stdout, stderr].filter((stream) => stream !== '').join('\n');
  const { exitCode: code } = fieldsOf(metadata);
  const printed = Number(/\nExit Code: (\d+)/.exec(content)?.[1] ?? 0);
  const exitCode = typeof code === 'number' ? code : printed;
  return { text, output: json({ output: text, exitCode }), failure };
}

/** Returns a result that Cursor gives as JSON text, as a `tool_response`. */
export function fromCursorOutput(json: string): Fields {
  const value = parsed(json);
  const { output, exitCode } = fieldsOf(value);
  const text = typeof output === 'string' ? output : typeof value === 'string' ? value : json;
  const metadata = typeof exitCode === 'number' && { metadata: { exitCode } };
  return forms.keep({ ...resultOf(text), ...metadata }, json);
}

/** What a text holds that may be JSON. */
export function parsed(text: unknown): unknown {
  try {
    return typeof text === 'string' ? JSON.parse(text) : text;
  } catch {
    return text;
  }
}
