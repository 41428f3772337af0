import type { HookEventInput, HookEventOutcome } from '../../machines/hook-event.ts';
import type { EventContext } from '../dialects/event-context.ts';
import type { HookSystemConfig } from '../hooks/config.ts';
import type { HookSystem } from '../hooks/hook-system.ts';
import type { Verdict } from '../hooks/plan-input.ts';
import type { AggregatedHookResult } from '../hooks/results.ts';
import type { HookEventName } from '../protocol/events.ts';
import type { HookEventFields } from '../protocol/input.ts';
import { withoutHooks } from './ready-hook-system.ts';

/** Whether any hook is meant for an event. What breaks counts as none, and is warned of (HOOK-111). */
export function hasHooks(
  config: HookSystemConfig,
  system: HookSystem | undefined,
  event: HookEventName,
  subject?: string,
): boolean {
  try {
    return system?.hasHooksFor(event, subject) ?? false;
  } catch (error) {
    withoutHooks(config, `${event}: the hooks could not be planned`, error);
    return false;
  }
}

/**
 * The machine input for an event of a call; undefined when no hook is meant for it. `fields` is then
 * not called. A plan that cannot be made is warned of, and the call goes on without hooks.
 */
export function planHooks<Event extends HookEventName>(
  config: HookSystemConfig,
  system: HookSystem | undefined,
  event: Event,
  fields: () => HookEventFields[Event],
  subject?: string,
  context?: EventContext,
): HookEventInput | undefined {
  try {
    if (!system?.hasHooksFor(event, subject)) return undefined;
    return system.getEventHandler().prepare(event, fields, subject, context);
  } catch (error) {
    return withoutHooks(config, `${event}: the hooks could not be planned`, error);
  }
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
