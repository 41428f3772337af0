import type { HookDefinition } from '../core/definitions/hook-definition.ts';
import type { HooksFromSource } from '../core/definitions/hooks-from-source.ts';
import type { Checked, SettingsProblem } from '../core/definitions/problem.ts';
import { onDemand } from '../base/on-demand.ts';
import { reaches } from '../settings/files/levels.ts';
import { guardSubjects } from '../settings/format/guard-fields.ts';
import { readGuards, type GuardName, type GuardSettings } from '../settings/files/read-guards.ts';
import type { IsGuarded } from '../core/dialects/hook-site.ts';

const loadGuardHook = onDemand(() => import('./guard-hook.ts'));
const loadRedactResult = onDemand(() => import('./redact-result.ts'));

/** A guard has looked at everything long before this, in ms. */
const timeout = 30_000;

/**
 * Returns the hooks of the guards that settings switch on. Each guard has the level of its file; the exceptions
 * of a level count for its own guards and those of weaker levels.
 */
export function defineGuards(
  sources: readonly HooksFromSource[],
  loadIsGuarded?: () => Promise<IsGuarded>,
): Checked<HookDefinition> {
  const read = sources.map((from) => ({ from, ...readGuards(from) }));
  const problems: SettingsProblem[] = read.flatMap((one) => one.problems);
  const definitions = read.flatMap(({ from, definitions: [settings] }) => {
    if (settings === undefined) return [];
    const allow = read.flatMap((one) =>
      reaches(one.from.source, from.source) ? (one.definitions[0]?.allow ?? []) : [],
    );
    return guardsOf({ ...settings, allow }, from, loadIsGuarded);
  });
  return { definitions, problems };
}

function guardsOf(
  settings: GuardSettings,
  from: HooksFromSource,
  loadIsGuarded?: () => Promise<IsGuarded>,
): HookDefinition[] {
  const names = (Object.keys(settings.strictness) as GuardName[]).filter(
    (name) => settings.strictness[name] !== 'off',
  );
  const definitionOf = (
    name: GuardName,
    event: 'BeforeTool' | 'AfterTool',
    call: HookDefinition['call'],
  ): HookDefinition => ({
    event,
    type: 'function',
    command: `guards/${name}`,
    name: `guards/${name}`,
    description: guardSubjects[name],
    ...(call && { call }),
    timeout,
    sequential: false,
    idempotent: true,
    ...(settings.failOpen ? { failsOpen: true as const } : { onFailure: 'block' as const }),
    source: from.source,
    ...(from.file !== undefined && { file: from.file }),
    place: `guards.${name}`,
    ...(from.bundle && { bundle: from.bundle }),
    env: {},
  });
  return names.flatMap((name) => [
    definitionOf(name, 'BeforeTool', async (event: object) => {
      const [{ judgeCall }, isGuarded] = await Promise.all([loadGuardHook(), loadIsGuarded?.()]);
      return judgeCall(name, event, settings, { isGuarded });
    }),
    ...(name === 'secrets'
      ? [
          definitionOf(name, 'AfterTool', async (event: object) =>
            (await loadRedactResult()).redactResult(event),
          ),
        ]
      : []),
  ]);
}
