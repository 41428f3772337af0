import type { Dialect, DialectOutline } from '../dialects/dialect.ts';
import { debugChannel } from '../log.ts';
import { hookSources, type HookEventName } from '../protocol/events.ts';
import type { TrustGate } from '../trust/gate.ts';
import type { HookRegistry, RegisteredHook } from './hook-registry.ts';
import { messageOf } from './message-of.ts';

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
  /** The dialects of the hooks, by name. */
  readonly dialects: ReadonlyMap<string, D>;
}

/** How many subjects an event remembers its plans for; tool names are few and short, but a model may invent them. */
const rememberedSubjects = 1_000;
const rememberedLength = 200;

/** The plan with every hook that matches, as long as all of them are trusted. */
interface RememberedPlan<D extends DialectOutline> {
  readonly matching: readonly RegisteredHook[];
  readonly plan: HookPlan<D> | undefined;
}

interface CompiledEvent<D extends DialectOutline> {
  readonly dialects: ReadonlyMap<string, D>;
  readonly entries: readonly {
    readonly hook: RegisteredHook;
    readonly fits: (subject: string) => boolean;
  }[];
  /** Hooks of other events that go before one of this event with the same identity. */
  readonly foreign: readonly RegisteredHook[];
  readonly plans: Map<MatchSubject, RememberedPlan<D>>;
}

/** A synchronous index from event and subject to a plan, or to nothing (HOOK-010 to 013). */
export class HookPlanner<D extends DialectOutline = Dialect> {
  readonly #warn: (line: string) => void;
  readonly #events = new Map<HookEventName, CompiledEvent<D>>();
  #registry: HookRegistry<D> | undefined;

  /** Whether a hook may run; asked for every plan, and again when a hook of it is to start. */
  readonly trusts: TrustGate;

  constructor(warn: (line: string) => void, trusts: TrustGate = () => true) {
    this.#warn = warn;
    this.trusts = trusts;
  }

  /** Plans from now on with these hooks, or with none; a plan that was made stays as it is (G-09). */
  use(registry: HookRegistry<D> | undefined): void {
    this.#registry = registry;
    this.#events.clear();
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
    const trusted = matching.filter((hook) => this.trusts(hook));
    const before = foreign.filter((hook) => this.trusts(hook));
    if (trusted.length === matching.length && before.length === foreign.length) return plan;
    const denying = matching.filter((hook) => blocksOnFailure(hook) && !trusted.includes(hook));
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
    const matching = entries
      .filter(({ fits }) => subject === undefined || fits(subject))
      .map(({ hook }) => hook);
    const plan = makePlan(event, matching, foreign, dialects);
    debug('%s %s: %o', event, subject ?? '', plan?.hooks.map(({ name }) => name) ?? 'no hook');
    if (plans.size >= rememberedSubjects) plans.clear();
    const remembered = { matching, plan };
    if ((subject?.length ?? 0) <= rememberedLength) plans.set(subject, remembered);
    return remembered;
  }

  #matcherOf(hook: RegisteredHook, dialect: D): (subject: string) => boolean {
    const runs = (error: unknown): void =>
      this.#warn(
        `hook "${hook.name}" (${hook.event}): its matcher cannot be decided (${messageOf(error)}), so the hook runs; simplify the matcher`,
      );
    try {
      return dialect.compileMatcher(hook, runs);
    } catch (error) {
      runs(error);
      return () => true;
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
          hook.enabled && hook.event !== event && identities.has(identityOf(hook, dialects)),
      ),
      plans: new Map(),
    };
    this.#events.set(event, compiled);
    return compiled;
  }
}

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
  return {
    event,
    // Asked before doubles are dropped: an entry that matches forces a sequence (HOOK-109, C-22).
    mode: runnable.some(({ sequential }) => sequential) ? 'sequential' : 'parallel',
    hooks: matching.filter((hook) => kept.has(hook)),
    ...(failClosed.size > 0 && { failClosed }),
    dialects,
  };
}

const blocksOnFailure = ({ onFailure }: RegisteredHook): boolean => onFailure === 'block';

/** Of one identity a hook runs once for an event; the first, of the strongest source, is kept (HOOK-090, 091). */
function firstOfDoubles(
  hooks: readonly RegisteredHook[],
  foreign: readonly RegisteredHook[],
  dialects: ReadonlyMap<string, DialectOutline>,
): Map<string, RegisteredHook> {
  const first = new Map<string, RegisteredHook>();
  for (const hook of hooks) {
    const key = identityOf(hook, dialects);
    const isHidden = foreign.some(
      (other) => rank(other) < rank(hook) && identityOf(other, dialects) === key,
    );
    if (!isHidden && !first.has(key)) first.set(key, hook);
  }
  return first;
}

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
