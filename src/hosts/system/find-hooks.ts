import type { HookDefinition, UnaskedHook } from '../../core/definitions/hook-definition.ts';
import type { Dialect } from '../../core/dialects/dialect.ts';
import type { FoundHooks, HookSite } from '../../core/dialects/hook-site.ts';
import { llxprt } from '../llxprt/index.ts';
import { isShortage } from '../../base/errors.ts';
import { extensionHooks } from '../../settings/files/extensions.ts';
import type { HooksFromSource } from '../../core/definitions/hooks-from-source.ts';
import { blocksByDefault } from '../../settings/files/load-settings.ts';
import {
  formatProblem,
  type SettingsProblem,
  unknownGuard,
} from '../../core/definitions/problem.ts';
import { hookPointOf, type HookEventName } from '../../core/points/hook-points.ts';
import { authorities, type HookSource } from '../../core/protocol/events.ts';
import type { HookHost } from '../../core/host/config.ts';
import { relayIn, keptServePort } from '../parts/relay-entry.ts';
import type { RunProgram } from './handlers.ts';
import type { StartGate } from '../../core/plan/trust-gate.ts';
import { once } from '../../base/once.ts';
import { onDemand } from '../../base/on-demand.ts';
import { messageOf } from '../../base/message-of.ts';

const loadGuarded = onDemand(() => import('../guarded/find-guarded.ts'));
const loadSameEvent = onDemand(() => import('../all/same-event.ts'));

/** The hooks of one dialect. */
export interface DialectHooks extends FoundHooks {
  readonly dialect: Dialect;
  /** Hooks that do not run here, because the host runs them itself. */
  readonly elsewhere?: readonly UnaskedHook[];
  /** Hooks that only call us, and so never run here. */
  readonly relays?: readonly UnaskedHook[];
}

/**
 * Returns every dialect's hooks as they are now, or, if they cannot be found, as they were `before`. `trusts`
 * is asked before a file is run to learn what it is.
 */
export function findAllHooks(
  config: HookHost,
  dialects: readonly Dialect[],
  trusts: StartGate,
  run: RunProgram = runsNothing,
  before: readonly DialectHooks[] = [],
): Promise<DialectHooks[]> {
  const cwd = config.getWorkingDir();
  const sources = sourcesOf(config);
  const defaults = config.getFailureDefaults?.() ?? [];
  const site: HookSite = {
    cwd,
    settings: () => sources,
    bundles: () => config.getBundles?.(),
    loadSameEvent: async () => (await loadSameEvent()).sameEvent,
    loadIsGuarded: once(async () => (await loadGuarded()).guardedIn(cwd)),
    ignoresProject: config.ignoresProject?.() ?? false,
    ignoresAdded: (variable) => config.ignoresAdded?.(variable) ?? false,
    deniesUnknown: (source) =>
      (config.isSwitchedOn?.(source, false) ?? true) && blocksByDefault(defaults, source),
    // While a dialect's hooks are off, nothing is run to learn what it is.
    trusts: (hook) =>
      mayBeHook(config, hook) &&
      config.getEnableHooks() &&
      (config.isSwitchedOn?.(hook.source, false) ?? true) &&
      trusts(hook),
    run: (program: string, args: readonly string[], timeout: number) =>
      run(program, args, cwd, timeout),
  };
  return Promise.all(
    dialects
      .filter((dialect) => dialect.settings !== undefined || dialect.mayBeIn(cwd))
      .map(async (dialect) => {
        const last = before.find((known) => known.dialect === dialect);
        const isNeeded = config.onUnready === 'block' && last === undefined;
        const found = withoutOthers(config, await findWith(dialect, site, last, isNeeded));
        const guards = lostGuards(dialect, found.problems, site);
        return { dialect, ...found, definitions: [...guards, ...found.definitions] };
      }),
  );
}

/** Whether it is a hook for us to run: a relay runs all hooks itself, and some hooks are run by the host. */
const mayBeHook = (config: HookHost, hook: UnaskedHook): boolean =>
  relayIn(hook) === undefined && config.runsElsewhere?.(hook) !== true;

/**
 * Returns the hooks without relays, whichever host's file they are in, and without those that the host runs.
 */
function withoutOthers(config: HookHost, found: FoundHooks): Omit<DialectHooks, 'dialect'> {
  const { definitions, unasked, problems } = found;
  const relays: UnaskedHook[] = [];
  const mixed: UnaskedHook[] = [];
  const elsewhere: UnaskedHook[] = [];
  const isOurs = (hook: UnaskedHook): boolean => {
    const relay = relayIn(hook);
    const others =
      config.runsElsewhere?.(hook) === true
        ? elsewhere
        : relay && (relay === 'whole' ? relays : mixed);
    others?.push(hook);
    return others === undefined;
  };
  return {
    definitions: definitions.filter(isOurs),
    unasked: unasked.filter(isOurs),
    problems: [...problems, ...mixed.map(mixedRelay)],
    ...(elsewhere.length > 0 && { elsewhere }),
    ...(relays.length > 0 && { relays }),
  };
}

const mixedRelay = (hook: UnaskedHook & Partial<HookDefinition>): SettingsProblem => {
  const { type, file, place, name, event, nativeEvent = event, matcher, onFailure, source } = hook;
  const port = keptServePort();
  const [message, fix] =
    type === 'http'
      ? [
          `"${name}" posts to a "hookmachine serve" that is not yours (${port === undefined ? 'none was started' : `yours has port ${port}`}), so it was skipped`,
          'install the entries again (hookmachine install … --via http), or remove the token from its headers',
        ]
      : [
          `"${name}" calls hookmachine's relay and also does something else, so it was skipped`,
          'put the relay in a separate entry',
        ];
  return {
    ...(file !== undefined && { file }),
    place,
    message,
    fix,
    lost: {
      sources: [source],
      ...(nativeEvent !== undefined && { event: nativeEvent }),
      ...(matcher !== undefined && { matcher }),
      ...(onFailure && { onFailure }),
    },
  };
};

/** For callers that trust no program: none is run to learn what it is. */
const runsNothing = (): Promise<never> => Promise.reject(new Error('No program is run here.'));

/**
 * A dialect that throws does not affect the others, unless the host proceeds with all hooks or not at all.
 */
async function findWith(
  dialect: Dialect,
  site: HookSite,
  last: FoundHooks | undefined,
  isNeeded: boolean,
): Promise<FoundHooks> {
  try {
    return await dialect.find(site);
  } catch (error) {
    if (isNeeded) throw error;
    const then = last ? 'those found last still count' : 'none of them runs';
    const problem = {
      place: '',
      message: `the hooks of ${dialect.name} cannot be found (${messageOf(error)}), so ${then}`,
      fix: 'fix what the message names',
      ...(isShortage(error) && { isPassing: true as const }),
    };
    if (last) return { ...last, problems: [problem] };
    const lost = { sources: sourcesWithHooks(dialect, site) };
    return { definitions: [], unasked: [], problems: [{ ...problem, lost }] };
  }
}

function sourcesOf(config: HookHost): readonly HooksFromSource[] {
  const extensions = (config.getExtensions?.() ?? []).filter(({ isActive }) => isActive);
  return [
    ...(config.getHookSources?.() ?? [{ source: 'project', hooks: config.getHooks() }]),
    ...extensions.map(extensionHooks),
  ];
}

/** The dialects whose hooks the host wants; a host that does not say knows only hooks in settings. */
export const dialectsOf = async (config: HookHost): Promise<readonly Dialect[]> =>
  config.getDialects?.() ?? [llxprt];

/**
 * Returns hooks that deny in place of those that could not be read: always for the administrator's,
 * for any other if its failure denies.
 */
export const lostGuards = (
  dialect: Dialect,
  problems: readonly SettingsProblem[],
  { deniesUnknown }: HookSite,
): HookDefinition[] =>
  problems.flatMap((problem) => {
    const { lost, file = dialect.name, place } = problem;
    if (lost === undefined) return [];
    const { sources, event, matcher, onFailure } = lost;
    const denies = (source: HookSource): boolean =>
      onFailure === 'block' ||
      (onFailure === undefined && (source === 'system' || deniesUnknown?.(source) === true));
    const source = sources.find(denies);
    if (source === undefined) return [];
    const why = `${formatProblem(problem)} (what it guards is unknown)`;
    return guardedEvents(dialect, event).map((guarded) =>
      unknownGuard(
        { ...guarded, source, file, name: file, place, ...(matcher !== undefined && { matcher }) },
        why,
      ),
    );
  });

/** The events that must not proceed while it is unknown what guards them: this one, or all of them. */
function guardedEvents(
  { events }: Dialect,
  name: string | undefined,
): Pick<HookDefinition, 'event' | 'nativeEvent'>[] {
  const byEvent = new Map<HookEventName, string>();
  for (const [native, event] of Object.entries(events))
    if (hookPointOf(event).needsGuards && (name === undefined || name === native))
      byEvent.set(event, byEvent.get(event) ?? native);
  return [...byEvent].map(([event, native]) => ({
    event,
    ...(native !== event && { nativeEvent: native }),
  }));
}

/** The sources from which a dialect may have hooks; without the administrator's unless that is certain. */
export function sourcesWithHooks(
  dialect: Pick<Dialect, 'mayBeIn'>,
  { cwd, ignoresProject }: Pick<HookSite, 'cwd' | 'ignoresProject'>,
): HookSource[] {
  const saysWhere = !dialect.mayBeIn(cwd, () => false);
  return authorities.filter(
    (source) =>
      (source !== 'project' || ignoresProject !== true) &&
      (saysWhere ? dialect.mayBeIn(cwd, (of) => of === source) : source !== 'system'),
  );
}
