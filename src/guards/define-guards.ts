import type { HookDefinition } from '../core/definitions/hook-definition.ts';
import type { HooksFromSource } from '../core/definitions/hooks-from-source.ts';
import type { Checked, SettingsProblem } from '../core/definitions/problem.ts';
import { onDemand } from '../base/on-demand.ts';
import { reaches } from '../settings/files/levels.ts';
import { guardSubjects } from '../settings/format/guard-fields.ts';
import { readGuards, type GuardName, type GuardSettings } from '../settings/files/read-guards.ts';
import type { IsGuarded } from '../core/dialects/hook-site.ts';

const loadGuardHook = onDemand(() => import('./guard-hook.ts'));
const loadFlow = onDemand(() => import('./flow/judge-flow.ts'));
const loadNoteResult = onDemand(() => import('./flow/note-result.ts'));
const loadRedactResult = onDemand(() => import('./redact-result.ts'));

const noteResult = async (event: object) => (await loadNoteResult()).noteResult(event);

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
    event: 'BeforeTool' | 'AfterTool' | 'ToolFailed' | 'BeforeAgent',
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
  const flowHooks = (): HookDefinition[] => [
    definitionOf('flow', 'BeforeTool', async (event: object) =>
      (await loadFlow()).judgeFlow(event, settings),
    ),
    definitionOf('flow', 'AfterTool', noteResult),
    definitionOf('flow', 'ToolFailed', noteResult),
    definitionOf('flow', 'BeforeAgent', async (event: object) =>
      (await loadFlow()).notePrompt(event),
    ),
  ];
  return names.flatMap((name) => {
    if (name === 'flow') return flowHooks();
    const judge = definitionOf(name, 'BeforeTool', async (event: object) => {
      const [{ judgeCall }, isGuarded] = await Promise.all([loadGuardHook(), loadIsGuarded?.()]);
      return judgeCall(name, event, settings, { isGuarded });
    });
    if (name !== 'secrets') return [judge];
    const redact = definitionOf(name, 'AfterTool', async (event: object) =>
      (await loadRedactResult()).redactResult(event),
    );
    return [judge, redact];
  });
}
