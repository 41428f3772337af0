import { redactor } from '../../../settings/redaction/redactor.ts';
import { parsed } from '../formats/shared.ts';
import { redacted } from '../../../settings/redaction/secrets.ts';

/** How much of a text is examined at once, in characters: no more is examined as a whole. */
const windowSize = 30_000;

/** The shortest part of several words that may be a secret, in characters. */
const shortest = 8;

const { text: hide } = redactor();

/** Secrets of which nothing around says so. */
const ownShapes: readonly RegExp[] = [
  // A line of .pgpass.
  /^[^\s:#]+:\d{2,5}:[^\s:]+:[^\s:]+:(\S{4,})$/gm,
  /\bbot(\d{8,10}:AA[\w-]{30,})/g,
];

/**
 * Finds the secrets in a text, as they stand in it. What is code, and not the value itself, is no secret: the
 * model must be able to read and change it.
 */
export function secretsIn(text: string): string[] {
  const found = new Set<string>();
  const value = /^\s*[[{]/.test(text) ? parsed(text) : undefined;
  if (typeof value === 'object' && value !== null) return secretsInValue(value);
  for (const shape of ownShapes)
    for (const [, secret = ''] of text.matchAll(shape)) found.add(secret);
  for (const part of windowsOf(text))
    for (const span of spansIn(part)) for (const secret of partsOf(span)) found.add(secret);
  return [...found];
}

/** The secrets of a value that stands in a text as JSON, as they are and as they are written there. */
function secretsInValue(value: object): string[] {
  const found = Object.entries(value).flatMap(([key, one]: [string, unknown]) => {
    if (typeof one === 'string') {
      const named = Array.isArray(value) ? [] : secretsIn(`${key}=${one}`).filter((secret) => one.includes(secret)); // prettier-ignore
      return [...named, ...secretsIn(one)];
    }
    return typeof one === 'object' && one !== null ? secretsInValue(one) : [];
  });
  return [...new Set(found.flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1)]))];
}

/** A text in parts that can be examined; a private key stays whole. */
function* windowsOf(text: string): Generator<string> {
  let at = 0;
  while (text.length - at > windowSize) {
    const part = text.slice(at, at + windowSize);
    const begun = part.lastIndexOf('-----BEGIN ');
    const isOpen = begun > 0 && !part.includes('-----END ', begun);
    const line = part.lastIndexOf('\n') + 1;
    const length = isOpen ? begun : line > windowSize / 2 ? line : windowSize;
    yield part.slice(0, length);
    at += length;
  }
  yield text.slice(at);
}

/** What may differ between a text and what is shown of it: JSON may be written anew. */
const blank = /[\s\u00AD\u200B-\u200D\u2060\uFEFF]/;

/** A text without blanks, and where each of its characters stood. */
function dense(text: string): { readonly text: string; readonly places: readonly number[] } {
  const places = [...text.split('').keys()].filter((at) => !blank.test(text[at]!));
  return { text: places.map((at) => text[at]).join(''), places };
}

/** A span of a text that is not shown to anybody. */
interface Span {
  readonly text: string;
  /** It is the whole value of a string, or of a variable as in a file of them. */
  readonly isValue: boolean;
}

const spanOf = (text: string, from: number, to: number): Span => {
  const before = text.slice(Math.max(0, from - 80), from);
  const quote = before.at(-1) ?? '';
  const isQuoted = `"'\``.includes(quote) && quote !== '' && text[to] === quote;
  const isVariable = /(?:^|[\s\n])[A-Z][A-Z0-9_]*=$/.test(before);
  const isInAddress = text[to] === '@' && /:\/\/[^\s/@]*:?$/.test(before);
  return { text: text.slice(from, to), isValue: isQuoted || isVariable || isInAddress };
};

function spansIn(given: string): Span[] {
  const hidden = hide(given, Number.POSITIVE_INFINITY);
  if (hidden === given) return [];
  const { text, places } = dense(given);
  const kept = hidden.split(redacted).map((literal) => dense(literal).text);
  const spans: Span[] = [];
  let at = 0;
  for (const [place, literal] of kept.entries()) {
    const isLast = place === kept.length - 1;
    const next = isLast && place > 0 ? text.length - literal.length : text.indexOf(literal, at);
    // Something else was changed too.
    if (next < at || (place === 0 && next !== 0) || !text.startsWith(literal, next))
      return given.includes('\n')
        ? given.split('\n').flatMap(spansIn)
        : [spanOf(given, 0, given.length)];
    if (place > 0 && next > at) spans.push(spanOf(given, places[at]!, places[next - 1]! + 1));
    at = next + literal.length;
  }
  return spans;
}

const words =
  /^(?:undefined|null|none|nil|true|false|string|number|boolean|bytes|str|any|unknown|function|password|passwords|required|optional|disabled|base64url)$/i;

/** A name, or what code does to get a value. */
const expression =
  /^[!&*]?(?:await\s+|new\s+)?[A-Za-z_$][\w$]*(?:(?:\?\.|\.|::|->)[A-Za-z_$][\w$]*|\[[^\]\n]*\]|\([^)\n]*\))+[;,)\]}]*$/;

const reference = /^["']?(?:\$\{?\{?[\w.\s]+\}?\}?|%\w+%|<[\w\s-]+>?|\*+|x{3,}|\.{3,})["']?[;,]?$/i;

/** Whether part of a text looks random, so that it is no name. */
const hasRandom = (text: string): boolean =>
  (text.match(/[\w-]{16,}/g) ?? []).some(
    (part) =>
      /\d/.test(part) && /[A-Za-z]/.test(part) && !/^[a-z]+(?:[_-][a-z]+)*\d{0,3}$/i.test(part),
  );

const isCode = (text: string): boolean =>
  words.test(text) || reference.test(text) || (expression.test(text) && !hasRandom(text));

/** What names something: a path, an address, a header, a variable. */
const name =
  /^(?:[a-z]{2,}(?:[A-Z][a-z]{2,})+\d{0,3}|[A-Z][A-Z_]+|[a-z]+(?:-[a-z]+)+|--[\w-]+|urn:\S*|(?:https?:\/\/)?[\w-]+(?:\.[\w-]+)*\.[a-z]{2,6}\/\S*)[:;,]?$/;

/** Whether a word is the value itself. */
const isValue = (word: string, { isValue: isWhole }: Span): boolean =>
  !isCode(word) &&
  !name.test(word) &&
  (isWhole
    ? word.length > (/\d/.test(word) ? 3 : 7)
    : word.length >= 6 && /\w{4}/.test(word) && (/\d|[^\w\s]{2}/.test(word) || isMixed(word)));

/** The secrets of a span: all of it, or those of its words that look like one. */
function partsOf(span: Span): readonly string[] {
  const whole = span.text.trim();
  if (whole === '' || isCode(whole)) return [];
  if (whole.startsWith('-----BEGIN')) return [whole];
  if (!/\s/.test(whole)) return [stripped(whole)].filter((word) => isValue(word, span));
  if (span.isValue && !/[(){};=<>]/.test(whole) && !/^(?:bearer|basic|token)\s/i.test(whole))
    return [whole];
  return whole
    .split(/[\s"'`,;()<>{}]+/)
    .filter((word) => word.length >= shortest && (/\d/.test(word) || isMixed(word)) && isValue(word, { ...span, isValue: false })); // prettier-ignore
}

/** Whether a word has capitals in its middle, as no plain word has. */
const isMixed = (word: string): boolean => word.length >= 14 && /[a-z][A-Z].*[a-z][A-Z]/.test(word);

/** A value without what ends it in code. */
const stripped = (text: string): string => text.replace(/^["'`]+|["'`]*[;,)\]}]*["'`]*$/g, '');
