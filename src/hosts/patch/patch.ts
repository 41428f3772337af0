type Fields = Readonly<Record<string, unknown>>;

const begin = '*** Begin Patch\n';
const end = '*** End Patch';

/** Returns a call of one of our tools that write a file, as the patch with which Codex writes it. */
export const toPatch = (tool: string, input: Fields): string => inPatch(toChange(tool, input));

/** Wraps changes to files in a patch. */
export const inPatch = (changes: string): string => `${begin}${changes}${end}`;

/**
 * Returns what such a call does, in the form of a patch; `head` is the line that introduces a place in
 * a file.
 */
export function toChange(tool: string, input: Fields, head = '@@'): string {
  const path = pathIn(input);
  return tool === 'write_file'
    ? `*** Add File: ${path}\n${lines('+', input['content'])}`
    : `*** Update File: ${path}\n${head}\n${lines('-', input['old_string'])}${lines('+', input['new_string'])}`;
}

const pathNames = ['file_path', 'absolute_path', 'path'] as const;

const pathNameIn = (input: Fields): string =>
  pathNames.find((name) => typeof input[name] === 'string') ?? 'file_path';

const pathIn = (input: Fields): string => {
  const path = input[pathNameIn(input)];
  return typeof path === 'string' ? path : '';
};

/** Puts a sign before each line of a text. */
const lines = (sign: string, text: unknown): string =>
  typeof text !== 'string' || text === ''
    ? ''
    : text
        .replace(/\n$/, '')
        .split('\n')
        .map((line) => `${sign}${line}\n`)
        .join('');

/**
 * Reads a patch as arguments of the tool that it is reported as; undefined if it does something other
 * than that tool: other files, several places, or other lines around it.
 */
export function fromPatch(tool: string, patch: string, before: Fields): Fields | undefined {
  if (patch.trim() === toPatch(tool, before)) return before;
  const head = tool === 'write_file' ? 'Add' : 'Update';
  const found = new RegExp(
    `^\\*\\*\\* Begin Patch\\r?\\n\\*\\*\\* ${head} File: (.+)\\n([^]*?)\\*\\*\\* End Patch$`,
  ).exec(patch.trim());
  const [, path, body] = found ?? [];
  if (path === undefined || body === undefined) return undefined;
  const all = body.split('\n').slice(0, -1);
  const signed = (sign: string): string => {
    const own = all.filter((line) => line.startsWith(sign)).map((line) => line.slice(1));
    return own.join('\n');
  };
  const others = { ...before, [pathNameIn(before)]: path };
  if (tool === 'write_file') {
    if (!all.every((line) => line.startsWith('+'))) return undefined;
    return { ...others, content: all.length === 0 ? '' : `${signed('+')}\n` };
  }
  const changed = all[0]?.startsWith('@@') ? all.slice(1) : all;
  const isOnePlace = /^-*\+*$/.test(changed.map((line) => line[0] ?? ' ').join(''));
  return isOnePlace ? { ...others, old_string: signed('-'), new_string: signed('+') } : undefined;
}
