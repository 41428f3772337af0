import type { HookEventName } from '../points/hook-points.ts';
import type { Verdict } from './verdict.ts';

/** Why hooks forbid an operation, as the model reads it. */
export function blockReasonOf(event: HookEventName, verdict: Verdict): string {
  const { reason, stopReason } = shown(verdict);
  const specific = verdict.output?.hookSpecificOutput ?? verdict.own;
  const own = event === 'BeforeTool' ? specific['permissionDecisionReason'] : undefined;
  return filled(own) ?? filled(reason) ?? filled(stopReason) ?? noReason;
}

/** Why hooks stop the agent, as the user reads it. */
export function stopReasonOf(verdict: Verdict): string {
  const said = shown(verdict);
  return filled(said.stopReason) ?? filled(said.reason) ?? noReason;
}

/** What AfterAgent hooks want the agent to do next, as user messages. */
export const wishesOf = (verdict: Verdict): readonly string[] => [
  ...(verdict.decision === 'deny' ? [blockReasonOf('AfterAgent', verdict)] : []),
  ...verdict.followUps,
];

/** Why hooks decided what they did, if they said it. */
export const reasonOf = (verdict: Verdict): string | undefined => shown(verdict).reason;

/** The reasons as the public API shows them: a dialect may have joined them by rules of its own. */
const shown = (verdict: Verdict): Pick<Verdict, 'reason' | 'stopReason'> =>
  verdict.output ?? verdict;

const noReason = 'No reason provided';

const filled = (text: unknown): string | undefined =>
  typeof text === 'string' && text !== '' ? text : undefined;
