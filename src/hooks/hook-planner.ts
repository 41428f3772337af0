import { RegexBudget } from '../dialects/bounded-regex.ts';
import type { Dialect, DialectOutline } from '../dialects/dialect.ts';
import { debugChannel } from '../log.ts';
import { hookSources, type HookEventName, type HookSource } from '../protocol/events.ts';
import type { StartGate, TrustGate } from './trust-gate.ts';
import type { HookRegistry } from './hook-registry.ts';
import type { RegisteredHook } from '../settings/hook-definition.ts';
import { messageOf } from '../message-of.ts';

const debug = debugChannel('planner');

/** What a plan is made for: the tool's name, or a session event's source, reason or trigger. */
export type MatchSubject = string | undefined;

/** Which hooks run for an event, and how. */
export interface HookPlan<D extends DialectOutline = Dialect> {
  readonly event: HookEventName;
  readonly mode: 'parallel' | 'sequential';
  /** In plan order, without doubles; never empty. */
  readonly hooks: readonly RegisteredHook[];
  /** Those of the hooks whose failure denies; absent when there are none. */
  readonly failClosed?: ReadonlySet<RegisteredHook>;
  /** By hook, its doubles that need nobody's trust: the first runs where the hook itself may not start after all. */
  readonly standIns?: ReadonlyMap<RegisteredHook, readonly RegisteredHook[]>;
  /** The dialects of the hooks, by name. */
  readonly dialects: ReadonlyMap<string, D>;
}

/** How many subjects an event remembers its plans for; tool names are few and short, but a model may invent them. */
const rememberedSubjects = 1_000;
const rememberedLength = 200;

/** Levels of authority, the strongest first: each has a budget of its own for its matchers. */
const authorities: readonly HookSource[] = ['system', 'user', 'project', 'extension'];

/** The plan with every hook that matches, as long as all of them are trusted. */
interface RememberedPlan<D extends DialectOutline> {
  readonly matching: readonly RegisteredHook[];
  readonly plan: HookPlan<D> | undefined;
}

interface CompiledEvent<D extends DialectOutline> {
  readonly dialects: ReadonlyMap<string, D>;
  readonly entries: readonly {
    readonly hook: RegisteredHook;
    readonly fits: (subject: string, budget: RegexBudget) => boolean;
  }[];
  /** Hooks of other events that go before one of this event with the same identity. */
  readonly foreign: readonly RegisteredHook[];
  readonly plans: Map<MatchSubject, RememberedPlan<D>>;
}

interface PlannerOptions {
  readonly mayStart?: StartGate;
  readonly matcherLimit?: number;
}

/** A synchronous index from event and subject to a plan, or to nothing (HOOK-010 to 013). */
export class HookPlanner<D extends DialectOutline = Dialect> {
  readonly #warn: (line: string) => void;
  readonly #matcherLimit: number | undefined;
  readonly #events = new Map<HookEventName, CompiledEvent<D>>();
  /** Hooks whose matchers could not be decided, yet to be told of. */
  readonly #undecided: { readonly hook: RegisteredHook; readonly error: unknown }[] = [];
  /** The events and levels whose undecided matchers were told of. */
  readonly #told = new Set<string>();
  #registry: HookRegistry<D> | undefined;

  readonly #trusts: TrustGate;

  /** Whether a hook of a plan may start, now that its turn has come. */
  readonly mayStart: StartGate;

  /**
   * `trusts` tells whether a hook may run, and is asked for every plan; `mayStart` again when a hook of it
   * is to start. `matcherLimit` is how long the matchers of a level may take for an event, in ms; default 100.
   */
  constructor(
    warn: (line: string) => void,
    trusts: TrustGate = () => true,
    { mayStart = trusts, matcherLimit }: PlannerOptions = {},
  ) {
    this.#warn = warn;
    this.#trusts = trusts;
    this.mayStart = mayStart;
    this.#matcherLimit = matcherLimit;
  }

  /** Plans from now on with these hooks, or with none; a plan that was made stays as it is (G-09). */
  use(registry: HookRegistry<D> | undefined): void {
    this.#registry = registry;
    this.#events.clear();
    this.#told.clear();
  }

  /** Whether a hook is meant for an event, trusted or not: nobody is asked, and nothing is read. */
  hasMatch(event: HookEventName, subject?: MatchSubject): boolean {
    const compiled = this.#events.get(event) ?? this.#compiled(event);
    if (compiled.entries.length === 0) return false;
    const { matching } = compiled.plans.get(subject) ?? this.#remembered(event, compiled, subject);
    return matching.length > 0;
  }

  /** The plan for an event; undefined when no hook is meant for it. */
  plan(event: HookEventName, subject?: MatchSubject): HookPlan<D> | undefined {
    // Looked up here, for V8 allocates for what such a call gives back.
    const compiled = this.#events.get(event) ?? this.#compiled(event);
    if (compiled.entries.length === 0) return undefined;
    const { matching, plan } =
      compiled.plans.get(subject) ?? this.#remembered(event, compiled, subject);
    if (matching.length === 0) return undefined;
    const { dialects, foreign } = compiled;
    const trusted = matching.filter((hook) => this.#trusts(hook));
    const before = foreign.filter((hook) => this.#trusts(hook));
    if (trusted.length === matching.length && before.length === foreign.length) return plan;
    const run = new Set(trusted);
    const denying = matching.filter((hook) => blocksOnFailure(hook) && !run.has(hook));
    return makePlan(event, trusted, before, dialects, matching, denying);
  }

  /** The hooks of an event whose failure denies, whatever they match: all that is known where no plan can be made. */
  failClosed(event: HookEventName): readonly RegisteredHook[] {
    return this.#registry?.getHooksForEvent(event).filter(blocksOnFailure) ?? [];
  }

  #remembered(
    event: HookEventName,
    { dialects, entries, foreign, plans }: CompiledEvent<D>,
    subject: MatchSubject,
  ): RememberedPlan<D> {
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

  /** Decided level by level, so that no matcher of a weaker one takes the time of a stronger one (S-16). */
  #matching(
    event: HookEventName,
    entries: CompiledEvent<D>['entries'],
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

  #matcherOf(hook: RegisteredHook, dialect: D): CompiledEvent<D>['entries'][number]['fits'] {
    const runs = (error: unknown): true => {
      this.#undecided.push({ hook, error });
      return true;
    };
    try {
      const fits = dialect.compileMatcher(hook, runs);
      return (subject, budget) => {
        try {
          return fits(subject, budget);
        } catch (error) {
          return runs(error);
        }
      };
    } catch (error) {
      runs(error);
      return () => true;
    }
  }

  /** One line for each level, once: a model may invent names without end. */
  #tellUndecided(event: HookEventName): void {
    const undecided = this.#undecided.splice(0);
    for (const authority of authorities) {
      const [first, ...others] = undecided.filter(({ hook }) => hook.source === authority);
      const about = `${event} ${authority}`;
      if (first === undefined || this.#told.has(about)) continue;
      this.#told.add(about);
      const why = messageOf(first.error);
      const names = [first, ...others].slice(0, namedHooks).map(({ hook }) => nameOf(hook));
      const more = others.length + 1 - names.length;
      this.#warn(
        others.length === 0
          ? `hook ${names[0]} (${event}): its matcher cannot be decided (${why}), so the hook runs; simplify the matcher`
          : `hooks ${names.join(', ')}${more > 0 ? ` and ${more} more` : ''} (${event}): their matchers cannot be decided (${why}), so the hooks run; simplify the matchers`,
      );
    }
  }

  #compiled(event: HookEventName): CompiledEvent<D> {
    const dialects: ReadonlyMap<string, D> = this.#registry?.dialects ?? new Map();
    const hooks = this.#registry?.getHooksForEvent(event) ?? [];
    const identities = new Set(hooks.map((hook) => identityOf(hook, dialects)));
    const compiled: CompiledEvent<D> = {
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

/** Cut, because the name may be a whole script. */
const nameOf = ({ name }: RegisteredHook): string =>
  `"${name.length > 80 ? `${name.slice(0, 80)}…` : name}"`;

/**
 * Doubles are dropped among hooks that may run: else an untrusted project could name a user's
 * command as its own, and neither would run. Those that may not run but deny by that, `denying`,
 * stand where they do among all that match.
 */
function makePlan<D extends DialectOutline>(
  event: HookEventName,
  runnable: readonly RegisteredHook[],
  foreign: readonly RegisteredHook[],
  dialects: ReadonlyMap<string, D>,
  matching: readonly RegisteredHook[] = runnable,
  denying: readonly RegisteredHook[] = [],
): HookPlan<D> | undefined {
  if (runnable.length + denying.length === 0) return undefined;
  const first = firstOfDoubles(runnable, foreign, dialects);
  const kept = new Set([...first.values(), ...denying]);
  if (kept.size === 0) return undefined;
  // The strictest of doubles decides, or a project could open a guard of the user.
  const strict = runnable
    .filter(blocksOnFailure)
    .flatMap((hook) => first.get(identityOf(hook, dialects)) ?? []);
  const failClosed = new Set([...strict, ...denying]);
  const standIns = new Map<RegisteredHook, RegisteredHook[]>();
  for (const hook of runnable) {
    const stoodFor = first.get(identityOf(hook, dialects));
    if (hook.source === 'project' || stoodFor?.source !== 'project') continue;
    const known = standIns.get(stoodFor);
    if (known) known.push(hook);
    else standIns.set(stoodFor, [hook]);
  }
  return {
    event,
    // Asked before doubles are dropped: an entry that matches forces a sequence (HOOK-109, C-22).
    mode: runnable.some(({ sequential }) => sequential) ? 'sequential' : 'parallel',
    hooks: matching.filter((hook) => kept.has(hook)),
    ...(failClosed.size > 0 && { failClosed }),
    ...(standIns.size > 0 && { standIns }),
    dialects,
  };
}

const blocksOnFailure = ({ onFailure }: RegisteredHook): boolean => onFailure === 'block';

/**
 * Of one identity a hook runs once for an event; the first, of the strongest source, is kept (HOOK-090,
 * 091). But an administrator's runs as the administrator has it, in its clean environment.
 */
function firstOfDoubles(
  hooks: readonly RegisteredHook[],
  foreign: readonly RegisteredHook[],
  dialects: ReadonlyMap<string, DialectOutline>,
): Map<string, RegisteredHook> {
  const first = new Map<string, RegisteredHook>();
  const foreignRanks = new Map<string, number>();
  for (const hook of foreign) {
    const key = identityOf(hook, dialects);
    foreignRanks.set(key, Math.min(rank(hook), foreignRanks.get(key) ?? Infinity));
  }
  for (const hook of hooks) {
    const key = identityOf(hook, dialects);
    const isHidden = (foreignRanks.get(key) ?? Infinity) < rank(hook);
    const known = first.get(key);
    if (isSystems(hook) ? !(known && isSystems(known)) : !isHidden && !known) first.set(key, hook);
  }
  return first;
}

const isSystems = ({ source }: RegisteredHook): boolean => source === 'system';

const rank = ({ source }: RegisteredHook): number => hookSources.indexOf(source);

const identityOf = (hook: RegisteredHook, dialects: ReadonlyMap<string, DialectOutline>): string =>
  `${hook.dialect}:${dialects.get(hook.dialect)!.identity(hook)}`;

/** The field that an event's matchers are compared with (C-20); more fields may stand beside it. */
const subjectField: Readonly<Partial<Record<HookEventName, string>>> = {
  BeforeTool: 'tool_name',
  AfterTool: 'tool_name',
  SessionStart: 'source',
  SessionEnd: 'reason',
  PreCompress: 'trigger',
  Notification: 'notification_type',
};

/** What an event's matchers are compared with; undefined where there is nothing. */
export function subjectOf(event: HookEventName, fields: object): MatchSubject {
  const field = subjectField[event];
  if (field === undefined) return undefined;
  const subject = (fields as Readonly<Record<string, unknown>>)[field];
  return typeof subject === 'string' ? subject : undefined;
}
