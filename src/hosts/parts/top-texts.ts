type Fields = Readonly<Record<string, unknown>>;

const code = (character: string): number => character.charCodeAt(0);
const quote = code('"');
const backslash = code('\\');
const opening: ReadonlySet<number> = new Set([code('{'), code('[')]);
const closing: ReadonlySet<number> = new Set([code('}'), code(']')]);
const colon = code(':');

/** Longer keys and texts are left out, in bytes. */
const longest = 4_096;

/**
 * Collects the texts that are fields of a JSON object, for one that cannot be parsed: broken, cut off, too
 * deep or too large. Takes it in pieces, and keeps nothing else of it.
 */
export class TopTexts {
  readonly #found = new Map<string, string>();
  #depth = 0;
  /** The string that is being read, with its first quote. */
  #string: number[] | undefined;
  #isEscaped = false;
  /** The last string at the top, and the key that a colon made of it. */
  #last: string | undefined;
  #key: string | undefined;

  get fields(): Fields {
    return Object.fromEntries(this.#found);
  }

  take(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; at++)
      if (this.#string === undefined) this.#betweenStrings(bytes[at]!);
      else this.#inString(bytes[at]!);
  }

  #betweenStrings(byte: number): void {
    if (byte === quote) this.#string = [quote];
    else if (opening.has(byte)) this.#depth++;
    else if (closing.has(byte)) this.#depth--;
    else if (this.#depth === 1 && byte === colon) this.#key = this.#last;
    else if (this.#depth === 1 && byte > 0x20) this.#key = undefined;
  }

  #inString(byte: number): void {
    const string = this.#string!;
    if (this.#depth === 1 && string.length < longest) string.push(byte);
    if (this.#isEscaped) this.#isEscaped = false;
    else if (byte === backslash) this.#isEscaped = true;
    else if (byte === quote) this.#endString(string);
  }

  #endString(string: readonly number[]): void {
    this.#string = undefined;
    if (this.#depth !== 1) return;
    const text = parsed(string);
    if (this.#key !== undefined && text !== undefined) this.#found.set(this.#key, text);
    this.#last = this.#key === undefined ? text : undefined;
    this.#key = undefined;
  }
}

function parsed(string: readonly number[]): string | undefined {
  try {
    return JSON.parse(Buffer.from(string).toString()) as string;
  } catch {
    // It is too long, or has escapes that JSON does not allow.
    return undefined;
  }
}
