import type { Dialect } from '../../core/dialects/dialect.ts';
import { families } from '../all/defaults.ts';
import { debugChannel } from '../../base/log.ts';
import { hookSources, type HookEventName, type HookSource } from '../../core/protocol/events.ts';
import { reaches } from '../../settings/files/levels.ts';
import type {
  HookDefinition,
  RegisteredHook,
  UnaskedHook,
} from '../../core/definitions/hook-definition.ts';
import { disabledHooks, isListed } from '../../settings/files/switches.ts';
import { blocksByDefault } from '../../settings/files/load-settings.ts';
import { unknownDisabled } from '../../settings/format/unknown-names.ts';
import {
  firstProblems,
  formatProblem,
  type SettingsProblem,
} from '../../core/definitions/problem.ts';
import { isStronger, sameHookKey } from '../../core/plan/duplicates.ts';
import { startGate, type StartGate } from '../../core/plan/trust-gate.ts';
import { runProgram } from './handlers.ts';
import type { HookHost } from '../../core/host/config.ts';
import { dialectsOf, findAllHooks, type DialectHooks } from './find-hooks.ts';
import type {
  DisabledHooks,
  FailureDefault,
  SettingsNote,
} from '../../core/definitions/settings.ts';
import type { RegisteredHooks } from '../../core/plan/registered-hooks.ts';

const debug = debugChannel('registry');

interface Always {
  readonly first: ReadonlyMap<string, RegisteredHook>;
  readonly places: ReadonlyMap<RegisteredHook, number>;
}

/** Holds all hook definitions, validated, in the order of their sources. */
export class HookRegistry implements RegisteredHooks {
  readonly #hooks: readonly RegisteredHook[];
  #always: Always | undefined;
  readonly #isSwitchedOn: (source: HookSource, needsSwitch: boolean) => boolean;
  /** The dialects of its hooks, by name. */
  readonly dialects: ReadonlyMap<string, Dialect>;
  /** What was discarded, and why. */
  readonly problems: readonly SettingsProblem[];
  /** Hooks of the project whose events are unknown, because nobody may run them to ask. */
  readonly unasked: readonly UnaskedHook[];
  /** Hooks that only call hookmachine, and so never run here. */
  readonly relays: readonly UnaskedHook[];
  /** Other levels' hooks that the administrator disabled. */
  readonly taken: readonly SettingsNote[];

  /** `switched` are hooks that the host enabled or disabled at runtime, by name or command. */
  constructor(
    config: HookHost,
    found: readonly DialectHooks[],
    switched: ReadonlyMap<string, boolean> = new Map(),
  ) {
    const disabled = config.getDisabledHooks?.() ?? [
      { source: 'project', names: disabledHooks({ hooks: config.getHooks() }) },
    ];
    this.dialects = new Map(found.map(({ dialect }) => [dialect.name, dialect]));
    const defaults = config.getFailureDefaults?.() ?? [];
    this.#isSwitchedOn = (source, needsSwitch) =>
      config.isSwitchedOn?.(source, needsSwitch) ?? true;
    this.#hooks = found
      .flatMap(({ dialect, definitions }) =>
        definitions.map((hook) => ({ ...hook, dialect: dialect.name })),
      )
      .map((hook) => ({
        ...withDefault(hook, defaults),
        enabled: isEnabled(hook, disabled, switched),
      }))
      .toSorted((one, other) => this.#rankOf(one) - this.#rankOf(other));
    this.unasked = found.flatMap(({ unasked }) => unasked);
    this.relays = found.flatMap(({ relays = [] }) => relays);
    this.problems = firstProblems([
      ...(config.getSettingsProblems?.() ?? []),
      ...found.flatMap(({ problems }) => problems),
      ...unknownDisabled(
        disabled,
        [...this.#hooks, ...this.unasked, ...found.flatMap(({ elsewhere = [] }) => elsewhere)],
        () => this.#knowsAll(config),
      ),
    ]);
    this.taken = takenHooks(this.#hooks, disabled);
    debug('hooks registered: %d', this.#hooks.length);
    for (const problem of this.problems) debug('%s', formatProblem(problem));
  }

  /**
   * Loads the hooks that are now in the host's settings and folders. Of a project's executables, only trusted
   * ones are run to learn their events.
   */
  static async load(config: HookHost, trusts?: StartGate): Promise<HookRegistry> {
    const gate = trusts ?? startGate(config, () => undefined);
    const found = await findAllHooks(config, await dialectsOf(config), gate, runProgram);
    return new HookRegistry(config, found);
  }

  #rankOf({ dialect, source }: Pick<RegisteredHook, 'dialect' | 'source'>): number {
    return (this.dialects.get(dialect)?.order ?? hookSources).indexOf(source);
  }

  /**
   * Whether every dialect family that may have hooks in this folder was asked for them; false if the project's
   * hooks are skipped.
   */
  #knowsAll(config: HookHost): boolean {
    const skips = config.skipsProjectHooks?.() ?? config.ignoresProject?.();
    if (skips === true) return false;
    const looked = new Set([...this.dialects.values()].map(({ family }) => family));
    return families.every(
      ({ family, mayBeIn }) => looked.has(family) || !mayBeIn(config.getWorkingDir()),
    );
  }

  /** The enabled hooks of an event, in the order of their sources, as each dialect ranks them. */
  getHooksForEvent(event: HookEventName): readonly RegisteredHook[] {
    return this.#hooks.filter((hook) => hook.event === event && hook.enabled && this.isOn(hook));
  }

  /** Whether the switches let a hook run. */
  isOn({ dialect, source }: Pick<RegisteredHook, 'dialect' | 'source'>): boolean {
    return this.#isSwitchedOn(source, this.dialects.get(dialect)!.needsSwitch);
  }

  /** The matcher of a hook, as its author wrote it; undefined if its event has no matchers. */
  matcherOf(hook: RegisteredHook): string | undefined {
    return this.dialects.get(hook.dialect)?.matcherOf(hook);
  }

  /**
   * Whether another entry of the same hook runs in its place whenever its event is fired, as long as that one
   * may run.
   */
  isHidden(hook: RegisteredHook): boolean {
    this.#always ??= this.#alwaysFirst();
    const { first, places } = this.#always;
    const other = first.get(sameHookKey(hook, this.dialects));
    if (other === undefined || other === hook || (other.if ?? hook.if) !== hook.if) return false;
    if (isStronger(other, hook, this.dialects)) return true;
    if (isStronger(hook, other, this.dialects)) return false;
    return (places.get(other) ?? 0) < (places.get(hook) ?? 0);
  }

  /**
   * By hook, the entry that runs whenever its event is fired, and the position of each entry; computed once
   * for all.
   */
  #alwaysFirst(): Always {
    const first = new Map<string, RegisteredHook>();
    const places = new Map(this.#hooks.map((hook, place) => [hook, place]));
    for (const hook of this.#hooks) {
      if (!hook.enabled || !this.isOn(hook) || this.matcherOf(hook) !== undefined) continue;
      const key = sameHookKey(hook, this.dialects);
      const known = first.get(key);
      if (known === undefined || isStronger(hook, known, this.dialects)) first.set(key, hook);
    }
    return { first, places };
  }

  /** Every hook, including disabled ones. */
  getAllHooks(): readonly RegisteredHook[] {
    return this.#hooks;
  }
}

/**
 * A list of disabled hooks reaches hooks of its own level and of weaker ones. The host's own setting
 * takes precedence over those of users and projects: what an administrator disabled stays disabled, and
 * nobody else can disable an administrator's hook.
 */
function isEnabled(
  hook: HookDefinition,
  disabled: readonly DisabledHooks[],
  switched: ReadonlyMap<string, boolean>,
): boolean {
  const listed = disabled.filter(
    ({ source, names }) => reaches(source, hook.source) && isListed(names, hook),
  );
  if (listed.some(({ source }) => source === 'system')) return false;
  if (hook.source === 'system') return true;
  return switched.get(hook.name) ?? switched.get(hook.command) ?? listed.length === 0;
}

const isSystems = ({ source }: Pick<RegisteredHook, 'source'>): boolean => source === 'system';

type Unjudged = Omit<RegisteredHook, 'enabled'>;

/** A hook that does not say what its failure means takes that from its own level and stronger ones. */
function withDefault(hook: Unjudged, defaults: readonly FailureDefault[]): Unjudged {
  const mayFailOpen =
    hook.failsOpen && (isSystems(hook) || !defaults.some(({ isManaged }) => isManaged));
  return mayFailOpen || hook.onFailure || !blocksByDefault(defaults, hook.source)
    ? hook
    : { ...hook, onFailure: 'block', inheritsOnFailure: true };
}

function takenHooks(
  hooks: readonly RegisteredHook[],
  disabled: readonly DisabledHooks[],
): SettingsNote[] {
  return disabled
    .filter(({ source }) => source === 'system')
    .flatMap((list): SettingsNote[] => {
      const taken = hooks.filter((hook) => hook.source !== 'system' && isListed(list.names, hook));
      if (taken.length === 0) return [];
      const shown = [...new Set(taken.map((hook) => JSON.stringify(hook.name)))].join(', ');
      const problem = {
        ...(list.file !== undefined && { file: list.file }),
        place: 'hooksConfig.disabled',
        message: `disables hooks that are not the administrator's own: ${shown}`,
        fix: 'only an administrator can change that',
      };
      return [{ kind: 'taken', problem }];
    });
}
