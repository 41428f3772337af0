import type { Dialect } from '../dialects/dialect.ts';
import { knownDialects } from '../dialects/index.ts';
import { findAllHooks } from '../hooks/find-hooks.ts';
import { HookRegistry } from '../hooks/hook-registry.ts';
import { settingsConfig } from '../hooks/settings-config.ts';
import type { HookFingerprint } from '../trust/trusted-hook.ts';
import { missingGuards, missingLine } from './missing-guards.ts';

/** Dialects whose hooks are trusted: one of each family, for those of a family find the same. */
const dialects: readonly Dialect[] = knownDialects.filter(
  ({ family }, index) => knownDialects.findIndex((other) => other.family === family) === index,
);

/** One line on the guards of a project that have gone, changed or been disabled since they were trusted; undefined where none has. */
export async function missingLineIn(
  cwd: string,
  trusted: readonly HookFingerprint[],
): Promise<string | undefined> {
  const options = { cwd, onWarning: () => undefined };
  const config = { ...settingsConfig(options, () => dialects), getHookSystem: () => undefined };
  const found = await findAllHooks(config, dialects, () => false);
  return missingLine(missingGuards(trusted, config, new HookRegistry(config, found)));
}
