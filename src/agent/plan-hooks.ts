import type { HookEventInput, HookEventOutcome } from '../../machines/hook-event.ts';
import type { EventContext } from '../dialects/event-context.ts';
import type { HookSystem } from '../hooks/hook-system.ts';
import type { Verdict } from '../hooks/plan-input.ts';
import type { AggregatedHookResult } from '../hooks/results.ts';
import type { HookEventName } from '../protocol/events.ts';
import type { HookEventFields } from '../protocol/input.ts';

/** Whether any hook is meant for an event. Where that cannot be found out, the event itself tells why (HOOK-111). */
export function hasHooks(
  system: HookSystem | undefined,
  event: HookEventName,
  subject?: string,
): boolean {
  try {
    return system?.hasHooksFor(event, subject) ?? false;
  } catch {
    return true;
  }
}

/** The machine input for an event of a call; undefined when no hook is meant for it. `fields` is then not called. */
export function planHooks<Event extends HookEventName>(
  system: HookSystem | undefined,
  event: Event,
  fields: () => HookEventFields[Event],
  subject?: string,
  context?: EventContext,
): HookEventInput | undefined {
  if (!system || !hasHooks(system, event, subject)) return undefined;
  return system.getEventHandler().prepare(event, fields, subject, context);
}

/** The plan, whose result is told as soon as all its hooks have spoken. */
export function tellResult(
  plan: HookEventInput | undefined,
  tell: (result: AggregatedHookResult) => void,
): HookEventInput | undefined {
  if (plan === undefined) return undefined;
  const { rules } = plan;
  let told: Verdict | undefined;
  return {
    ...plan,
    rules: {
      ...rules,
      merge(...heard) {
        const verdict = rules.merge(...heard) as Verdict;
        // XState works out the output of a final state twice.
        if (verdict !== told) tell((told = verdict).result);
        return verdict;
      },
    },
  };
}

/** What the hooks of a phase did, when any ran. */
export const hookResult = (phase: HookEventOutcome | undefined): AggregatedHookResult | undefined =>
  (phase?.verdict as Verdict | undefined)?.result;
