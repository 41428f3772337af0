import type { Dialect, DialectOutline } from '../dialects/dialect.ts';
import type { UnaskedHook } from '../dialects/hook-site.ts';
import { debugChannel } from '../log.ts';
import { hookSources, type HookEventName } from '../protocol/events.ts';
import type { HookDefinition } from '../settings/hook-definition.ts';
import type { DisabledHooks } from '../settings/load-settings.ts';
import { formatProblem, type SettingsProblem } from '../settings/problem.ts';
import { disabledHooks } from '../settings/switches.ts';
import type { TrustGate } from '../trust/gate.ts';
import type { HookSystemConfig } from './config.ts';
import { findAllHooks, type DialectHooks } from './find-hooks.ts';

const debug = debugChannel('registry');

/** A hook definition as the registry holds it. */
export interface RegisteredHook extends HookDefinition {
  /** The name of its dialect. */
  readonly dialect: string;
  readonly enabled: boolean;
}

/** Holds all hook definitions, checked, in order of their sources (HOOK-085, 086, 187). */
export class HookRegistry<D extends DialectOutline = Dialect> {
  readonly #hooks: readonly RegisteredHook[];
  readonly #areSettingsHooksOn: boolean;
  /** The dialects of its hooks, by name. */
  readonly dialects: ReadonlyMap<string, D>;
  /** What was discarded, and why. */
  readonly problems: readonly SettingsProblem[];
  /** Hooks of the project whose events are unknown, for nobody may run them. */
  readonly unasked: readonly UnaskedHook[];

  /** `switched` are hooks that the host enabled or disabled at runtime, by name or command. */
  constructor(
    config: HookSystemConfig,
    found: readonly DialectHooks<D>[],
    switched: ReadonlyMap<string, boolean> = new Map(),
  ) {
    const disabled = config.getDisabledHooks?.() ?? [
      { source: 'project', names: disabledHooks({ hooks: config.getHooks() }) },
    ];
    this.dialects = new Map(found.map(({ dialect }) => [dialect.name, dialect]));
    this.#areSettingsHooksOn = config.areSettingsHooksOn?.() ?? true;
    this.#hooks = found
      .flatMap(({ dialect, definitions }) =>
        definitions.map((hook) => ({ ...hook, dialect: dialect.name })),
      )
      .map((hook) => ({
        ...hook,
        enabled: isEnabled(hook, disabled, switched),
      }))
      .toSorted(
        (one, other) => hookSources.indexOf(one.source) - hookSources.indexOf(other.source),
      );
    this.problems = [
      ...(config.getSettingsProblems?.() ?? []),
      ...found.flatMap(({ problems }) => problems),
    ];
    this.unasked = found.flatMap(({ unasked }) => unasked);
    debug('%d hooks registered', this.#hooks.length);
    for (const problem of this.problems) debug('%s', formatProblem(problem));
  }

  /** The hooks that the host's settings and folders hold now. Of a project's executables only trusted ones are run to learn their events. */
  static async load(config: HookSystemConfig, trusts?: TrustGate): Promise<HookRegistry> {
    const [{ dialectsOf }, { trustGate }] = await Promise.all([
      import('./dialects-of.ts'),
      import('../trust/gate.ts'),
    ]);
    const gate = trusts ?? trustGate(config, () => undefined);
    return new HookRegistry(config, await findAllHooks(config, dialectsOf(config), gate));
  }

  /** The enabled hooks of an event, project before user before system before extensions. */
  getHooksForEvent(event: HookEventName): readonly RegisteredHook[] {
    return this.#hooks.filter(
      (hook) =>
        hook.event === event &&
        hook.enabled &&
        (this.#areSettingsHooksOn || !this.dialects.get(hook.dialect)!.needsSwitch),
    );
  }

  /** What a hook is for, as its author wrote it; undefined where its event knows no matchers. */
  matcherOf(hook: RegisteredHook): string | undefined {
    return this.dialects.get(hook.dialect)?.matcherOf(hook);
  }

  /** Whether another hook of its identity always goes before it, as long as that one may run. */
  isHidden(hook: RegisteredHook): boolean {
    const dialect = this.dialects.get(hook.dialect);
    const before = this.#hooks.slice(0, this.#hooks.indexOf(hook));
    return before.some(
      (other) =>
        other.enabled &&
        other.dialect === hook.dialect &&
        dialect?.matcherOf(other) === undefined &&
        dialect?.identity(other) === dialect?.identity(hook),
    );
  }

  /** Every hook, the disabled ones too. */
  getAllHooks(): readonly RegisteredHook[] {
    return this.#hooks;
  }
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
