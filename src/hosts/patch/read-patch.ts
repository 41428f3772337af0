/** What a Codex patch does to one file. */
export interface FileChange {
  readonly kind: 'Add' | 'Update' | 'Delete';
  readonly path: string;
  /** Where the file is moved to. */
  readonly to?: string;
  /** The content of an added file. */
  readonly content: string;
  readonly hunks: readonly Hunk[];
  /** The text of the change in the patch. */
  readonly text: string;
}

/** Lines that replace others. */
export interface Hunk {
  /** Its first line, `@@` and the place in the file; '' if there is none. */
  readonly head: string;
  readonly old: readonly string[];
  readonly new: readonly string[];
  /** Whether it changes the end of the file. */
  readonly isLast: boolean;
}

type Draft<Made> = { -readonly [Key in keyof Made]: Made[Key] };
interface DraftHunk extends Draft<Hunk> {
  old: string[];
  new: string[];
}
interface DraftChange extends Draft<FileChange> {
  hunks: DraftHunk[];
}

const header = /^\*\*\* (Add|Update|Delete) File: (.+)$/s;
const moved = '*** Move to: ';

/** Trims a line as Codex does, which counts U+0085 as white space. */
const bare = (line: string): string => line.replaceAll('\u0085', ' ').trim();

/**
 * Reads what a patch does, file by file; undefined if Codex would refuse it, or if not all versions of
 * Codex read it alike.
 */
export function readPatch(patch: string): readonly FileChange[] | undefined {
  const [first = '', ...lines] = linesOf(patch.trim());
  const last = lines.pop() ?? '';
  if (bare(first) !== '*** Begin Patch' || bare(last) !== '*** End Patch') return undefined;
  const changes: DraftChange[] = [];
  for (const line of lines) {
    const change = changes.at(-1);
    const [, kind, path = ''] = header.exec(bare(line)) ?? [];
    if (kind !== undefined) {
      // In an update, some versions take such a line for one of the file's own.
      if (change?.kind === 'Update' && line.startsWith(' ')) return undefined;
      const text = `${line}\n`;
      changes.push({ kind: kind as FileChange['kind'], path, content: '', hunks: [], text });
    } else {
      if (change === undefined || !takes(change, line)) return undefined;
      change.text += `${line}\n`;
    }
  }
  return changes;
}

const linesOf = (text: string): string[] =>
  text.split('\n').map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line));

/** Adds a line to a change; returns false if it cannot belong to it. */
function takes(change: DraftChange, line: string): boolean {
  const [sign = ' '] = line;
  const rest = line.slice(1);
  if (change.kind === 'Add' && sign === '+') {
    change.content += `${rest}\n`;
    return true;
  }
  if (change.kind !== 'Update') return false;
  const { hunks } = change;
  if (hunks.length === 0 && bare(line).startsWith(moved)) {
    if (change.to !== undefined || line !== bare(line)) return false;
    change.to = line.slice(moved.length);
    return true;
  }
  if (line === '@@' || line.startsWith('@@ ')) {
    hunks.push({ head: line, old: [], new: [], isLast: false });
    return true;
  }
  const isEnd = line === '*** End of File';
  if (!isEnd && !' +-'.includes(sign)) return false;
  if (hunks.length === 0) hunks.push({ head: '', old: [], new: [], isLast: false });
  const hunk = hunks.at(-1)!;
  if (isEnd) hunk.isLast = true;
  else {
    if (sign !== '+') hunk.old.push(rest);
    if (sign !== '-') hunk.new.push(rest);
  }
  return true;
}

/** A line that looks like the start of a file's change. */
export interface LikeHeader {
  readonly kind: FileChange['kind'];
  readonly path: string;
}

/** Returns the lines that look like a file's header, in a patch that cannot be parsed. */
export const likeHeaders = (patch: string): readonly LikeHeader[] =>
  linesOf(patch).flatMap((line) => {
    const [, word = 'Add', path] =
      /\*\*\* *(?:(Add|Update|Delete) File|Move to):(.+)$/is.exec(line) ?? [];
    if (path === undefined || bare(path) === '' || /^[+-]/.test(line)) return [];
    const kind = (['Update', 'Delete'] as const).find(
      (one) => one.toLowerCase() === word.toLowerCase(),
    );
    return [{ kind: kind ?? 'Add', path: bare(path) }];
  });
