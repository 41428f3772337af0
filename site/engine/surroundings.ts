import { Buffer } from 'buffer';
import { builtin } from './node-modules.ts';

/* What code for Node.js expects to be there, before any of it is loaded. */

const nothing = (): undefined => undefined;

Object.assign(globalThis, {
  Buffer,
  setImmediate: (work: () => void) => setTimeout(work, 0),
  process: {
    env: {},
    argv: [],
    execArgv: [],
    execPath: '/usr/bin/node',
    features: {},
    pid: 1,
    platform: 'linux',
    versions: { node: '24.0.0' },
    cwd: () => '/project',
    // The owner of all files.
    getuid: () => 0,
    getBuiltinModule: builtin,
    hrtime: Object.assign(nothing, { bigint: () => BigInt(Math.round(performance.now() * 1e6)) }),
    nextTick: (work: (...given: unknown[]) => void, ...given: unknown[]) =>
      queueMicrotask(() => work(...given)),
    emitWarning: nothing,
    on: nothing,
    once: nothing,
    off: nothing,
    stderr: { write: (text: string) => console.warn(text) },
    stdout: { write: (text: string) => console.log(text) },
  },
});
