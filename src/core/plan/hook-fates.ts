import type { Dialect } from '../dialects/dialect.ts';
import type { HookEventName } from '../protocol/events.ts';
import type { RegisteredHook } from '../definitions/hook-definition.ts';
import { identityOf } from './duplicates.ts';
import { HookPlanner, subjectOf } from './hook-planner.ts';
import type { RegisteredHooks } from './registered-hooks.ts';

type Fields = Readonly<Record<string, unknown>>;

/** What happened to a hook when an event was fired. */
export type HookFate =
  | { readonly kind: 'ran' | 'started' | 'plugin' | 'off' | 'disabled' | 'untrusted' }
  | { readonly kind: 'payload' | 'once' | 'ended' }
  | { readonly kind: 'event'; readonly event: string }
  | { readonly kind: 'matcher'; readonly matcher: string; readonly subject: string }
  | { readonly kind: 'if'; readonly rule: string }
  | { readonly kind: 'twin'; readonly twin?: RegisteredHook };

/** An event that was fired. */
export interface FiredOnce {
  readonly event: HookEventName;
  /** Its fields, and those of each of its parts. */
  readonly payloads: readonly Fields[];
  /** The hooks that returned results. */
  readonly ran: readonly RegisteredHook[];
}

/** Returns for every hook why it ran or did not run, after the event. */
export function hookFates(
  registry: RegisteredHooks,
  { event, payloads, ran }: FiredOnce,
  isUntrusted: (hook: RegisteredHook) => boolean,
  isOff: (hook: RegisteredHook) => boolean,
): ReadonlyMap<RegisteredHook, HookFate> {
  const planner = new HookPlanner(
    () => undefined,
    (hook) => !isUntrusted(hook as RegisteredHook),
  );
  planner.use(registry);
  const subjects = payloads.map((fields) => subjectOf(event, fields));
  const matching = new Set(subjects.flatMap((subject) => planner.matching(event, subject)));
  const plans = subjects.flatMap((subject) => planner.plan(event, subject) ?? []);
  const entries = plans.flatMap((plan) => [...(plan.entries?.values() ?? [])]);
  const planned = new Set(
    plans.flatMap(({ hooks, entries: of }) =>
      hooks.map((hook) => of?.get(hook)?.[0]?.written ?? hook),
    ),
  );
  const places = new Set(ran.map(placeOf));
  const fateOf = (hook: RegisteredHook): HookFate => {
    const dialect = registry.dialects.get(hook.dialect)!;
    if (hook.event !== event) return { kind: 'event', event: hook.nativeEvent ?? hook.event };
    if (hook.type === 'plugin') return { kind: 'plugin' };
    if (isOff(hook)) return { kind: 'off' };
    if (!hook.enabled) return { kind: 'disabled' };
    if (!matching.has(hook))
      return {
        kind: 'matcher',
        matcher: registry.matcherOf(hook) ?? '',
        subject: subjects.find((subject) => subject !== undefined) ?? '',
      };
    if (isUntrusted(hook)) return { kind: 'untrusted' };
    if (places.has(placeOf(hook))) return { kind: 'ran' };
    if (!planned.has(hook)) {
      const identity = identityOf(hook, registry.dialects);
      const isTwin = (one: RegisteredHook) =>
        one !== hook && identityOf(one, registry.dialects) === identity;
      const [first] = entries.find((list) => list.some(({ written }) => written === hook)) ?? [];
      const twin = first?.written ?? [...planned, ...registry.getAllHooks()].find(isTwin);
      return { kind: 'twin', ...(twin && { twin }) };
    }
    if (!payloads.some((fields) => isFor(dialect, hook, fields)))
      return hook.if === undefined ? { kind: 'payload' } : { kind: 'if', rule: hook.if };
    if (hook.once) return { kind: 'once' };
    return { kind: hook.async ? 'started' : 'ended' };
  };
  return new Map(registry.getAllHooks().map((hook) => [hook, fateOf(hook)]));
}

/** Whether a hook applies to this payload, however often it has run. */
function isFor(dialect: Dialect, { once: _, ...hook }: RegisteredHook, fields: Fields): boolean {
  try {
    return dialect.applies?.(hook, { ...fields, hook_event_name: hook.event }) ?? true;
  } catch {
    return true;
  }
}

const placeOf = ({ dialect, event, source, file, place, command }: RegisteredHook): string =>
  JSON.stringify([dialect, event, source, file, place, command]);
