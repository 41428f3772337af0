import { unescaped } from './builtins.ts';
import { activated } from './glob.ts';
import { isKnown, secretMark, unknownMark } from './marks.ts';
import { secretName } from './state.ts';

/*
 * The little of other languages that a one-liner is made of: string literals, names that are given them, the
 * ways to join them, and calls. Whatever else stands there is unknown.
 */

/** What names stand for, and what the place knows. */
export interface Names {
  readonly values: Map<string, readonly string[]>;
  readonly home: string;
  readonly folder: string;
}

const mostValues = 8;
/** The longest call whose end is looked for, in characters. */
const longestCall = 10_000;

/** Finds where the bracket that opens here closes, past strings. */
export function closing(text: string, open: number): number {
  let depth = 0;
  const most = Math.min(text.length, open + longestCall);
  for (let index = open; index < most; index++) {
    const letter = text[index]!;
    if (letter === '"' || letter === "'" || letter === '`') index = endOfString(text, index);
    else if ('([{'.includes(letter)) depth++;
    else if (')]}'.includes(letter) && --depth === 0) return index;
  }
  return text.length;
}

function endOfString(text: string, start: number): number {
  const quote = text[start]!;
  if (text.startsWith(quote.repeat(3), start)) {
    const end = text.indexOf(quote.repeat(3), start + 3);
    return end === -1 ? text.length : end + 2;
  }
  for (let index = start + 1; index < text.length; index++)
    if (text[index] === '\\') index++;
    else if (text[index] === quote) return index;
  return text.length;
}

/** Splits a text at a separator outside brackets and strings. */
export function splitAt(text: string, separator: RegExp): string[] {
  const parts: string[] = [];
  let start = 0;
  for (let index = 0; index < text.length; index++) {
    const letter = text[index]!;
    if (letter === '"' || letter === "'" || letter === '`') index = endOfString(text, index);
    else if ('([{'.includes(letter)) index = closing(text, index);
    else if (separator.test(letter)) {
      parts.push(text.slice(start, index));
      start = index + 1;
    }
  }
  parts.push(text.slice(start));
  return parts.map((part) => part.trim()).filter(Boolean);
}

/** Returns what an expression may be. */
export function valuesOf(expression: string, names: Names, depth = 0): readonly string[] {
  const text = expression.trim();
  if (depth > 12 || text.length > 4_096) return [unknownMark];
  const parts = splitAt(text, /[+]/);
  if (parts.length > 1) return joined(parts.map((part) => valuesOf(part, names, depth + 1)));
  const dotted = splitAt(text, /\./);
  if (dotted.length > 1 && dotted.every((part) => /^(['"])[^]*\1$|^\$\w+$|^\$ENV\{/.test(part)))
    return joined(dotted.map((part) => valuesOf(part, names, depth + 1)));
  const slashed = splitAt(text, /\//);
  if (slashed.length > 1 && /^(?:pathlib\.)?Path\b|^[A-Za-z_]\w*$/.test(slashed[0]!))
    return joined(
      slashed.flatMap((part, index) => [
        ...(index > 0 ? [['/']] : []),
        valuesOf(part, names, depth + 1),
      ]),
    );
  return [...atom(text, names, depth)].slice(0, mostValues);
}

function joined(all: readonly (readonly string[])[]): string[] {
  let texts = [''];
  for (const values of all)
    texts = texts.flatMap((text) => values.map((value) => text + value)).slice(0, mostValues);
  return texts;
}

function atom(text: string, names: Names, depth: number): readonly string[] {
  const literal = /^[rbuf]{0,2}('''|"""|['"`])([^]*)\1$/i.exec(text);
  if (literal && endOfString(text, text.indexOf(literal[1]![0]!)) === text.length - 1) {
    const isRaw = /^r/i.test(text);
    return interpolated(isRaw ? literal[2]! : unescaped(literal[2]!), names, depth);
  }
  if (
    /^(?:~|os\.homedir\(\)|(?:\w+\.)?homedir\(\)|(?:pathlib\.)?Path\.home\(\)|Dir\.home|process\.env\.HOME|\$HOME)$/.test(
      text,
    )
  )
    return [names.home];
  const [, variable] =
    /^(?:os\.environ(?:\.get)?|os\.getenv|process\.env|ENV(?:\.fetch)?|\$ENV|\$_ENV|getenv|Bun\.env)[[({]\s*['"]?(\w+)/.exec(
      text,
    ) ??
    /^process\.env\.(\w+)$/.exec(text) ??
    [];
  if (variable !== undefined)
    return [
      variable === 'HOME' ? names.home : secretName.test(variable) ? secretMark : unknownMark,
    ];
  if (
    /^(?:os\.getcwd\(\)|process\.cwd\(\)|Dir\.pwd|Path\.cwd\(\)|getcwd\(\)|_{2}dirname)$/.test(text)
  )
    return [names.folder];
  if (/^[$@]?[A-Za-z_]\w*$/.test(text))
    return names.values.get(text.replace(/^[$@]/, '')) ?? [unknownMark];
  if (/^\([^]*\)$/.test(text) && closing(text, 0) === text.length - 1)
    return valuesOf(text.slice(1, -1), names, depth + 1);
  return called(text, names, depth);
}

/** Fills in `${name}`, `{name}` and `#{name}` where the name is known. */
function interpolated(text: string, names: Names, depth: number): readonly string[] {
  if (!/[$#]?\{\w|\$\w/.test(text)) return [text];
  return [
    text.replaceAll(
      /[$#]?\{([\w.]+(?:\(\))?)\}|\$(?:ENV\{)?(\w+)\}?/g,
      (whole, braced?: string, plain?: string) => {
        const name = braced ?? plain ?? '';
        if (name === 'HOME') return names.home;
        const [value] = valuesOf(name, names, depth + 1);
        return value === undefined || value === unknownMark
          ? whole.startsWith('{')
            ? whole
            : unknownMark
          : value;
      },
    ),
  ];
}

/** Understands the calls that make texts. */
function called(text: string, names: Names, depth: number): readonly string[] {
  const inner = (from: number): readonly string[][] =>
    splitAt(text.slice(from + 1, closing(text, from)), /,/).map((part) => [
      ...valuesOf(part, names, depth + 1),
    ]);
  const [, callee = ''] = /^([\w.:]+)\(/.exec(text) ?? [];
  const args = callee === '' ? [] : inner(callee.length);
  const first = args[0]?.[0] ?? '';
  if (/(?:^|\.)(?:expanduser|expand_path)$/.test(callee)) return [first.replace(/^~/, names.home)];
  if (
    /(?:^|\.)(?:join|resolve|File\.join)$/.test(callee) &&
    args.length > 1 &&
    !callee.startsWith("'")
  )
    return joined(args.flatMap((values, index) => [...(index > 0 ? [['/']] : []), values])).map(
      (path) => path.replace(/^.*\/\/(?=.)/, '/'),
    );
  if (
    /(?:^|\.)(?:Path|PurePath|str|String|abspath|realpath|normpath|resolve|normalize|quote|fspath)$/.test(
      callee,
    )
  )
    return args[0] ?? [unknownMark];
  if (/^glob(?:\.glob)?$/.test(callee)) return (args[0] ?? [unknownMark]).map(activated);
  if (/(?:b64decode|atob|decode64|base64_decode|decode_base64)$/.test(callee))
    return [decodedAs('base64', first)];
  if (/^Buffer\.from$/.test(callee))
    return [decodedAs(args[1]?.[0] === 'hex' ? 'hex' : 'base64', first)];
  if (/(?:fromhex|unhexlify)$/.test(callee)) return [decodedAs('hex', first)];
  if (/^(?:chr|String\.fromCharCode)$/.test(callee)) {
    const codes = /\(([\d,\s]+)\)/.exec(text)?.[1]?.split(',').map(Number);
    return codes ? [String.fromCodePoint(...codes)] : [unknownMark];
  }
  return [unknownMark];
}

const decodedAs = (encoding: BufferEncoding, text: string): string =>
  isKnown(text) && text !== '' ? Buffer.from(text, encoding).toString('utf8') : unknownMark;
