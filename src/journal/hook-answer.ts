import type { HookAnswer } from '../../machines/hook-event.ts';
import type { Answer } from '../dialects/answer.ts';
import { failureCode } from '../failure-code.ts';
import { defined, type HookOutput, isRecord } from '../protocol/output.ts';
import type { AnsweredEntry } from './entry.ts';
import { explainsDecision, plainField } from './plain.ts';
import type { Redactor } from '../redaction/redactor.ts';

/** The longest reason, error or note that is kept, in characters. */
export const longestReason = 2_000;

/** Returns a hook's answer as the journal records it. */
export function answered(
  answer: HookAnswer,
  { text, value }: Redactor,
  payloads: boolean,
): Omit<AnsweredEntry, 'kind' | 'at' | 'id'> {
  // The answer of a host's own rules may have no more than the fields that the machine needs.
  const {
    output,
    error,
    notes = [],
    stdout = '',
    stderr = '',
    ...rest
  } = answer as HookAnswer & Partial<Answer>;
  const { reason, stopReason } = output ?? {};
  const field = (name: string): string => text(payloads ? name : plainField(name));
  const sets = answer.status === 'ok' && output ? [...new Set(fieldsOf(output).map(field))] : [];
  const isReasoned = payloads || explainsDecision(answer);
  return defined<Omit<AnsweredEntry, 'kind' | 'at' | 'id'>>({
    status: rest.status,
    decision: rest.decision,
    stop: rest.stop,
    reason: reason !== undefined && isReasoned ? text(reason, longestReason) : undefined,
    stopReason:
      answer.stop && stopReason !== undefined ? text(stopReason, longestReason) : undefined,
    // The API reports 0 for a process that was ended by a signal (HOOK-196).
    exitCode: rest.signal === undefined ? (rest.exitCode ?? null) : null,
    signal: rest.signal,
    httpStatus: rest.httpStatus,
    durationMs: rest.durationMs ?? 0,
    timedOut: rest.timedOut ?? false,
    failure: failureCode({ ...rest, error }),
    error: error && payloads ? text(error.message, longestReason) : undefined,
    notes:
      notes.length > 0 && payloads ? notes.map((note) => text(note, longestReason)) : undefined,
    sets: sets.length > 0 ? sets : undefined,
    payload: payloads
      ? {
          stdout: text(stdout),
          stderr: text(stderr),
          ...(output && { output: value(output) }),
        }
      : undefined,
  });
}

/** Fields that carry a decision, which is recorded separately. */
const deciding = ['hookEventName', 'permissionDecision', 'permissionDecisionReason'];

/** Objects whose own fields are merged one by one. */
const spread = ['tool_input', 'llm_request', 'llm_response'];

/** An object with more fields than this is recorded by its own name only. */
const tooManyToName = 100;

function fieldsOf({ hookSpecificOutput = {}, ...common }: HookOutput): string[] {
  const specific = Object.entries(hookSpecificOutput).flatMap(([name, set]) => {
    if (deciding.includes(name)) return [];
    if (!spread.includes(name) || !isRecord(set)) return [name];
    const keys = Object.keys(set);
    return keys.length > tooManyToName ? [name] : keys.map((key) => `${name}.${key}`);
  });
  return [
    ...(['systemMessage', 'suppressOutput'] as const).filter((name) => common[name] !== undefined),
    ...specific,
  ];
}
