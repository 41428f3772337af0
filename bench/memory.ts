import { memoryUsage } from 'node:process';

/** Bytes that live objects and Buffers occupy. Needs `--expose-gc`. */
export function bytesInUse(): number {
  const collect = globalThis.gc;
  if (collect === undefined) throw new Error('memory is measured with --expose-gc');
  for (let times = 0; times < 3; times++) collect();
  const { heapUsed, external } = memoryUsage();
  return heapUsed + external;
}
