import { linesOf } from './lines.ts';

/** An event in a stream that a server sends over HTTP. */
export interface ServerEvent {
  readonly data: string;
  readonly type?: string;
  /** The place from which the stream can be resumed. */
  readonly id?: string;
  /** How long to wait before that, in ms. */
  readonly retry?: number;
}

/** Reads a stream of server-sent events; an incomplete event is dropped. */
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
