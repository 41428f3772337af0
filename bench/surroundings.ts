import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Where everything runs: in a separate folder, without anybody's settings. */
export interface Surroundings {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

/** Runs a measurement in separate surroundings, and removes them afterwards. */
export async function withSurroundings<Result>(
  measure: (surroundings: Surroundings) => Promise<Result>,
): Promise<Result> {
  const root = mkdtempSync(join(tmpdir(), 'hookmachine-bench-'));
  const cwd = join(root, 'project');
  const home = join(root, 'home');
  for (const folder of [cwd, home]) mkdirSync(folder);
  const { PATH, LANG, BENCH_DIST } = process.env;
  const env = { PATH, LANG, BENCH_DIST, HOME: home, GEMINI_CLI_HOME: home };
  try {
    return await measure({ cwd, env });
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

/** Writes a project's settings. */
export function writeSettings(
  cwd: string,
  settings: object,
  folder: '.llxprt' | '.hookmachine' = '.llxprt',
): void {
  mkdirSync(join(cwd, folder), { recursive: true });
  writeFileSync(join(cwd, folder, 'settings.json'), JSON.stringify(settings));
}
