import type { Dialect } from '../../core/dialects/dialect.ts';
import type { HookRegistry } from '../../hosts/system/hook-registry.ts';
import type { RegisteredHook, UnaskedHook } from '../../core/definitions/hook-definition.ts';
import type { SettingsNote } from '../../core/definitions/settings.ts';
import type { HookTrust } from '../../core/definitions/hook-trust.ts';
import { duplicates } from './duplicates.ts';
import { unfitMatchers } from './matchers.ts';
import { type CheckProblem, ofHook, ofSettings } from './check-problem.ts';
import { easilyDistrusted, unstartable } from './scripts.ts';

/** Why a hook would be skipped, if it would. */
export interface Untrusted {
  readonly untrusted?: Omit<Extract<HookTrust, { trusted: false }>, 'trusted'>;
}

/** A configured hook, and what keeps it from running. */
export interface ConfiguredHook extends RegisteredHook, Untrusted {
  /** The settings' switches keep it from running. */
  readonly switchedOff?: true;
}

/** The input of a check. */
export interface Checkable {
  readonly folder: string;
  readonly registry: HookRegistry;
  readonly hooks: readonly ConfiguredHook[];
  /** Hooks whose very event is unknown. */
  readonly unasked: readonly (UnaskedHook & Untrusted)[];
  /** What the user should know although nothing is wrong with any file. */
  readonly notes: readonly SettingsNote[];
}

/**
 * Returns all that is wrong with configured hooks, without running any; `tools` are the agent's own tools.
 */
export async function checkHooks(
  { folder, registry, hooks, unasked, notes }: Checkable,
  tools: readonly string[],
): Promise<CheckProblem[]> {
  // The function that denies in place of an unreadable file is nobody's hook.
  const written = hooks.filter(({ type }) => type !== 'function');
  const each = await Promise.all(
    written
      .filter(({ enabled }) => enabled)
      .map((hook) => checkHook(hook, registry.dialects.get(hook.dialect)!, folder, tools)),
  );
  return [
    ...registry.problems.map(ofSettings),
    ...notes.filter(({ kind }) => kind !== 'untrusted').map(({ problem }) => ofSettings(problem)),
    ...registry.taken.map(({ problem }) => ({ ...ofSettings(problem), code: 'off' as const })),
    ...switchedOff(written, notes),
    ...duplicates(registry),
    ...distrusted([...written.filter(({ enabled }) => enabled), ...unasked]),
    ...each.flat(),
  ];
}

/**
 * Returns the trusted hooks that would gain from being started ahead of their events. It runs them one after
 * another, so that none slows another down.
 */
export async function measureHooks({
  folder,
  registry,
  hooks,
}: Omit<Checkable, 'unasked' | 'notes'>): Promise<CheckProblem[]> {
  const { wouldGain } = await import('./measure-prestart.ts');
  const found: CheckProblem[] = [];
  for (const hook of hooks)
    if (hook.enabled && !hook.switchedOff && !hook.untrusted)
      found.push(...(await wouldGain(hook, registry.dialects.get(hook.dialect)!, folder)));
  return found;
}

async function checkHook(
  hook: ConfiguredHook,
  dialect: Dialect,
  folder: string,
  tools: readonly string[],
): Promise<CheckProblem[]> {
  const plugin =
    hook.type === 'plugin'
      ? [
          ofHook(
            hook,
            'cannot-run',
            'is a plugin, which cannot run',
            'write a hook of another type',
          ),
        ]
      : [];
  return [
    ...plugin,
    ...(await unfitMatchers(hook, dialect, tools)),
    ...(hook.type === 'plugin' || hook.type === 'cedar' ? [] : unstartable(hook, folder)),
    ...(hook.type === 'cedar' && hook.untrusted === undefined
      ? await (await import('./policies.ts')).checkPolicies(hook, folder)
      : []),
    ...(hook.untrusted === undefined ? [] : easilyDistrusted(hook, folder)),
  ];
}

/** One problem for all hooks of a file that are skipped for the same reason. */
function distrusted(hooks: readonly (UnaskedHook & Untrusted)[]): CheckProblem[] {
  const skipped = hooks.filter(({ untrusted }) => untrusted !== undefined);
  const groups = groupedBy(skipped);
  return [...groups.values()].map(([first, ...others]) => {
    const { why, fix } = first!.untrusted!;
    if (others.length === 0) return ofHook(first!, 'untrusted', `is skipped: ${why}`, fix);
    const message = `${others.length + 1} hooks are skipped: ${why}`;
    return { ...ofHook(first!, 'untrusted', message, fix), place: 'hooks' };
  });
}

function groupedBy<One extends UnaskedHook & Untrusted>(hooks: readonly One[]) {
  const groups = new Map<string, One[]>();
  for (const hook of hooks) {
    const key = JSON.stringify([hook.file, hook.untrusted]);
    groups.set(key, [...(groups.get(key) ?? []), hook]);
  }
  return groups;
}

/** One problem for each file whose hooks are off, unless a note already says so. */
function switchedOff(
  hooks: readonly ConfiguredHook[],
  notes: readonly SettingsNote[],
): CheckProblem[] {
  const said = notes
    .filter(({ kind }) => kind !== 'untrusted')
    .map(({ problem }) => `${problem.file} ${problem.message}`);
  const files = new Set(
    hooks.filter((hook) => hook.switchedOff && hook.enabled).map(({ file }) => file),
  );
  return [...files]
    .filter((file) => file === undefined || !said.some((text) => text.includes(file)))
    .map((file) => ({
      ...(file !== undefined && { file }),
      place: 'hooks',
      code: 'off',
      message: 'these hooks do not run, because a "false" in the settings switches hooks off',
      fix: 'remove the false value of hooksConfig.enabled, tools.enableHooks or enableHooks, here or in the settings of a stronger level',
    }));
}
