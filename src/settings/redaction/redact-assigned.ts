import { isName, isPlain, isValue, redacted, type IsSecret } from './secrets.ts';

/**
 * Returns a function that redacts the values of secret keys in running text: broken JSON, even as a string in
 * JSON, assignments, headers, YAML and command options. If it is unclear how far a value extends, it hides
 * too much rather than too little. It never scans the same place twice, because texts are long.
 */
export function redactAssigned(
  isSecret: IsSecret,
  names: readonly string[],
): (text: string) => string {
  const key = [...names.map(escaped), spaced, String.raw`[\w-]+(?:\.[\w-]+)*`].join('|');
  const signs = String.raw`[：＝]|[:?+|!.]{0,2}={1,3}>?|->|:{1,2}(?!\/\/)|%3[AD]`;
  const keys = new RegExp(
    String.raw`(?<![\w-])(?<!\w\.)(${key})(?:((?:\\*["'\`]|%22)?(?:\]|%5D)?${styled}\s*(?:${signs})\s*|\((?=\\*["'\`])|\\*["'\`]\s*,\s*(?=\\*["'\`]))|\s+(\\*["'\`])?)`,
    'gi',
  );
  return (text) => {
    let shown = '';
    let from = 0;
    let isNamed = false;
    keys.lastIndex = 0;
    for (let found; (found = keys.exec(text));) {
      const [, name = '', sign, quote] = found;
      const at = keys.lastIndex - (quote?.length ?? 0);
      keys.lastIndex = at;
      if (sign === undefined && !isTakenBare(text, found.index, name, quote)) continue;
      // In a list, only the item after an option or a header is a value, not the next of several names.
      if (sign?.includes(',') && !isListed(text, found.index, name, at)) continue;
      if (isName(name)) isNamed = isSecret(wordAt(text, at));
      const isOfNamed = isNamed && isValue(name);
      const bareName = name.replace(/^-+/, '');
      const isOfKubernetes = name === 'data' && sign?.includes(':') && kubernetes.test(text);
      if (!isOfNamed && !isOfKubernetes && !isSecret(bareName)) continue;
      if (sign?.includes(':') && matchAt(type, text, at)) continue;
      const value = valueAt(text, at, { before: found.index, name, sign });
      const plain = text.slice(value.start, value.end);
      if (isPlain(plain.replace(/[;,)\]}\s]+$/, ''))) continue;
      if (!isOfNamed && !isOfKubernetes && !isSecret(bareName, plain)) continue;
      shown += `${text.slice(from, value.start)}${value.quote}${redacted}${value.quote}`;
      from = value.end;
      keys.lastIndex = from;
    }
    return `${shown}${text.slice(from)}`;
  };
}

/** A Kubernetes secret holds secrets under arbitrary names. */
const kubernetes = /^[ \t]*(?:- )?kind:[ \t]*["']?Secret\b/m;

const listed = /^-|^(?:(?:proxy-)?authorization|(?:set-)?cookie|x-[\w-]+)$/i;

/**
 * Whether the next item of a list is the value of this one: of an option, a header or the first argument of a
 * call.
 */
const isListed = (text: string, before: number, name: string, at: number): boolean =>
  (listed.test(name) || /\(\\*["'`]$/.test(text.slice(Math.max(0, before - 20), before))) &&
  matchAt(/\\*(["'`])[^"'`\n]{0,200}["'`]\s*:/y, text, at) === null;

/** Matches a type in the place of a value. */
const type =
  /(?:string|number|boolean|bool|any|unknown|str|int|object|bytes|none|null|undefined)(?:\[\])?(?:\s*\|\s*(?:string|null|undefined|none))*(?=\s*(?:[;,)}>\]]|$))/iy;

/** Matches the end of a style of Markdown or of a terminal. */
const styled = String.raw`(?:\*{1,2}|(?:\u001B|\\+u001b|\\+x1b|\\+033|\\+e)\[[\d;]{0,8}m)?`;

/** Names of two words, and names in other languages. */
const spaced = String.raw`(?:api|access|secret|private|signing|encryption) keys?|pass (?:word|phrase|code)s?|(?:one-time|verification|security|2fa|mfa|recovery|backup) codes?|contraseña|mot de passe|пароль|密码|密碼|パスワード|비밀번호`;

/** Matches words that are followed by a name and its value without a sign between them. */
const setsNext =
  /(?:^|[\s;&|(])(?:setenv|setx|set(?:\s+-\w+)*|env|arg|config set(?:\s+-\w+)*|identified by|requirepass|login\s+\S+|login\s+\S+\s+account\s+\S+)\s+(?:\S{0,200}[/:.])?$/i;

/**
 * Whether the text after a name without a sign is its value: that of an option or of setenv, or a quoted
 * text.
 */
const isTakenBare = (text: string, at: number, name: string, quote: string | undefined): boolean =>
  name.startsWith('-') ||
  quote !== undefined ||
  (setsNext.test(text.slice(Math.max(0, at - 120), at)) &&
    matchAt(/\s+-/y, text, at + name.length) === null);

interface Assigned {
  /** The offset at which its key begins. */
  readonly before: number;
  readonly name: string;
  /** The sign between key and value; a command option has none. */
  readonly sign: string | undefined;
}

/** The start and end of a value, and the quotes that must be added to it; its own quotes are kept. */
interface Value {
  readonly quote: string;
  readonly start: number;
  readonly end: number;
}

function valueAt(text: string, at: number, { before, name, sign }: Assigned): Value {
  const block = sign === undefined ? undefined : blockAt(text, at, before, sign);
  if (block !== undefined) return block;
  const quoted = matchAt(/[@$]?[bfru$]{0,2}(\\*)(["'`])/iy, text, at);
  if (quoted) {
    const [opening, slashes = '', mark = ''] = quoted;
    return quotedAt(text, at + opening.length, slashes, mark);
  }
  const here = hereDocument(text, at);
  if (here !== undefined) return { quote: '', start: at, end: here };
  const [quote = ''] = /^\\*["'`]/.exec(sign ?? '') ?? [];
  if (/[[{]/.test(text.charAt(at))) return { quote, start: at, end: endOfBracket(text, at) };
  if (quote) return { quote, start: at, end: at + matchAt(/[^\s"'`,}\]]*/y, text, at)![0].length };
  if (/^(?:%22)?%3/.test(sign ?? ''))
    return {
      quote: '',
      start: at,
      end: at + matchAt(/(?:(?!%26)[^\s"'`&])*/iy, text, at)![0].length,
    };
  // The value of a header or a phrase extends to the end of the line; that of a shell assignment is one word.
  if (
    sign !== undefined &&
    (!/^(?:=|\]=|%5D=)$/i.test(sign) ||
      isProperty(text, before, name) ||
      /(?:cookie|authorization)s?$/i.test(name))
  )
    return { quote: '', start: at, end: endOfLine(text, at, before) };
  const word = /(?:[^\s"'`&|;)}\]\\]|\\+(?!["'`\\])[^]|(?<=[\w.-])(["'])\w[^\s"'`]*\1)*/y;
  return { quote: '', start: at, end: at + matchAt(word, text, at)![0].length };
}

/**
 * Returns a value whose opening quote is before `start`, together with everything that is joined to it: three
 * quotes as Python and TOML have them, doubled quotes, `'a'"'"'b'` of a shell, and `"a" + "b"`.
 */
function quotedAt(text: string, start: number, slashes: string, mark: string): Value {
  const one = `${slashes}${mark}`;
  if (text.startsWith(one + one, start)) {
    const inner = start + 2 * one.length;
    const closing = text.indexOf(one.repeat(3), inner);
    return { quote: '', start: inner, end: closing === -1 ? text.length : closing };
  }
  let end = endOfQuoted(text, start, slashes.length, mark);
  for (;;) {
    const after = end + one.length;
    const isDoubled = end > start && text.startsWith(one, after);
    const joint = isDoubled ? null : matchAt(joined, text, after);
    if (!isDoubled && joint === null) return { quote: '', start, end };
    const next = isDoubled ? after + one.length : after + joint![0].length;
    end = endOfQuoted(text, next, slashes.length, joint?.[1] ?? joint?.[2] ?? mark);
  }
}

/** Matches what joins a quoted text to the next one, including the quote that opens that one. */
const joined = /\s{0,4}\+\s{0,40}\\*(["'`])|"'"(')/y;

/** Returns the end of a shell's here-document that is the value, such as `$(cat <<EOF`. */
function hereDocument(text: string, at: number): number | undefined {
  const [opening, label = '', line = ''] =
    matchAt(
      /\$\(\s{0,4}cat\s{1,4}<<-?\s{0,4}\\*["']?(\w{1,40})\\*["']?[^\n\\]{0,80}(\n|\\+n)/y,
      text,
      at,
    ) ?? [];
  if (opening === undefined) return undefined;
  const closing = text.indexOf(`${line}${label}`, at + opening.length - line.length);
  return closing === -1 ? text.length : closing + line.length + label.length;
}

/** Whether it is a line of a properties file: no shell allows names with dots. */
const isProperty = (text: string, before: number, name: string): boolean =>
  /^[a-z][\w-]*\./i.test(name) && (before === 0 || text.charAt(before - 1) === '\n');

/**
 * Returns the value that a YAML key has below it: a block scalar, a list, or a value on the next line.
 * Undefined if nothing is indented deeper than the key.
 */
function blockAt(text: string, at: number, before: number, sign: string): Value | undefined {
  const scalar = matchAt(/[|>][-+\d]{0,2}[ \t]*(?:#[^\n]*)?\r?\n/y, text, at);
  const isBelow = scalar !== null || /:\s*\n/.test(sign);
  if (!isBelow) return undefined;
  const start = scalar ? at : before + text.slice(before, at).search(/\n/) + 1;
  const first = scalar ? at + scalar[0].length : start;
  const lineStart = text.lastIndexOf('\n', before - 1) + 1;
  const depth = matchAt(/[ \t]*(?:-[ \t]+)*/y, text, lineStart)![0].length;
  let end = first;
  for (const line = /([ \t]*)([^\n]*)(?:\n|$)/y; end < text.length;) {
    line.lastIndex = end;
    const [whole = '', indent = '', rest = ''] = line.exec(text) ?? [];
    const isItem = !scalar && indent.length === depth && rest.startsWith('- ');
    if (rest.trim() !== '' && indent.length <= depth && !isItem) break;
    if (whole === '') break;
    end += whole.length;
  }
  if (text.slice(first, end).trim() === '') return undefined;
  const last = text.charAt(end - 1) === '\n' ? end - 1 : end;
  const indent = scalar ? 0 : matchAt(/[ \t]*/y, text, first)![0].length;
  return { quote: '', start: start + indent, end: last };
}

/** Returns the end of the line, or that of the quoted text that the key is in. */
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
 * Returns the offset of the closing quote. Each level of JSON within JSON doubles the backslashes before a
 * quote and adds one, so their number tells whether a quote belongs to this level.
 */
function endOfQuoted(text: string, from: number, slashes: number, mark: string): number {
  for (let at = from; (at = text.indexOf(mark, at)) !== -1; at++) {
    let run = 0;
    while (at - run > from && text.charAt(at - run - 1) === '\\') run++;
    if (run <= slashes || run % (2 * (slashes + 1)) === slashes) return at - Math.min(run, slashes);
  }
  return text.length;
}

/** Returns the offset after the bracket that closes the one here; brackets within quotes do not count. */
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
  matchAt(/\\*["'`]?([\w./-]{1,200})/y, text, at)?.[1] ?? '';

function matchAt(sticky: RegExp, text: string, at: number): RegExpExecArray | null {
  sticky.lastIndex = at;
  return sticky.exec(text);
}

const escaped = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);
