import { redactor } from '../../../settings/redaction/redactor.ts';
import { redacted } from '../../../settings/redaction/secrets.ts';

/** How much of a text is examined at once, in characters: no more is examined as a whole. */
const windowSize = 30_000;

/** The shortest part of several words that may be a secret, in characters. */
const shortest = 8;

const { text: hide } = redactor();

/**
 * Finds the secrets in a text, as they stand in it. What is code, and not the value itself, is no secret: the
 * model must be able to read and change it.
 */
export function secretsIn(text: string): string[] {
  const found = new Set<string>();
  for (const part of windowsOf(text))
    for (const span of spansIn(part)) for (const secret of partsOf(span)) found.add(secret);
  return [...found];
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

/** The spans of a text that are not shown to anybody. */
function spansIn(text: string): string[] {
  const hidden = hide(text, Number.POSITIVE_INFINITY);
  if (hidden === text) return [];
  const kept = hidden.split(redacted);
  const spans: string[] = [];
  let at = 0;
  for (const [place, literal] of kept.entries()) {
    const isLast = place === kept.length - 1;
    const next = isLast && place > 0 ? text.length - literal.length : text.indexOf(literal, at);
    // Something else was changed too, such as an invisible character.
    if (next < at || (place === 0 && next !== 0) || !text.startsWith(literal, next))
      return text.includes('\n') ? text.split('\n').flatMap(spansIn) : [text];
    if (place > 0) spans.push(text.slice(at, next));
    at = next + literal.length;
  }
  return spans;
}

const words =
  /^(?:undefined|null|none|nil|true|false|string|number|boolean|bytes|str|any|unknown)$/i;

/** A name, or what code does to get a value. */
const expression =
  /^[!&*]?(?:await\s+|new\s+)?[A-Za-z_$][\w$]*(?:(?:\?\.|\.|::|->)[A-Za-z_$][\w$]*|\[[^\]\n]*\]|\([^)\n]*\))+[;,)\]}]*$/;

const reference = /^["']?(?:\$\{?\{?[\w.\s]+\}?\}?|%\w+%|<[\w\s-]+>|\*+|x{3,}|\.{3,})["']?[;,]?$/i;

const isCode = (text: string): boolean =>
  words.test(text) || expression.test(text) || reference.test(text);

/** The secrets of a span: all of it, or those of its words that look like one. */
function partsOf(span: string): readonly string[] {
  const whole = span.trim();
  if (whole === '' || isCode(whole)) return [];
  if (whole.startsWith('-----BEGIN')) return [whole];
  const isProse = /\s/.test(whole);
  if (!isProse) return [stripped(whole)].filter((one) => one !== '' && !isCode(one));
  if (!/[(){};=<>]/.test(whole) && !/^(?:bearer|basic|token)\s/i.test(whole)) return [whole];
  return whole
    .split(/[\s"'`,;()<>{}]+/)
    .filter((word) => word.length >= shortest && /\d/.test(word) && !isCode(word));
}

/** A value without what ends it in code. */
const stripped = (text: string): string => text.replace(/^["'`]+|["'`]*[;,)\]}]*["'`]*$/g, '');
