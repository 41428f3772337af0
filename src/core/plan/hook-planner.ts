import type { HookLane, HookPayload } from '../../../machines/hook-event.ts';
import { RegexBudget } from '../../base/bounded-regex.ts';
import type { Dialect } from '../dialects/dialect.ts';
import type { EventContext } from '../answers/event-context.ts';
import { hookPointOf } from '../points/hook-points.ts';
import { debugChannel, type WarningSink } from '../../base/log.ts';
import { authorities, type HookEventName } from '../protocol/events.ts';
import type { RegisteredHook } from '../definitions/hook-definition.ts';
import { messageOf } from '../../base/message-of.ts';
import { type Entry, identityOf, isStronger, mergedEntries } from './duplicates.ts';
import type { Handlers } from '../host/handlers.ts';
import type { HookPlan, MatchSubject } from './hook-plan.ts';
import type { RegisteredHooks } from './registered-hooks.ts';
import type { StartGate, TrustGate } from './trust-gate.ts';

const debug = debugChannel('planner');

/**
 * For how many subjects an event remembers its plans; tool names are few and short, but a model may invent
 * them.
 */
const rememberedSubjects = 1_000;
const rememberedLength = 200;

/** The plan when all matching hooks are trusted, with the matching hooks. */
interface RememberedPlan {
  readonly matching: readonly RegisteredHook[];
  readonly plan: HookPlan | undefined;
}

interface CompiledEvent {
  readonly dialects: ReadonlyMap<string, Dialect>;
  readonly entries: readonly {
    readonly hook: RegisteredHook;
    readonly fits: (subject: string, budget: RegexBudget) => boolean;
  }[];
  /** Hooks of other events that may replace one of this event. */
  readonly foreign: readonly RegisteredHook[];
  readonly plans: Map<MatchSubject, RememberedPlan>;
}

interface PlannerOptions {
  readonly handlers?: Handlers;
  readonly mayStart?: StartGate;
  readonly matcherLimit?: number;
}

/** A synchronous index from event and subject to a plan, or to nothing. */
export class HookPlanner {
  readonly #warn: WarningSink;
  readonly #trusts: TrustGate;
  readonly #matcherLimit: number | undefined;
  readonly #events = new Map<HookEventName, CompiledEvent>();
  /** Hooks whose matchers could not be evaluated, still to be reported. */
  readonly #undecided: { readonly hook: RegisteredHook; readonly error: unknown }[] = [];
  /** The events and levels whose undecided matchers have been reported. */
  readonly #reported = new Set<string>();
  #registry: RegisteredHooks | undefined;

  /** What runs the hooks of a plan; undefined if plans are only looked at. */
  readonly handlers: Handlers | undefined;
  /** Whether a hook of a plan may start, now that its turn has come. */
  readonly mayStart: StartGate;

  /**
   * `trusts` says whether a hook may run, and is asked for every plan; `mayStart` is asked again when one of
   * its hooks is about to start. `matcherLimit` is how long the matchers of a level may take for an event, in
   * ms; default 100.
   */
  constructor(
    warn: WarningSink,
    trusts: TrustGate = () => true,
    { handlers, mayStart = trusts, matcherLimit }: PlannerOptions = {},
  ) {
    this.#warn = warn;
    this.#trusts = trusts;
    this.handlers = handlers;
    this.mayStart = mayStart;
    this.#matcherLimit = matcherLimit;
  }

  /**
   * Uses these hooks, or none, for all plans from now on; a plan that was made already stays as it is.
   */
  use(registry: RegisteredHooks | undefined): void {
    this.#registry = registry;
    this.#events.clear();
    this.#reported.clear();
  }

  /** Whether a hook matches an event, trusted or not: nobody is asked, and nothing is read. */
  hasMatch(event: HookEventName, subject?: MatchSubject): boolean {
    const compiled = this.#events.get(event) ?? this.#compiled(event);
    if (compiled.entries.length === 0) return false;
    const { matching } = compiled.plans.get(subject) ?? this.#remembered(event, compiled, subject);
    return matching.length > 0;
  }

  /** The hooks that match an event, trusted or not, including duplicates. */
  matching(event: HookEventName, subject?: MatchSubject): readonly RegisteredHook[] {
    const compiled = this.#events.get(event) ?? this.#compiled(event);
    return this.#remembered(event, compiled, subject).matching;
  }

  /** The plan for an event; undefined when no hook matches it. */
  plan(event: HookEventName, subject?: MatchSubject): HookPlan | undefined {
    // Looked up here, because V8 allocates for what a call would return.
    const compiled = this.#events.get(event) ?? this.#compiled(event);
    if (compiled.entries.length === 0) return undefined;
    const { matching, plan } =
      compiled.plans.get(subject) ?? this.#remembered(event, compiled, subject);
    if (matching.length === 0) return undefined;
    const { dialects, foreign } = compiled;
    const trusted = matching.filter((hook) => this.#trusts(hook));
    const trustedForeign = foreign.filter((hook) => this.#trusts(hook));
    if (trusted.length === matching.length && trustedForeign.length === foreign.length) return plan;
    const running = new Set(trusted);
    const denying = matching.filter((hook) => blocksOnFailure(hook) && !running.has(hook));
    return makePlan(event, trusted, trustedForeign, dialects, matching, denying);
  }

  /**
   * The hooks of an event whose failure denies, whatever they match: all that is known when no plan can be
   * made.
   */
  failClosed(event: HookEventName): readonly RegisteredHook[] {
    return this.#registry?.getHooksForEvent(event).filter(blocksOnFailure) ?? [];
  }

  #remembered(
    event: HookEventName,
    { dialects, entries, foreign, plans }: CompiledEvent,
    subject: MatchSubject,
  ): RememberedPlan {
    const matching =
      subject === undefined
        ? entries.map(({ hook }) => hook)
        : this.#matching(event, entries, subject);
    const plan = makePlan(event, matching, foreign, dialects);
    debug('%s %s: %o', event, subject ?? '', plan?.hooks.map(({ name }) => name) ?? 'no hook');
    if (plans.size >= rememberedSubjects) plans.clear();
    const remembered = { matching, plan };
    if ((subject?.length ?? 0) <= rememberedLength) plans.set(subject, remembered);
    return remembered;
  }

  /**
   * Decided one level of authority at a time, so that no matcher of a weaker level uses up the time of a
   * stronger one.
   */
  #matching(
    event: HookEventName,
    entries: CompiledEvent['entries'],
    subject: string,
  ): RegisteredHook[] {
    const matching = new Set<RegisteredHook>();
    for (const authority of authorities) {
      const budget = new RegexBudget(this.#matcherLimit);
      for (const { hook, fits } of entries)
        if (hook.source === authority && fits(subject, budget)) matching.add(hook);
    }
    this.#tellUndecided(event);
    return entries.map(({ hook }) => hook).filter((hook) => matching.has(hook));
  }

  #matcherOf(hook: RegisteredHook, dialect: Dialect): CompiledEvent['entries'][number]['fits'] {
    const runAnyway = (error: unknown): true => {
      this.#undecided.push({ hook, error });
      return true;
    };
    try {
      const fits = dialect.compileMatcher(hook, runAnyway);
      return (subject, budget) => {
        try {
          return fits(subject, budget);
        } catch (error) {
          return runAnyway(error);
        }
      };
    } catch (error) {
      runAnyway(error);
      return () => true;
    }
  }

  /** One line per level, once: a model may invent names without end. */
  #tellUndecided(event: HookEventName): void {
    const undecided = this.#undecided.splice(0);
    for (const authority of authorities) {
      const [first, ...others] = undecided.filter(({ hook }) => hook.source === authority);
      const about = `${event} ${authority}`;
      if (first === undefined || this.#reported.has(about)) continue;
      this.#reported.add(about);
      const why = messageOf(first.error);
      const names = [first, ...others].slice(0, namedHooks).map(({ hook }) => nameOf(hook));
      const more = others.length + 1 - names.length;
      const said = (because: string): string =>
        others.length === 0
          ? `hook ${names[0]} (${first.hook.nativeEvent ?? event}): its matcher cannot be decided${because}, so the hook runs; simplify the matcher`
          : `hooks ${names.join(', ')}${more > 0 ? ` and ${more} more` : ''} (${event}): their matchers cannot be decided${because}, so the hooks run; simplify the matchers`;
      this.#warn(said(` (${why})`), { text: said('') });
    }
  }

  #compiled(event: HookEventName): CompiledEvent {
    const dialects: ReadonlyMap<string, Dialect> = this.#registry?.dialects ?? new Map();
    const hooks = this.#registry?.getHooksForEvent(event) ?? [];
    const replaceable = hooks.filter(({ dialect }) => dialects.get(dialect)!.replacesByName);
    const identities = new Set(replaceable.map((hook) => identityOf(hook, dialects)));
    const compiled: CompiledEvent = {
      dialects,
      entries: hooks.map((hook) => ({
        hook,
        fits: this.#matcherOf(hook, dialects.get(hook.dialect)!),
      })),
      foreign: (this.#registry?.getAllHooks() ?? []).filter(
        (hook) =>
          hook.enabled &&
          this.#registry?.isOn(hook) === true &&
          hook.event !== event &&
          dialects.get(hook.dialect)!.replacesByName === true &&
          identities.has(identityOf(hook, dialects)),
      ),
      plans: new Map(),
    };
    this.#events.set(event, compiled);
    this.#tellUndecided(event);
    return compiled;
  }
}

/** How many hooks a warning names. */
const namedHooks = 3;

/** Truncated, because the name may be a whole script. */
const nameOf = ({ name }: RegisteredHook): string =>
  `"${name.length > 80 ? `${name.slice(0, 80)}…` : name}"`;

/**
 * Duplicates are dropped only among hooks that may run: otherwise an untrusted project could list a user's
 * command as its own, and neither would run. Hooks that may not run and therefore deny, `denying`, keep their
 * positions among all that match.
 */
function makePlan(
  event: HookEventName,
  runnable: readonly RegisteredHook[],
  foreign: readonly RegisteredHook[],
  dialects: ReadonlyMap<string, Dialect>,
  matching: readonly RegisteredHook[] = runnable,
  denying: readonly RegisteredHook[] = [],
): HookPlan | undefined {
  if (runnable.length + denying.length === 0) return undefined;
  const shown = runnable.filter((hook) => !isReplaced(hook, foreign, dialects));
  const [only, ...others] = shown;
  // A hook alone is no duplicate.
  const merged: ReturnType<typeof mergedEntries> =
    only && others.length === 0
      ? [[{ written: only, runs: only }]]
      : mergedEntries(shown, dialects);
  const places = new Map(matching.map((hook, place) => [hook, place]));
  const firstPlace = (entries: readonly Entry[]): number =>
    Math.min(...entries.map(({ written }) => places.get(written)!));
  const placed = [
    ...merged.map((entries) => ({ hook: entries[0].runs, place: firstPlace(entries) })),
    ...denying.map((hook) => ({ hook, place: places.get(hook)! })),
  ].toSorted((one, other) => one.place - other.place);
  if (placed.length === 0) return undefined;
  const hooks = placed.map(({ hook }) => hook);
  const mayNotRun = new Set(denying);
  const failClosed = hooks.filter((hook) => mayNotRun.has(hook) || blocksOnFailure(hook));
  const several = merged.filter(({ length }) => length > 1);
  return {
    event,
    hooks,
    // Duplicates count here: any matching entry can force a sequence.
    lanes: lanesOf(hooks, runnable, dialects),
    ...(failClosed.length > 0 && { failClosed: new Set(failClosed) }),
    ...(several.length > 0 && {
      entries: new Map(several.map((entries) => [entries[0].runs, entries])),
    }),
    dialects,
  };
}

/** The lanes of a plan, in the order of their first hooks. */
function lanesOf(
  hooks: readonly RegisteredHook[],
  runnable: readonly RegisteredHook[],
  dialects: ReadonlyMap<string, Dialect>,
): readonly HookLane[] {
  const names = new Set(hooks.map(({ dialect }) => dialect));
  const lanes = Array.from(names, (dialect) => ({
    dialect,
    mode: dialects.get(dialect)!.mode(runnable.filter((hook) => hook.dialect === dialect)),
    ...(dialects.get(dialect)!.runsOn && { runsOn: true as const }),
    positions: hooks.flatMap((hook, position) =>
      hook.dialect === dialect && !hook.async ? [position] : [],
    ),
  }));
  return lanes
    .filter(({ positions }) => positions.length > 0)
    .map((lane) => ({ ...lane, ...levelsOf(lane, hooks) }));
}

/** A weaker hook that ends a sequence must not spare the call a stronger one. */
function levelsOf(
  { mode, positions }: Pick<HookLane, 'mode' | 'positions'>,
  hooks: readonly RegisteredHook[],
): Pick<HookLane, 'levels'> {
  if (mode !== 'sequential') return {};
  const levels = positions.map((position) => authorities.indexOf(hooks[position]!.source));
  return levels.some((level) => level !== levels[0]) ? { levels } : {};
}

/**
 * Returns the plan without the hooks that do not apply to this payload, and, if the event is a part of a call,
 * without those that receive the whole call; undefined when none is left.
 */
export function applyingTo(
  plan: HookPlan,
  input: object,
  { partFor }: Pick<EventContext, 'partFor'> = {},
): HookPlan | undefined {
  const { hooks, lanes, dialects } = plan;
  const looks = ({ dialect }: RegisteredHook): boolean => 'applies' in dialects.get(dialect)!;
  if (partFor === undefined && !hooks.some(looks)) return plan;
  const payload: HookPayload = { ...input };
  const applying = hooks.filter((hook) => {
    if (dialects.get(hook.dialect)!.family === partFor) return false;
    try {
      return dialects.get(hook.dialect)!.applies?.(hook, payload) ?? true;
    } catch {
      // If that cannot be determined, the hook runs.
      return true;
    }
  });
  if (applying.length === hooks.length) return plan;
  if (applying.length === 0) return undefined;
  const placed = lanes.map(({ positions, levels: _, ...lane }) => ({
    ...lane,
    positions: positions.flatMap((position) => {
      const index = applying.indexOf(hooks[position]!);
      return index < 0 ? [] : [index];
    }),
  }));
  return {
    ...plan,
    hooks: applying,
    lanes: placed
      .filter(({ positions }) => positions.length > 0)
      .map((lane) => ({ ...lane, ...levelsOf(lane, applying) })),
  };
}

/** How all hooks of a plan run, as the public API puts it: lanes run side by side. */
export const modeOf = ({ lanes }: Pick<HookPlan, 'lanes'>): 'parallel' | 'sequential' =>
  lanes.length === 1 ? lanes[0]!.mode : 'parallel';

/** A hook that nobody waits for cannot deny anything. */
const blocksOnFailure = ({ onFailure, async: isUnawaited }: RegisteredHook): boolean =>
  onFailure === 'block' && !isUnawaited;

/** Whether a hook of another event replaces this one, in a dialect in which names do. */
const isReplaced = (
  hook: RegisteredHook,
  foreign: readonly RegisteredHook[],
  dialects: ReadonlyMap<string, Dialect>,
): boolean =>
  foreign.some(
    (other) =>
      identityOf(other, dialects) === identityOf(hook, dialects) &&
      isStronger(other, hook, dialects),
  );

/** What an event's matchers are compared with; undefined if there is nothing. */
export function subjectOf(event: HookEventName, fields: object): MatchSubject {
  const field = hookPointOf(event).subject;
  if (field === undefined) return undefined;
  const subject = (fields as Readonly<Record<string, unknown>>)[field];
  return typeof subject === 'string' ? subject : undefined;
}
