import type { Dialect } from '../../core/dialects/dialect.ts';
import { knownDialects } from '../all/known.ts';
import { findAllHooks } from '../system/find-hooks.ts';
import { HookRegistry } from '../system/hook-registry.ts';
import { settingsConfig } from '../system/settings-config.ts';
import type { HookFingerprint } from '../../settings/trust/trusted-hook.ts';
import { missingGuards, missingLine } from './missing-guards.ts';

/** Dialects whose hooks are trusted: one of each family, since all of a family find the same hooks. */
const dialects: readonly Dialect[] = knownDialects.filter(
  ({ family }, index) => knownDialects.findIndex((other) => other.family === family) === index,
);

/**
 * One line about the guards of a project that have gone, changed or been disabled since they were trusted;
 * undefined if there are none.
 */
export async function missingLineIn(
  cwd: string,
  trusted: readonly HookFingerprint[],
): Promise<string | undefined> {
  const options = { cwd, onWarning: () => undefined };
  const config = { ...settingsConfig(options, () => dialects), getHookSystem: () => undefined };
  const found = await findAllHooks(config, dialects, () => false);
  return missingLine(missingGuards(trusted, config, new HookRegistry(config, found)));
}
