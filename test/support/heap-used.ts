import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');

/** Runs the garbage collector. */
export const collectGarbage = runInNewContext('gc') as () => void;

/** Bytes of live objects. */
export function heapUsed(): number {
  collectGarbage();
  collectGarbage();
  return process.memoryUsage().heapUsed;
}
