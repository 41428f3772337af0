import { isUtf8 } from 'node:buffer';
import { messageOf } from '../../base/message-of.ts';
import { TopTexts } from './top-texts.ts';
import { isRecord, isTooDeep, mostBytes, overDepth, overSize } from '../../base/json.ts';

type Fields = Readonly<Record<string, unknown>>;

/** An event as it came from outside. */
export interface EventInput {
  /** What it is called in messages. */
  readonly name: string;
  /** Its fields; if it cannot be judged, those texts among them that could be read. */
  readonly given: Fields;
  /** Why it cannot be judged. */
  readonly fault?: string;
  /** The fault is its size. */
  readonly isTooLarge?: true;
}

/** Returns the JSON object that a text is, or what is wrong with it. */
export function objectIn(text: string): { readonly object: Fields } | { readonly fault: string } {
  if (text.trim() === '') return { fault: 'is empty: give it one JSON object, such as {}' };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { fault: `is not valid JSON: ${messageOf(error)}` };
  }
  // Hooks could not receive it, and an agent must not take that for a yes.
  if (isTooDeep(text)) return { fault: overDepth };
  if (isRecord(value)) return { object: value };
  const kind = Array.isArray(value) ? 'an array' : JSON.stringify(value).slice(0, 40);
  return { fault: `must hold one JSON object, but holds ${kind}` };
}

/** Takes an event piece by piece; of one that is too large, only the texts at its top are kept. */
export class EventReader {
  readonly #name: string;
  #chunks: Buffer[] = [];
  #size = 0;
  #texts: TopTexts | undefined;

  constructor(name: string) {
    this.#name = name;
  }

  take(chunk: Buffer): void {
    this.#size += chunk.length;
    if (this.#size <= mostBytes) this.#chunks.push(chunk);
    else this.#textsSoFar().take(chunk);
  }

  /** What was read; `fault` says why there is no more. */
  end(fault?: string): EventInput {
    const name = this.#name;
    const failed = (why: string): EventInput => ({
      name,
      given: this.#textsSoFar().fields,
      fault: `${name} ${why}`,
    });
    if (fault !== undefined) return failed(fault);
    if (this.#texts !== undefined) return { ...failed(overSize), isTooLarge: true };
    const bytes = Buffer.concat(this.#chunks);
    // Hooks would judge another text than the one that was given.
    if (!isUtf8(bytes)) return failed('is not valid UTF-8');
    const text = bytes.toString('utf8').replace(/^\uFEFF/, '');
    const read = objectIn(text);
    return 'fault' in read ? failed(read.fault) : { name, given: read.object };
  }

  #textsSoFar(): TopTexts {
    if (this.#texts === undefined) {
      this.#texts = new TopTexts();
      for (const chunk of this.#chunks) this.#texts.take(chunk);
      this.#chunks = [];
    }
    return this.#texts;
  }
}
