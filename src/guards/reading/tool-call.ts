import { isRecord } from '../../base/json.ts';

/** What a tool call would do, as far as its arguments say. */
export interface ToolCall {
  /** The folder that its commands run in, if the call names one. */
  readonly folder?: string;
  /** Shell code. */
  readonly commands: readonly string[];
  /** Programs with their arguments. */
  readonly programs: readonly (readonly string[])[];
  readonly files: readonly ToolFile[];
}

/** A file that a tool reads or changes. */
export interface ToolFile {
  readonly action: 'read' | 'write' | 'edit' | 'append' | 'delete' | 'move';
  readonly path: string;
}

/** The server of an MCP tool, by the name that agents give such a tool. */
export const serverOf = (tool: string): string | undefined =>
  /^mcp__(?<server>.+?)__/.exec(tool)?.groups?.['server'] ??
  /^mcp_(?<server>[^_]+)_/.exec(tool)?.groups?.['server'];

const commandKeys = [
  'command',
  'cmd',
  'script',
  'shell_command',
  'bash',
  'commandLine',
  'command_line',
];
const folderKeys = [
  'cwd',
  'workdir',
  'working_directory',
  'workingDirectory',
  'directory',
  'dir_path',
  'dir',
];
const pathKeys = [
  'file_path',
  'filePath',
  'path',
  'absolute_path',
  'notebook_path',
  'target_file',
  'targetFile',
  'filename',
  'fileName',
  'file',
  'uri',
  'relative_path',
  'old_path',
  'new_path',
  'source',
  'destination',
  'TargetFile',
  'AbsolutePath',
  'paths',
  'files',
];
const contentKeys = [
  'content',
  'contents',
  'new_string',
  'new_str',
  'newString',
  'file_text',
  'new_source',
  'text',
  'edits',
  'replacement',
  'CodeContent',
  'insert_text',
  'code_edit',
];

const writes =
  /write|edit|create|replace|insert|update|append|save|put|notebook|apply|modify|overwrite|touch/i;
const changes = /edit|replace|insert|update|append|notebook|patch|modify|apply/i;
const removes = /delete|remove|unlink|(?:^|_)rm(?:_|$)|trash/i;
const moves = /move|rename/i;
const code =
  /python|jupyter|execute_code|run_code|code_interpreter|ipython|repl|(?:^|_)(?:js|node|javascript|typescript|eval)(?:_|$)/i;
/** Tools that type into a shell, or another program, that is running already. */
const types = /terminal|send_keys|stdin|pty|tmux|process|unified_exec|console/i;
const typedKeys = ['input', 'data', 'keys', 'chars', 'text', 'stdin'];
/** How code is run, by the language that a call names or its tool's name; a shell's code is a command. */
const interpreters: readonly (readonly [shape: RegExp, program: readonly string[] | undefined])[] =
  [
    [/\b(?:ba|z|k|da)?sh\b|shell/i, undefined],
    [/\b(?:js|node|javascript|ts|typescript|deno|bun)\b|(?:^|_| )(?:js|node)_/i, ['node', '-e']],
    [/\bruby\b/i, ['ruby', '-e']],
    [/\bperl\b/i, ['perl', '-e']],
    [/\bphp\b/i, ['php', '-r']],
    [/./, ['python3', '-c']],
  ];

/** Reads what a tool call would do from its name and arguments, in any agent. */
export function readToolCall(name: string, input: Readonly<Record<string, unknown>>): ToolCall {
  const folder = folderKeys
    .map((key) => input[key])
    .find((value): value is string => typeof value === 'string' && value !== '');
  const commands: string[] = [];
  const programs: (readonly string[])[] = [];
  for (const key of commandKeys) {
    const value = input[key];
    if (typeof value === 'string' && !isPatch(value)) commands.push(value);
    if (Array.isArray(value) && value.every((word) => typeof word === 'string'))
      programs.push(value);
  }
  // Some tools name the program apart from its arguments.
  const { args } = input;
  if (
    commands.length === 1 &&
    Array.isArray(args) &&
    args.every((word) => typeof word === 'string')
  )
    programs.push([commands[0]!, ...args]);
  if (types.test(name))
    for (const key of typedKeys) {
      const value = input[key];
      if (typeof value === 'string') commands.push(value);
      if (Array.isArray(value) && value.every((word) => typeof word === 'string'))
        programs.push(value);
    }
  const { code: source, language } = input;
  if (typeof source === 'string' && code.test(name)) {
    const spoken = `${typeof language === 'string' ? language : ''} ${name}`;
    const [, program] = interpreters.find(([shape]) => shape.test(spoken)) ?? [];
    if (program === undefined) commands.push(source);
    else programs.push([...program, source]);
  }
  return {
    commands,
    programs,
    files: filesIn(name, input),
    ...(folder !== undefined && { folder }),
  };
}

const isPatch = (text: string): boolean =>
  /^\*\*\* (?:Begin Patch|Add File|Update File|Delete File)/m.test(text) && !/<</.test(text);

function filesIn(name: string, input: Readonly<Record<string, unknown>>): ToolFile[] {
  const hasContent = contentKeys.some((key) => key in input);
  const action = removes.test(name)
    ? 'delete'
    : moves.test(name)
      ? 'move'
      : changes.test(name) || input['old_string'] !== undefined || input['old_str'] !== undefined
        ? 'edit'
        : writes.test(name) || hasContent
          ? 'write'
          : 'read';
  const files = pathKeys
    .flatMap((key) => input[key])
    .filter((value): value is string => typeof value === 'string' && value !== '')
    // Tools that fetch have the same names for what is on the web.
    .filter((path) => !/^https?:\/\//i.test(path))
    .map((path): ToolFile => ({ action, path: path.replace(/^file:\/\//, '') }));
  const { edits } = input;
  if (Array.isArray(edits))
    for (const edit of edits)
      if (isRecord(edit))
        for (const key of pathKeys)
          if (typeof edit[key] === 'string') files.push({ action: 'edit', path: edit[key] });
  for (const value of Object.values(input).flat())
    if (typeof value === 'string') files.push(...patched(value));
  const { url } = input;
  if (typeof url === 'string' && /^file:/i.test(url))
    files.push({ action: 'read', path: url.replace(/^file:\/\/[^/]*/i, '') });
  return files;
}

/** The files that a patch names. */
function patched(text: string): ToolFile[] {
  if (!/^(?:\*\*\* |\+\+\+ |--- )/m.test(text)) return [];
  const files: ToolFile[] = [];
  for (const [, what, path = ''] of text.matchAll(
    /^\*\*\* (Add File|Update File|Delete File|Move to): (.+)$/gm,
  ))
    files.push({
      action: what === 'Delete File' ? 'delete' : what === 'Add File' ? 'write' : 'edit',
      path: path.trim(),
    });
  for (const [, path = ''] of text.matchAll(/^\+\+\+ (?:b\/)?([^\t\n]+)/gm))
    if (path !== '/dev/null') files.push({ action: 'edit', path: path.trim() });
  return files;
}
