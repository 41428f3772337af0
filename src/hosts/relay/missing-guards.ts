import { relative } from 'node:path';
import type { HookRegistry } from '../system/hook-registry.ts';
import type { HookHost } from '../../core/host/config.ts';
import type { SettingsProblem } from '../../core/definitions/problem.ts';
import { isListed } from '../../settings/files/switches.ts';
import { definitionHash, eventOf, type AnyHook } from '../../settings/trust/definition.ts';
import { namesake, type HookFingerprint } from '../../settings/trust/trusted-hook.ts';

/** A hook that the user trusted and that no longer guards anything. */
export interface MissingGuard {
  readonly event: string;
  readonly name: string;
  readonly place: string;
  readonly fate: 'gone' | 'changed' | 'disabled';
  /** A phrase that follows the hook's name. */
  readonly why: string;
}

/**
 * Returns the trusted hooks of a project that have gone, changed or been disabled since they were trusted.
 * It reads no script: a changed script is reported when its hook is about to start.
 */
export function missingGuards(
  trusted: readonly HookFingerprint[],
  config: Pick<HookHost, 'getEnableHooks' | 'isSwitchedOn' | 'getDisabledHooks' | 'getWorkingDir'>,
  registry: Pick<HookRegistry, 'getAllHooks' | 'unasked' | 'dialects' | 'problems'>,
): MissingGuard[] {
  const cwd = config.getWorkingDir();
  // A missing hook may still be in this file.
  const broken = registry.problems.find(
    ({ file = '', isWhole }) => isWhole === true && !relative(cwd, file).startsWith('..'),
  );
  const known = registry.getAllHooks().filter(({ source }) => source === 'project');
  const now = [...known, ...registry.unasked.filter(({ source }) => source === 'project')].map(
    (hook: AnyHook) => ({
      hook,
      definition: definitionHash(hook, cwd),
      event: eventOf(hook),
      name: hook.name,
      place: hook.place,
    }),
  );
  // Why no hook of a definition runs; undefined if one of them does.
  const offs = new Map<string, string | undefined>();
  for (const { hook, definition } of now) {
    const off = switchedOff(hook, config, registry);
    if (!offs.has(definition) || off === undefined) offs.set(definition, off);
  }
  const trustedDefinitions = new Set(trusted.map(({ definition }) => definition));
  const others = now.filter(({ definition }) => !trustedDefinitions.has(definition));
  return trusted.flatMap((guard): MissingGuard[] => {
    const { event, name, place } = guard;
    if (!offs.has(guard.definition))
      return namesake(guard, others)
        ? [{ event, name, place, fate: 'changed', why: 'has changed since you trusted it' }]
        : [{ event, name, place, fate: 'gone', why: goneBecause(broken) }];
    if (guard.disabled) return [];
    const why = offs.get(guard.definition);
    return why === undefined ? [] : [{ event, name, place, fate: 'disabled', why }];
  });
}

const goneBecause = (broken: SettingsProblem | undefined): string =>
  broken === undefined ? 'is gone' : `is not found (${broken.file}: ${broken.message})`;

/**
 * What, apart from trust, keeps a hook from running, as a phrase that follows its name; undefined if nothing
 * does.
 */
export function switchedOff(
  hook: AnyHook,
  config: Pick<HookHost, 'getEnableHooks' | 'isSwitchedOn' | 'getDisabledHooks'>,
  { dialects }: Pick<HookRegistry, 'dialects'>,
): string | undefined {
  if (!config.getEnableHooks()) return 'is disabled: hooks are switched off';
  if ('enabled' in hook && hook.enabled === false) {
    const by = config.getDisabledHooks?.().find(({ names }) => isListed(names, hook));
    return by === undefined ? 'is disabled' : `is disabled by the ${by.source}'s settings`;
  }
  const dialect = 'dialect' in hook ? dialects.get(hook.dialect as string) : undefined;
  return dialect && config.isSwitchedOn?.(hook.source, dialect.needsSwitch) === false
    ? "is disabled: the settings' hooks are switched off"
    : undefined;
}

/** Returns missing guards as one readable line; undefined if there are none. */
export function missingLine(missing: readonly MissingGuard[]): string | undefined {
  if (missing.length === 0) return undefined;
  const shown = missing.slice(0, 5).map(({ event, name, why }) => {
    const short = name.length > 60 ? `${name.slice(0, 60)}…` : name;
    return `"${short}"${event === '' ? '' : ` (${event})`} ${why}`;
  });
  const more = missing.length > shown.length ? [`${missing.length - shown.length} more`] : [];
  const what =
    missing.length === 1 ? 'a hook that you trusted' : `${missing.length} hooks that you trusted`;
  return `${what} ${missing.length === 1 ? 'no longer guards as you trusted it' : 'no longer guard as you trusted them'}: ${[...shown, ...more].join('; ')}; look with: hookmachine trust --show`;
}
