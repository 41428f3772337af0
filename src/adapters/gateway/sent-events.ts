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
  #rest: Buffer = Buffer.alloc(0);

  /** The bytes up to the end of the last whole event. */
  add(chunk: Buffer): Buffer {
    const all = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    const end = endOf(all);
    this.#rest = all.subarray(end);
    return all.subarray(0, end);
  }

  /** What is left when the stream ended by itself. */
  rest(): Buffer {
    return this.#rest;
  }
}

/** Where the last event ends: after an empty line. */
function endOf(bytes: Buffer): number {
  const plain = bytes.lastIndexOf('\n\n');
  const windows = bytes.lastIndexOf('\r\n\r\n');
  return Math.max(plain === -1 ? 0 : plain + 2, windows === -1 ? 0 : windows + 4);
}
