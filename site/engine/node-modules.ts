import { sha256 } from '@noble/hashes/sha2.js';
import { dequal } from 'dequal';

/*
 * What the engine uses of Node.js besides files. What a browser cannot do fails when it is used: no hook of the
 * playground is a process, a server or a thread.
 */

const missing = (name: string) =>
  function unavailable(): never {
    throw new Error(`${name} is not available in a browser`);
  };

// os
export const homedir = (): string => '/home/you';
export const tmpdir = (): string => '/tmp';
export const hostname = (): string => 'browser';
export const userInfo = () => ({ uid: 0, gid: 0, username: 'you', homedir: homedir() });
export const devNull = '/dev/null';

// util
export const isDeepStrictEqual = dequal;
export const types = {
  isProxy: () => false,
  isNativeError: (value: unknown) => value instanceof Error,
};
export const inspect = (value: unknown): string => {
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    return String(value);
  }
};
export const format = (...values: readonly unknown[]): string => values.map(String).join(' ');

// crypto
export const randomUUID = (): string => crypto.randomUUID();
const bytesOf = (data: string | Uint8Array): Uint8Array =>
  typeof data === 'string' ? new TextEncoder().encode(data) : data;

/** Nothing here is hashed with anything but SHA-256. */
export function createHash(_name: string) {
  const all = sha256.create();
  const summing = {
    update: (data: string | Uint8Array) => {
      all.update(bytesOf(data));
      return summing;
    },
    digest: (encoding?: BufferEncoding) => {
      const sum = Buffer.from(all.digest());
      return encoding === undefined ? sum : sum.toString(encoding);
    },
  };
  return summing;
}
export const hash = (name: string, data: string | Uint8Array, encoding: BufferEncoding = 'hex') =>
  createHash(name).update(data).digest(encoding);
export const createHmac = missing('crypto.createHmac');
export const createPublicKey = missing('crypto.createPublicKey');
export const hkdfSync = missing('crypto.hkdfSync');
export const timingSafeEqual = missing('crypto.timingSafeEqual');
export const verify = missing('crypto.verify');

// url
export const fileURLToPath = (url: string | URL): string => new URL(url).pathname;
export const pathToFileURL = (path: string): URL => new URL(`file://${path}`);

// What starts programs, threads and requests
export const execFile = missing('child_process.execFile');
export const spawn = missing('child_process.spawn');
export const createRequire = missing('module.createRequire');
export const Agent = missing('http.Agent');
export const request = missing('http.request');
export const lookup = missing('dns.lookup');
export const isIP = (): number => 0;
export const BlockList = class {
  addSubnet(): void {}
  addAddress(): void {}
  check(): boolean {
    return false;
  }
};
export const Worker = missing('worker_threads.Worker');
export const MessageChannel = globalThis.MessageChannel;
export const receiveMessageOnPort = missing('worker_threads.receiveMessageOnPort');
export const setTimeout = (time: number): Promise<void> =>
  new Promise((resolve) => globalThis.setTimeout(resolve, time));

/** Runs at most as long as the tab lets it. */
export const createContext = (context: object): object => context;
export const Script = class {
  runInContext({ work }: { readonly work: () => unknown }): unknown {
    return work();
  }
};

const all: Readonly<Record<string, object>> = {
  'node:crypto': { createHash, randomUUID },
  'node:util': { inspect, format },
  'node:vm': { createContext, Script },
};

/** `process.getBuiltinModule`. */
export const builtin = (name: string): object | undefined => all[name];
