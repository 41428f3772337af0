import { debugChannel } from '../log.ts';
import type { HookEventName } from '../protocol/events.ts';
import type { HookRegistry, RegisteredHook } from './hook-registry.ts';
import { compileMatcher, type Matcher, type MatchSubject } from './matcher.ts';

const debug = debugChannel('planner');

/** Which hooks run for an event, and how. */
export interface HookPlan {
  readonly event: HookEventName;
  readonly mode: 'parallel' | 'sequential';
  /** In plan order, without doubles; never empty. */
  readonly hooks: readonly RegisteredHook[];
}

/** How many subjects an event remembers its plans for; tool names are few and short, but a model may invent them. */
const rememberedSubjects = 1_000;
const rememberedLength = 200;

interface CompiledEvent {
  readonly entries: readonly { readonly hook: RegisteredHook; readonly fits: Matcher }[];
  readonly plans: Map<MatchSubject, HookPlan | undefined>;
}

/** A synchronous index from event and subject to a plan, or to nothing (HOOK-010 to 013). */
export class HookPlanner {
  readonly #warn: (line: string) => void;
  readonly #events = new Map<HookEventName, CompiledEvent>();
  #registry: HookRegistry | undefined;

  constructor(warn: (line: string) => void) {
    this.#warn = warn;
  }

  /** Plans from now on with these hooks, or with none; a plan that was made stays as it is (G-09). */
  use(registry: HookRegistry | undefined): void {
    this.#registry = registry;
    this.#events.clear();
  }

  /** The plan for an event; undefined when no hook is meant for it. */
  plan(event: HookEventName, subject?: MatchSubject): HookPlan | undefined {
    const compiled = this.#compiled(event);
    if (compiled.entries.length === 0) return undefined;
    const { plans } = compiled;
    if (plans.has(subject)) return plans.get(subject);
    const plan = makePlan(event, compiled, subject);
    debug('%s %s: %o', event, subject ?? '', plan?.hooks.map(({ name }) => name) ?? 'no hook');
    if (plans.size >= rememberedSubjects) plans.clear();
    if ((subject?.length ?? 0) <= rememberedLength) plans.set(subject, plan);
    return plan;
  }

  #compiled(event: HookEventName): CompiledEvent {
    const known = this.#events.get(event);
    if (known !== undefined) return known;
    const compiled: CompiledEvent = {
      entries: (this.#registry?.getHooksForEvent(event) ?? []).map((hook) => ({
        hook,
        fits: compileMatcher(event, hook.matcher, ({ message }) =>
          this.#warn(
            `hook "${hook.name}" (${event}): its matcher cannot be decided (${message}), so the hook runs; simplify the matcher`,
          ),
        ),
      })),
      plans: new Map(),
    };
    this.#events.set(event, compiled);
    return compiled;
  }
}

function makePlan(
  event: HookEventName,
  { entries }: CompiledEvent,
  subject: MatchSubject,
): HookPlan | undefined {
  const matching = entries
    .filter(({ fits }) => subject === undefined || fits(subject))
    .map(({ hook }) => hook);
  if (matching.length === 0) return undefined;
  return {
    event,
    // Asked before doubles are dropped: an entry that matches forces a sequence (HOOK-109, C-22).
    mode: matching.some(({ sequential }) => sequential) ? 'sequential' : 'parallel',
    hooks: withoutDoubles(matching),
  };
}

/** One command runs once for an event; the first, of the strongest source, is kept (HOOK-090, 091). */
function withoutDoubles(hooks: readonly RegisteredHook[]): RegisteredHook[] {
  const seen = new Set<string>();
  return hooks.filter((hook) => {
    const key = identityOf(hook);
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}

/** The command alone, unless it names a variable of its own source: `${extensionPath}/x` is another script in each extension. */
function identityOf({ type, command, name, env }: RegisteredHook): string {
  if (type === 'plugin') return `plugin:${name}`;
  const own = Object.entries(env).filter(([variable]) => command.includes(variable));
  return `command:${command}${own.length > 0 ? JSON.stringify(own) : ''}`;
}
