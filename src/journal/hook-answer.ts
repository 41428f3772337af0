import type { HookAnswer } from '../../machines/hook-event.ts';
import type { Answer } from '../dialects/answer.ts';
import { defined, type HookOutput, isRecord } from '../protocol/output.ts';
import type { AnsweredEntry } from './entry.ts';
import type { Redactor } from '../redaction/redactor.ts';

/** The longest reason, error or note that is kept. */
export const longestReason = 2_000;

/** What a hook said, as the journal records it. */
export function answered(
  answer: HookAnswer,
  { text, value }: Redactor,
  payloads: boolean,
): Omit<AnsweredEntry, 'kind' | 'at' | 'id'> {
  // A host's own rules need not say more than the machine must know.
  const {
    output,
    error,
    notes = [],
    stdout = '',
    stderr = '',
    ...rest
  } = answer as HookAnswer & Partial<Answer>;
  const { reason, stopReason } = output ?? {};
  const sets = answer.status === 'ok' && output ? fieldsOf(output).map((field) => text(field)) : [];
  return defined<Omit<AnsweredEntry, 'kind' | 'at' | 'id'>>({
    status: rest.status,
    decision: rest.decision,
    stop: rest.stop,
    reason: reason === undefined ? undefined : text(reason, longestReason),
    stopReason:
      answer.stop && stopReason !== undefined ? text(stopReason, longestReason) : undefined,
    // The API says 0 of a process that a signal ended (HOOK-196).
    exitCode: rest.signal === undefined ? (rest.exitCode ?? null) : null,
    signal: rest.signal,
    httpStatus: rest.httpStatus,
    durationMs: rest.durationMs ?? 0,
    timedOut: rest.timedOut ?? false,
    error: error && text(error.message, longestReason),
    notes: notes.length > 0 ? notes.map((note) => text(note, longestReason)) : undefined,
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

/** Fields that decide; what they say is recorded apart. */
const deciding = ['hookEventName', 'permissionDecision', 'permissionDecisionReason'];

/** Objects whose own fields are merged one by one. */
const spread = ['tool_input', 'llm_request', 'llm_response'];

/** From so many fields on, an object is named as a whole. */
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
