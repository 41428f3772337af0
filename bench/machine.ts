import { readFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, release, totalmem, type } from 'node:os';

/** What the numbers were measured on. */
export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly memoryGB: number;
  readonly system: string;
  readonly node: string;
  /** The load when the run began: above 0.5, others were at work. */
  readonly load: number;
}

export const describeMachine = (): Machine => ({
  cpu: cpus()[0]?.model.trim() ?? 'unknown',
  cores: availableParallelism(),
  memoryGB: Math.round(totalmem() / 2 ** 30),
  system: `${type()} ${release().split('-')[0]}`,
  node: process.version,
  load: Math.round((loadavg()[0] ?? 0) * 10) / 10,
});

/** The version in a package's own file. */
export const versionIn = (file: URL): string =>
  (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
