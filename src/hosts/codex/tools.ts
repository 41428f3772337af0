import { isRecord } from '../../base/json.ts';
import { textsIn } from '../../core/protocol/tool-result.ts';
import { wholePath } from '../../base/folders.ts';
import { shellStreams } from '../parts/tool-facts.ts';
import { fromPatch, toPatch } from '../patch/patch.ts';

type Fields = Readonly<Record<string, unknown>>;

const shell = 'run_shell_command';
const patches: ReadonlySet<string> = new Set(['write_file', 'replace']);

/** Returns Codex's name for one of our tools; any other tool keeps its name. */
export const toCodexTool = (ours: string): string =>
  ours === shell ? 'Bash' : patches.has(ours) ? 'apply_patch' : ours;

/** Returns our name for one of Codex's tools; a patch may write many files, so it keeps its name. */
export const fromCodexTool = (theirs: string): string => (theirs === 'Bash' ? shell : theirs);

/** Returns the names that Codex's matchers know one of our tools by. */
export const codexNamesOf = (ours: string): readonly string[] => {
  const name = toCodexTool(ours);
  return name === 'apply_patch' ? [name, 'Edit', 'Write'] : [name];
};

/** Returns our arguments as Codex's hooks know them. */
export function toCodexInput(ours: string, input: Fields): Fields {
  if (ours === shell) return { command: input['command'] };
  return patches.has(ours) ? { command: toPatch(ours, input) } : input;
}

/** Returns the folder that a call asked for; for a shell command, it may differ from the session's. */
export function folderOf(ours: string, input: Fields, cwd: string): string {
  const asked = ours === shell && folderNames.map((name) => input[name]).find(isPath);
  return asked ? wholePath(asked, cwd) : cwd;
}

const folderNames = ['directory', 'dir_path', 'workdir'] as const;
const isPath = (value: unknown): value is string => typeof value === 'string' && value !== '';

/** Returns Codex's arguments as our tool takes them, or why it cannot run with them. */
export function fromCodexInput(
  ours: string,
  given: unknown,
  before: Fields,
): { readonly input: Fields } | { readonly fault: string } {
  if (!isRecord(given)) return { fault: 'they are not an object' };
  const { command } = given;
  const name = toCodexTool(ours);
  if (name !== 'Bash' && name !== 'apply_patch') return { input: given };
  if (typeof command !== 'string')
    return { fault: `"command" ${command === undefined ? 'is missing' : 'is not a string'}` };
  if (!patches.has(ours)) return { input: { ...before, command } };
  const input = fromPatch(ours, command, before);
  return input ? { input } : { fault: `its patch does more than one call of ${ours} can do` };
}

/** Codex's form of each result, so that every hook receives exactly the same. */
const known = new WeakMap<object, unknown>();

/** Returns a tool's result as Codex's hooks receive it; for a shell command, what it printed. */
export function toCodexResponse(ours: string, input: Fields, given: unknown): unknown {
  const response = isRecord(given) ? given : {};
  if (known.has(response)) return known.get(response);
  const text = textsIn(response['llmContent']);
  if (ours === shell) {
    const { stdout, stderr } = shellStreams(text, String(input['command']));
    const isApart = stdout === '' || stderr === '' || stdout.endsWith('\n');
    return `${stdout}${isApart ? '' : '\n'}${stderr}`;
  }
  return ours.startsWith('mcp__') ? { content: [{ type: 'text', text }] } : text;
}

/** Returns a result in Codex's form as a `tool_response`. */
export function fromCodexResponse(given: unknown): Fields {
  const content = isRecord(given) && Array.isArray(given['content']) ? given['content'] : undefined;
  const text =
    typeof given === 'string' ? given : content ? textsIn(content) : JSON.stringify(given);
  const response = { llmContent: text ?? '', returnDisplay: text ?? '' };
  known.set(response, given);
  return response;
}
