import type { HookEventOutcome } from '../../machines/hook-event.ts';
import type { PhaseFailure, ToolCallContext, ToolInput } from '../../machines/tool-call.ts';
import { hookResult } from '../core/calls/event-hooks.ts';
import type { Verdict } from '../core/answers/verdict.ts';
import { verdictOf } from '../core/run/event-result.ts';
import { messageOf } from '../base/message-of.ts';
import type { HookEventName } from '../core/protocol/events.ts';
import { viewOf } from '../core/views/outputs.ts';
import { makeEmptySuccessResult } from '../core/answers/results.ts';

/** What one hook said about a call, for the person who is asked about it. */
export interface HookSaid {
  readonly hook: string;
  readonly source: string;
  readonly dialect: string;
  readonly decision?: string;
  readonly reason?: string;
  /** What happened to the hook itself, unless it ran normally. */
  readonly status?: string;
}

/** The outcome of a phase's hooks, as plain data. */
interface JudgedPhase {
  readonly verdict: Verdict;
}

/** What the first leg of a call passes on to the second, as plain data. */
export interface Judged {
  /** The arguments as the hooks left them: they are shown, and the tool gets them. */
  readonly toolInput: ToolInput;
  readonly before?: JudgedPhase;
  readonly permission?: JudgedPhase;
  readonly failures: readonly { readonly phase: PhaseFailure['phase']; readonly message: string }[];
}

/** Reduces a call that waits for an answer to what its second leg needs. */
export function judgedOf({
  toolInput,
  before,
  permission,
  failures,
}: Pick<ToolCallContext, 'toolInput' | 'before' | 'permission' | 'failures'>): Judged {
  return {
    toolInput,
    ...(before && { before: phaseOf(before) }),
    ...(permission && { permission: phaseOf(permission) }),
    failures: failures.map(({ phase, error }) => ({ phase, message: messageOf(error) })),
  };
}

const phaseOf = (outcome: HookEventOutcome): JudgedPhase => ({
  verdict: hookResult(outcome)!.verdict,
});

/** Restores it to the form that the machine of a tool call keeps. */
export const contextOf = ({
  toolInput,
  before,
  permission,
  failures,
}: Judged): Pick<ToolCallContext, 'toolInput' | 'before' | 'permission' | 'failures'> => ({
  toolInput,
  ...(before && { before: outcomeOf('BeforeTool', before) }),
  ...(permission && { permission: outcomeOf('ToolPermission', permission) }),
  failures: failures.map(({ phase, message }) => ({ phase, error: new Error(message) })),
});

function outcomeOf(event: HookEventName, { verdict }: JudgedPhase): HookEventOutcome {
  const result = { ...makeEmptySuccessResult(), ...viewOf(event, verdict) };
  return { status: 'settled', verdict: verdictOf(result) };
}

/** Returns what each hook said about a call that needs an answer. */
export const saidOf = ({
  before,
  permission,
}: Pick<ToolCallContext, 'before' | 'permission'>): HookSaid[] =>
  [before, permission].flatMap(
    (phase) =>
      hookResult(phase)?.results.map(({ hook, decision, reason, status }) => ({
        hook: hook.name,
        source: hook.source,
        dialect: hook.dialect,
        ...(decision !== undefined && { decision }),
        ...(reason !== undefined && { reason }),
        ...(status !== 'ok' && { status }),
      })) ?? [],
  );
