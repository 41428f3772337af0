import { linesOf } from './lines.ts';

/** An event of a stream that a server sends over HTTP. */
export interface ServerEvent {
  readonly data: string;
  readonly type?: string;
  /** Where the stream can be taken up again. */
  readonly id?: string;
  /** After how long it may be, in ms. */
  readonly retry?: number;
}

/** Reads a stream of server-sent events; one that is not whole is none. */
export async function* eventsOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<ServerEvent> {
  let event: { data: string[]; type?: string; id?: string; retry?: number } = { data: [] };
  for await (const bytes of linesOf(chunks)) {
    const line = bytes.toString().replace(/\r?\n$/, '');
    if (line === '') {
      yield { ...event, data: event.data.join('\n') };
      event = { data: [] };
      continue;
    }
    const [, field, value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line)!;
    if (field === 'data') event.data.push(value);
    else if (field === 'event') event.type = value;
    else if (field === 'id') event.id = value;
    else if (field === 'retry' && /^\d+$/.test(value)) event.retry = Number(value);
  }
}
