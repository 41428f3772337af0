import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeFolder } from '../../base/folders.ts';
import { sourceIn } from '../../settings/bundles/bundled-hooks.ts';
import type { BundleFiles } from '../../settings/bundles/files.ts';
import { settingsName } from '../../settings/bundles/manifest.ts';
import { readSettings } from '../../settings/bundles/settings.ts';
import { writeFiles } from '../../settings/bundles/write-files.ts';
import { hookmachine } from '../../hosts/hookmachine/index.ts';
import { HookSystem } from '../../hosts/system/hook-system.ts';
import type { HookSystemConfig } from '../../hosts/system/hook-system-config.ts';
import type { Judged } from '../../workbench/hooktests/junit.ts';
import type { BundlePlace } from '../../core/definitions/settings.ts';
import { judgeTests } from '../../workbench/hooktests/judge-tests.ts';

/** Runs a bundle's own tests: in an empty project, as hooks of its level, and with no other hooks. */
export async function judgeBundle(
  folder: string,
  files: BundleFiles,
  source: BundlePlace['source'],
): Promise<readonly Judged[]> {
  const paths = [...files.keys()].filter((path) => path.endsWith('.hooktest.yaml')).toSorted();
  const from = sourceIn(folder, source, readSettings(files.get(settingsName)!.bytes));
  return inEmptyFolder((project) =>
    judgeTests(
      paths.map((path) => join(folder, path)),
      project,
      { configFor: (named, warn) => configOf(from, project, named, warn) },
      folder,
    ),
  );
}

/** Does the same for a bundle that is not installed, in a temporary folder of its own. */
export const judgeFiles = (
  files: BundleFiles,
  source: BundlePlace['source'],
): Promise<readonly Judged[]> =>
  inEmptyFolder((around) => {
    const folder = join(around, 'bundle');
    makeFolder(folder);
    writeFiles(folder, files);
    return judgeBundle(folder, files, source);
  });

async function inEmptyFolder<Result>(work: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'hookmachine-policy-')));
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function configOf(
  from: ReturnType<typeof sourceIn>,
  project: string,
  named: string | undefined,
  warn: (line: string) => void,
): HookSystemConfig {
  const sessionId = crypto.randomUUID();
  const config: HookSystemConfig = {
    getEnableHooks: () => true,
    getHooks: () => undefined,
    getHookSources: () => [from],
    getDialects: () => [hookmachine],
    getDisabledHooks: () => [],
    getSessionId: () => sessionId,
    getWorkingDir: () => project,
    runsElsewhere: ({ name }) => named !== undefined && name !== named,
    onWarning: warn,
    getHookSystem: () => system,
  };
  const system = new HookSystem(config);
  return config;
}
