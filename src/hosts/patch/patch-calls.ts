import { isDeepStrictEqual } from 'node:util';
import { wholePath } from '../../base/folders.ts';
import { inPatch, toChange } from './patch.ts';
import { likeHeaders, readPatch, type FileChange } from './read-patch.ts';

type Fields = Readonly<Record<string, unknown>>;

/** A call of one of our tools. */
export interface FileCall {
  readonly tool_name: 'write_file' | 'replace';
  readonly tool_input: Fields;
}

/** A patch as the calls of our tools that do the same. */
export interface PatchCalls {
  readonly calls: readonly FileCall[];
  /** What is wrong with the patch, if anything. */
  readonly note?: string;
  /**
   * Returns the patch that gives the calls these arguments, null for those that stay; undefined if no
   * patch does.
   */
  readonly patchWith: (inputs: readonly (Fields | null)[]) => string | undefined;
}

const unread =
  'the patch cannot be read, so hooks receive every line in it that looks like the header of a file';

/**
 * Returns what a patch does, as calls of our tools; if it cannot be parsed, for all files that it may
 * be meant for.
 */
export function callsOf(patch: string, cwd: string): PatchCalls {
  const changes = readPatch(patch);
  if (changes)
    return {
      calls: changes.flatMap((change) => callsFor(change, cwd)),
      patchWith: (inputs) => rewritten(changes, cwd, inputs),
    };
  const calls = likeHeaders(patch).map(({ kind, path }): FileCall => {
    const file_path = wholePath(path, cwd);
    return kind === 'Update'
      ? replacing(file_path, '', patch)
      : { tool_name: 'write_file', tool_input: { file_path, content: patch } };
  });
  return { calls, note: unread, patchWith: () => undefined };
}

/** A deleted file is reported as one written with no content, so that a hook that guards paths guards it. */
function callsFor({ kind, path, to, content, hunks }: FileChange, cwd: string): FileCall[] {
  const file_path = wholePath(path, cwd);
  if (kind !== 'Update') return [{ tool_name: 'write_file', tool_input: { file_path, content } }];
  const after = hunks.flatMap((hunk) => hunk.new).join('\n');
  const edit = replacing(file_path, hunks.flatMap(({ old }) => old).join('\n'), after);
  if (to === undefined) return [edit];
  const target = { file_path: wholePath(to, cwd), content: after };
  return [edit, { tool_name: 'write_file', tool_input: target }];
}

const replacing = (file_path: string, old_string: string, new_string: string): FileCall => ({
  tool_name: 'replace',
  tool_input: { file_path, old_string, new_string },
});

function rewritten(
  changes: readonly FileChange[],
  cwd: string,
  inputs: readonly (Fields | null)[],
): string | undefined {
  const wanted: Fields[] = [];
  let text = '';
  for (const change of changes) {
    const calls = callsFor(change, cwd);
    const given = inputs.slice(wanted.length, wanted.length + calls.length);
    wanted.push(...calls.map(({ tool_input }, place) => given[place] ?? tool_input));
    const isSame = given.every((input) => input === null);
    if (!isSame && !canChange(change)) return undefined;
    text += isSame ? change.text : changeWith(change, calls[0]!, given[0]!);
  }
  const patch = inPatch(text);
  const says = readPatch(patch)?.flatMap((change) => callsFor(change, cwd));
  const said = says?.map(({ tool_input }) => withoutLastNewline(tool_input));
  return isDeepStrictEqual(said, wanted.map(withoutLastNewline)) ? patch : undefined;
}

/** If a file changes in several places, nobody can tell which of them a hook changed. */
const canChange = ({ kind, to, hunks }: FileChange): boolean =>
  kind === 'Add' ||
  (kind === 'Update' && to === undefined && hunks.length === 1 && !hunks[0]!.isLast);

function changeWith(
  { path, hunks }: FileChange,
  { tool_name, tool_input }: FileCall,
  input: Fields,
) {
  const isSamePath = input['file_path'] === tool_input['file_path'];
  return toChange(
    tool_name,
    isSamePath ? { ...input, file_path: path } : input,
    hunks[0]?.head || '@@',
  );
}

/** A patch writes whole lines, so a final line break makes no difference. */
const withoutLastNewline = (input: Fields): Fields =>
  Object.fromEntries(
    Object.entries(input).map(([key, value]) => [
      key,
      typeof value === 'string' && value.endsWith('\n') ? value.slice(0, -1) : value,
    ]),
  );
