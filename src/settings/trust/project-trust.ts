import { realpathSync } from 'node:fs';
import { tellOnce, type WarningSink } from '../../base/log.ts';
import { definitionHash, eventOf, type AnyHook } from './definition.ts';
import type { CheckTrust, HookTrust, VerifyTrust } from '../../core/definitions/hook-trust.ts';
import { trustCommand } from './trusted-folder.ts';
import { definedAs, type HookFingerprint } from './trusted-hook.ts';
import { trustedIn } from './trusted-in.ts';
import { changeBehind } from './change-behind.ts';

/**
 * Returns a check of a project's hooks against what the user reviewed and trusted, by their definitions
 * alone. The record is read anew for each hook, because trust may be withdrawn while an agent works. A fault
 * in the record is reported once, and then nothing is trusted.
 */
export function trustChecker(cwd: string, tell: WarningSink): CheckTrust {
  const look = lookingUp(cwd, tell);
  return (hook) => {
    const found = look(hook);
    return typeof found === 'string' ? refusal(cwd, found) : { trusted: true };
  };
}

/**
 * Like `trustChecker`, but the check also reads and compares the current state of all files behind the hook.
 * To be called when a hook is about to start.
 */
export function trustVerifier(cwd: string, tell: WarningSink): VerifyTrust {
  const look = lookingUp(cwd, tell);
  return async (hook) => {
    const found = look(hook);
    const why = typeof found === 'string' ? found : await changeBehind(found, realpathSync(cwd));
    return why === undefined ? { trusted: true } : refusal(cwd, why);
  };
}

/** Returns a function that finds the trusted hook with the same definition, or says why there is none. */
function lookingUp(cwd: string, tell: WarningSink): (hook: AnyHook) => HookFingerprint | string {
  const warn = tellOnce(tell);
  return (hook) => {
    const trust = trustedIn(cwd, warn);
    if (trust === undefined) return 'this folder is not trusted';
    const { name, place } = hook;
    const definition = definitionHash(hook, cwd);
    return definedAs({ event: eventOf(hook), name, place, definition }, trust.hooks);
  };
}

const refusal = (cwd: string, why: string): HookTrust => ({
  trusted: false,
  why,
  fix: `look at what it runs, then allow it: ${trustCommand(cwd)}`,
});

/**
 * Returns the scripts of all hooks trusted in the project at `cwd`, by their real paths, without files that
 * also serve other ends, such as `package.json`.
 */
export const trustedFiles = (cwd: string): string[] => [
  ...new Set(
    trustedIn(cwd, () => undefined)?.hooks.flatMap(({ scripts }) =>
      scripts.filter(({ isManifest }) => !isManifest).map(({ realPath }) => realPath),
    ),
  ),
];
