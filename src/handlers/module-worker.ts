/*
 * The code that runs in the worker thread of a module hook. It is a string, so that no file has to accompany
 * a bundle.
 *
 * The number of the call that was begun last is kept in shared memory: when the thread ends, its host knows
 * which calls the module has never seen.
 */

/** What a worker is started with. */
export interface WorkerData {
  readonly url: string;
  readonly cwd: string;
  readonly begun: Int32Array;
  readonly longestAnswer: number;
}

/** What a worker receives. */
export type ToWorker =
  | { readonly type: 'call'; readonly id: number; readonly input: string }
  /** Nobody waits for this call any more; the worker must show that it still listens. */
  | { readonly type: 'abort'; readonly id: number };

/** What a worker sends. */
export type FromWorker =
  | { readonly type: 'loaded' }
  | {
      readonly type: 'answered';
      readonly id: number;
      readonly answer?: string;
      readonly error?: string;
      /** What the module has printed. */
      readonly printed: string;
    }
  | { readonly type: 'listening'; readonly id: number };

export const workerSource = `
'use strict';
const { parentPort, workerData } = require('node:worker_threads');
const { url, cwd, begun, longestAnswer } = workerData;
process.cwd = () => cwd;
let printed = '';
for (const stream of [process.stdout, process.stderr])
  stream.write = (chunk, encoding, done) => {
    if (printed.length < 65536) printed += Buffer.from(chunk).toString().slice(0, 65536);
    const called = typeof encoding === 'function' ? encoding : done;
    if (called) queueMicrotask(called);
    return true;
  };
const textOf = (thrown) =>
  typeof thrown?.message === 'string' ? thrown.message || String(thrown.name) : String(thrown);
const load = async () => {
  const found = await import(url);
  const hook = [found.default, found.hook, found.default?.default, found.default?.hook].find(
    (one) => typeof one === 'function',
  );
  if (hook === undefined)
    throw new Error('it exports no function; export one as default, or as "hook"');
  parentPort.postMessage({ type: 'loaded' });
  return hook;
};
const loading = load();
loading.catch(() => undefined);
const aborts = new Map();
const answer = async (id, input) => {
  const hook = await loading;
  const abort = new AbortController();
  aborts.set(id, abort);
  Atomics.store(begun, 0, id);
  const said = await hook(JSON.parse(input), { signal: abort.signal });
  if (said === undefined || said === null) return '';
  if (typeof said !== 'object' || Array.isArray(said))
    throw new Error(
      'it answered with ' + (Array.isArray(said) ? 'an array' : 'a ' + typeof said) + '; return an object, or nothing',
    );
  const text = JSON.stringify(said);
  if (text === undefined) throw new Error('its answer has no JSON form; return plain data');
  if (Buffer.byteLength(text) > longestAnswer)
    throw new Error('its answer is over 10 MiB; answer with less');
  return text;
};
parentPort.on('message', ({ type, id, input }) => {
  if (type === 'abort') {
    aborts.get(id)?.abort(new Error('this hook is no longer waited for'));
    return parentPort.postMessage({ type: 'listening', id });
  }
  const tell = (said) => {
    aborts.delete(id);
    parentPort.postMessage({ type: 'answered', id, printed, ...said });
    printed = '';
  };
  answer(id, input).then(
    (answer) => tell({ answer }),
    (error) => tell({ error: textOf(error) }),
  );
});
`;
