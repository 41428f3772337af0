import type { IncomingMessage } from 'node:http';
import { EventReader, type EventInput } from '../../hosts/parts/event-input.ts';
import { mostBytes, overSize } from '../../base/json.ts';
import { errorOf } from '../../base/message-of.ts';

/** Returns the event in a request's body; rejects if the signal is aborted before all has come. */
export async function bodyOf(request: IncomingMessage, signal: AbortSignal): Promise<EventInput> {
  const reader = new EventReader('the body');
  const saysTooLarge = Number(request.headers['content-length'] ?? 0) > mostBytes;
  let size = 0;
  let isTooLarge = false;
  // Not read with an iterator, whose early end would end the connection before the host is answered.
  return new Promise((resolve, reject) => {
    request.on('data', (chunk: Buffer) => {
      if (isTooLarge) return;
      size += chunk.length;
      reader.take(chunk);
      // Hosts name the event before what a model chose, so the first piece shows what must be denied.
      isTooLarge = saysTooLarge || size > mostBytes;
      if (isTooLarge) resolve({ ...reader.end(overSize), isTooLarge });
    });
    request.once('end', () => resolve(reader.end()));
    request.once('error', reject);
    signal.addEventListener('abort', () => reject(errorOf(signal.reason)), { once: true });
  });
}
