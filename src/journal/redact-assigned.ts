import { isName, isValue, redacted, type IsSecret } from './secrets.ts';

/** The password of an address. */
const inAddress = /(?<=:\/\/[^\s/:@]*:)[^\s/]+(?=@)/g;

/**
 * Finds the values of secret keys in running text: broken JSON, also as a text within JSON, assignments,
 * headers and options of commands; and the password of an address. Where it is in doubt how far a
 * value goes, it hides too much. It never looks at a place again: texts are long.
 */
export function redactAssigned(
  isSecret: IsSecret,
  names: readonly string[],
): (text: string) => string {
  const key = [...names.map(escaped), String.raw`[\w-]+`].join('|');
  const keys = new RegExp(
    String.raw`(?<![\w-])(${key})(?:((?:\\*["'\`])?\s*(?::=|=>|[:=])\s*)|\s+)`,
    'gi',
  );
  return (text) => {
    let told = '';
    let from = 0;
    let isNamed = false;
    keys.lastIndex = 0;
    for (let found; (found = keys.exec(text));) {
      const [, name = '', sign] = found;
      const at = keys.lastIndex;
      if (sign === undefined && !name.startsWith('-')) continue;
      if (isName(name)) isNamed = isSecret(wordAt(text, at));
      if (!isSecret(name) && !(isNamed && isValue(name))) continue;
      const [quote, start, end] = valueAt(text, at, { before: found.index, name, sign });
      told += `${text.slice(from, start)}${quote}${redacted}${quote}`;
      from = end;
      keys.lastIndex = end;
    }
    return `${told}${text.slice(from)}`.replace(inAddress, redacted);
  };
}

interface Assigned {
  /** Where its key begins. */
  readonly before: number;
  readonly name: string;
  /** What stands between them; an option of a command has none. */
  readonly sign: string | undefined;
}

/** Where a value starts and ends, and in which quotes it must be put; its own it keeps. */
function valueAt(
  text: string,
  at: number,
  { before, name, sign }: Assigned,
): [quote: string, start: number, end: number] {
  const quoted = matchAt(/[bfru$]{0,2}(\\*)(["'`])/iy, text, at);
  if (quoted) {
    const [opening, slashes = '', mark = ''] = quoted;
    const start = at + opening.length;
    return ['', start, endOfQuoted(text, start, slashes.length, mark)];
  }
  const [quote = ''] = /^\\*["'`]/.exec(sign ?? '') ?? [];
  if (/[[{]/.test(text.charAt(at))) return [quote, at, endOfBracket(text, at)];
  if (quote) return [quote, at, at + matchAt(/[^\s"'`,}\]]*/y, text, at)![0].length];
  // A header or a phrase; an assignment in a shell is a word.
  if (sign !== undefined && (sign !== '=' || /(?:cookie|authorization)s?$/i.test(name)))
    return ['', at, endOfLine(text, at, before)];
  const word = /(?:[^\s"'`&|;)}\]\\]|\\+(?!["'`\\])[^])*/y;
  return ['', at, at + matchAt(word, text, at)![0].length];
}

/** A line ends where the quotes do that it stands in from its key on. */
function endOfLine(text: string, at: number, before: number): number {
  const found = text.indexOf('\n', at);
  const end = found === -1 ? text.length : found;
  const mark = text.charAt(before - 1);
  if (!/["'`]/.test(mark)) return end;
  let slashes = 0;
  while (text.charAt(before - 2 - slashes) === '\\') slashes++;
  return at + endOfQuoted(text.slice(at, end), 0, slashes, mark);
}

/**
 * Where the closing quote is. Each level of JSON within JSON doubles the backslashes before a quote
 * and adds one, so their number tells whether a quote is of this level.
 */
function endOfQuoted(text: string, from: number, slashes: number, mark: string): number {
  for (let at = from; (at = text.indexOf(mark, at)) !== -1; at++) {
    let run = 0;
    while (at - run > from && text.charAt(at - run - 1) === '\\') run++;
    if (run <= slashes || run % (2 * (slashes + 1)) === slashes) return at - Math.min(run, slashes);
  }
  return text.length;
}

/** Behind the bracket that closes the one here; those within quotes do not count. */
function endOfBracket(text: string, from: number): number {
  const marks = /(\\*)(["'`])|([[{])|[\]}]/g;
  marks.lastIndex = from;
  let depth = 0;
  for (let found; (found = marks.exec(text));) {
    const [, slashes = '', mark, opening] = found;
    if (mark !== undefined)
      marks.lastIndex =
        endOfQuoted(text, marks.lastIndex, slashes.length, mark) + slashes.length + 1;
    else depth += opening === undefined ? -1 : 1;
    if (depth === 0) return marks.lastIndex;
  }
  return text.length;
}

const wordAt = (text: string, at: number): string =>
  matchAt(/\\*["'`]?([\w-]{1,200})/y, text, at)?.[1] ?? '';

function matchAt(sticky: RegExp, text: string, at: number): RegExpExecArray | null {
  sticky.lastIndex = at;
  return sticky.exec(text);
}

const escaped = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);
