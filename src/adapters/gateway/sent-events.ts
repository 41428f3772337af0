import { createParser } from 'eventsource-parser';
import { isRecord } from '../../base/json.ts';
import type { StreamEvent } from './formats/format.ts';
import { parsed } from './formats/shared.ts';

/** Reads events from the bytes of a stream. */
export function eventReader(onEvent: (event: StreamEvent) => void): (chunk: Buffer) => void {
  const decoder = new TextDecoder();
  const parser = createParser({
    onEvent: ({ event, data }) => {
      const value = parsed(data);
      onEvent({
        ...(event !== undefined && { name: event }),
        data: isRecord(value) ? value : data,
      });
    },
  });
  return (chunk) => parser.feed(decoder.decode(chunk, { stream: true }));
}

/** An event as it is sent. */
export const writtenEvent = ({ name, data }: StreamEvent): string =>
  `${name === undefined ? '' : `event: ${name}\n`}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`;

/** Passes on only whole events, so that a stream that breaks off ends between two of them. */
export class WholeEvents {
  #rest: Buffer[] = [];

  /** The bytes up to the end of the last whole event. */
  add(chunk: Buffer): readonly Buffer[] {
    const end = this.#endIn(chunk);
    if (end === 0) {
      this.#rest.push(chunk);
      return [];
    }
    const whole = [...this.#rest, chunk.subarray(0, end)];
    this.#rest = end < chunk.length ? [chunk.subarray(end)] : [];
    return whole;
  }

  /** What is left when the stream ended by itself. */
  rest(): readonly Buffer[] {
    return this.#rest;
  }

  /** Where the last event ends in a chunk: after an empty line, which may have begun in the chunk before. */
  #endIn(chunk: Buffer): number {
    const before = this.#rest.at(-1)?.subarray(-3) ?? Buffer.alloc(0);
    const all = before.length === 0 ? chunk : Buffer.concat([before, chunk]);
    const plain = all.lastIndexOf('\n\n');
    const windows = all.lastIndexOf('\r\n\r\n');
    const end = Math.max(plain === -1 ? 0 : plain + 2, windows === -1 ? 0 : windows + 4);
    return Math.max(0, end - before.length);
  }
}
