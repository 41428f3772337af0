import type { MessagePort } from 'node:worker_threads';
import { isRecord } from '../base/json.ts';

/*
 * The code that runs in the worker thread of a module hook. It is a string, so that no file has to accompany
 * a bundle.
 *
 * The number of the call that was begun last is kept in shared memory: when the thread ends, its host knows
 * which calls the module has never seen.
 *
 * The module, and every library that it loads, shares the thread with this code. It gets none of what leads
 * to the host: the port of the thread is closed, our own port is private, and what is needed later is taken
 * before the module is loaded. Still, nothing that comes out of the thread is believed unchecked.
 */

/** What a worker is started with. */
export interface WorkerData {
  readonly url: string;
  readonly cwd: string;
  readonly begun: Int32Array;
  readonly longestAnswer: number;
  /** Leads to the host. */
  readonly port: MessagePort;
  /** How types are stripped, where Node.js does not do that: the module loader's hooks, and the package. */
  readonly typescript?: { readonly loader: string; readonly stripper: string };
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
      /** An object as JSON; '' for no opinion, or if there is an error. */
      readonly answer: string;
      readonly error?: string;
      /** What the module has printed. */
      readonly printed: string;
    }
  | { readonly type: 'listening'; readonly id: number };

/** Returns what a worker has sent, if it is something that a worker sends. */
export function readMessage(sent: unknown): FromWorker | undefined {
  if (!isRecord(sent)) return undefined;
  const { type, id, answer = '', error, printed } = sent;
  if (type === 'loaded') return { type };
  if (typeof id !== 'number') return undefined;
  if (type === 'listening') return { type, id };
  if (type !== 'answered' || typeof answer !== 'string' || typeof printed !== 'string')
    return undefined;
  if (typeof error === 'string') return { type, id, answer: '', error, printed };
  return error === undefined && isAnswer(answer) ? { type, id, answer, printed } : undefined;
}

function isAnswer(text: string): boolean {
  if (text === '') return true;
  try {
    return isRecord(JSON.parse(text));
  } catch {
    return false;
  }
}

export const workerSource = `
'use strict';
const { parentPort, workerData } = require('node:worker_threads');
const { url, cwd, begun, longestAnswer, port, typescript } = workerData;
for (const name of Object.keys(workerData)) delete workerData[name];
parentPort.close();
process._getActiveHandles = () => [];
const post = port.postMessage.bind(port);
const { parse, stringify } = JSON;
const { store } = Atomics;
const { byteLength } = Buffer;
process.cwd = () => cwd;
let printed = '';
for (const stream of [process.stdout, process.stderr])
  stream.write = (chunk, encoding, done) => {
    if (printed.length < 65536) printed += Buffer.from(chunk).toString().slice(0, 65536);
    const called = typeof encoding === 'function' ? encoding : done;
    if (called) queueMicrotask(called);
    return true;
  };
const textOf = (thrown) => {
  try {
    return typeof thrown?.message === 'string'
      ? thrown.message || String(thrown.name)
      : String(thrown);
  } catch {
    return 'it threw something that cannot be shown';
  }
};
const load = async () => {
  if (typescript) {
    const { register } = require('node:module');
    register(typescript.loader, { data: typescript.stripper });
  }
  const found = await import(url);
  const hook = [found.default, found.hook, found.default?.default, found.default?.hook].find(
    (one) => typeof one === 'function',
  );
  if (hook === undefined)
    throw new Error('it exports no function; export one as default, or as "hook"');
  post({ type: 'loaded' });
  return hook;
};
const loading = load();
loading.catch(() => undefined);
const aborts = new Map();
const answer = async (id, input) => {
  const hook = await loading;
  const abort = new AbortController();
  aborts.set(id, abort);
  store(begun, 0, id);
  const said = await hook(parse(input), { signal: abort.signal });
  if (said === undefined || said === null) return '';
  if (typeof said !== 'object' || Array.isArray(said))
    throw new Error(
      'it answered with ' + (Array.isArray(said) ? 'an array' : 'a ' + typeof said) + '; return an object, or nothing',
    );
  const text = stringify(said);
  if (text === undefined) throw new Error('its answer has no JSON form; return plain data');
  if (byteLength(text) > longestAnswer)
    throw new Error('its answer is over 10 MiB; answer with less');
  return text;
};
port.on('message', ({ type, id, input }) => {
  if (type === 'abort') {
    aborts.get(id)?.abort(new Error('this hook is no longer waited for'));
    return post({ type: 'listening', id });
  }
  const tell = (said) => {
    aborts.delete(id);
    post({ type: 'answered', id, printed, ...said });
    printed = '';
  };
  answer(id, input).then(
    (answer) => tell({ answer }),
    (error) => tell({ error: textOf(error) }),
  );
});
`;
