import { EventQueue } from '../../agent/loop/event-queue.ts';
import { onAbort } from '../../core/run/run-machine.ts';

/** Streams what `work` pushes, as it is pushed; `work` is aborted when nobody reads any more. */
export async function* streamed<Event>(
  given: AbortSignal | undefined,
  work: (queue: EventQueue<Event>, signal: AbortSignal) => Promise<void>,
): AsyncGenerator<Event, void> {
  const abort = new AbortController();
  const stopListening = given && onAbort(given, () => abort.abort(given.reason));
  if (given?.aborted) abort.abort(given.reason);
  const queue = new EventQueue<Event>(async () => {
    abort.abort(new Error('the stream is no longer being read'));
  });
  let failure: { readonly error: unknown } | undefined;
  const worked = work(queue, abort.signal)
    .catch((error: unknown) => {
      failure = { error };
    })
    .finally(() => queue.end());
  try {
    yield* queue;
    await worked;
    if (failure) throw failure.error;
  } finally {
    stopListening?.();
  }
}
