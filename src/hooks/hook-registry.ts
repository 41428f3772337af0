import { debugChannel } from '../log.ts';
import { hookSources, type HookEventName } from '../protocol/events.ts';
import { defineHooks, type HooksFromSource } from '../settings/define-hooks.ts';
import { extensionHooks } from '../settings/extensions.ts';
import type { HookDefinition } from '../settings/hook-definition.ts';
import type { DisabledHooks } from '../settings/load-settings.ts';
import { formatProblem, type SettingsProblem } from '../settings/problem.ts';
import { disabledHooks } from '../settings/switches.ts';
import type { HookSystemConfig } from './config.ts';

const debug = debugChannel('registry');

/** A hook definition as the registry holds it. */
export interface RegisteredHook extends HookDefinition {
  readonly enabled: boolean;
}

/** Holds all hook definitions, checked, in order of their sources (HOOK-085, 086, 187). */
export class HookRegistry {
  readonly #hooks: readonly RegisteredHook[];
  /** What was discarded, and why. */
  readonly problems: readonly SettingsProblem[];

  /** `switched` are hooks that the host enabled or disabled at runtime, by name or command. */
  constructor(config: HookSystemConfig, switched: ReadonlyMap<string, boolean> = new Map()) {
    const read = sourcesOf(config).map(defineHooks);
    const disabled = config.getDisabledHooks?.() ?? [
      { source: 'project', names: disabledHooks({ hooks: config.getHooks() }) },
    ];
    this.#hooks = read
      .flatMap(({ definitions }) => definitions)
      .map((definition) => ({ ...definition, enabled: isEnabled(definition, disabled, switched) }))
      .toSorted(
        (one, other) => hookSources.indexOf(one.source) - hookSources.indexOf(other.source),
      );
    this.problems = [
      ...(config.getSettingsProblems?.() ?? []),
      ...read.flatMap(({ problems }) => problems),
    ];
    debug('%d hooks registered', this.#hooks.length);
    for (const problem of this.problems) debug('%s', formatProblem(problem));
  }

  /** The enabled hooks of an event, project before user before system before extensions. */
  getHooksForEvent(event: HookEventName): readonly RegisteredHook[] {
    return this.#hooks.filter((hook) => hook.event === event && hook.enabled);
  }

  /** Every hook, the disabled ones too. */
  getAllHooks(): readonly RegisteredHook[] {
    return this.#hooks;
  }
}

function sourcesOf(config: HookSystemConfig): readonly HooksFromSource[] {
  const extensions = (config.getExtensions?.() ?? []).filter(({ isActive }) => isActive);
  return [
    ...(config.getHookSources?.() ?? [{ source: 'project', hooks: config.getHooks() }]),
    ...extensions.map(extensionHooks),
  ];
}

/** What an administrator disabled stays so, and nobody else disables an administrator's hook. */
function isEnabled(
  hook: HookDefinition,
  disabled: readonly DisabledHooks[],
  switched: ReadonlyMap<string, boolean>,
): boolean {
  const listed = disabled.filter(
    ({ names }) => names.includes(hook.name) || names.includes(hook.command),
  );
  if (listed.some(({ source }) => source === 'system')) return false;
  if (hook.source === 'system') return true;
  return switched.get(hook.name) ?? switched.get(hook.command) ?? listed.length === 0;
}
