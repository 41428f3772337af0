import type { AggregatedHookResult } from '../../core/answers/results.ts';
import type { HookAnswer } from '../../../machines/hook-event.ts';
import type { Answer } from '../../core/answers/answer.ts';
import { failureCode } from '../../base/errors.ts';
import type { HookOutput } from '../../core/protocol/output.ts';
import type { AnsweredEntry } from './entry.ts';
import type { Redactor } from '../../settings/redaction/redactor.ts';
import { defined, isRecord } from '../../base/json.ts';

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
    // The API reports 0 for a process that was ended by a signal.
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

/*
 * What a journal without payloads holds in the place of texts that may quote a model, a tool or a hook.
 */

/** Matches the names that tools, parameters, models and calls usually have. A model can make up others. */
const usual = /^[\p{L}\p{N}_$][\p{L}\p{N}_$.:/@-]{0,127}$/u;

const unusual = '(unusual name)';

/** Returns a name that a model may have made up, if it looks like a name. */
export const plainName = (name: string): string =>
  name === '' || usual.test(name) ? name : unusual;

/** Returns the name of a field such as `tool_input.command`, whose last part a model may have made up. */
export function plainField(field: string): string {
  if (usual.test(field)) return field;
  const slot = field.slice(0, Math.max(0, field.indexOf('.')));
  return usual.test(slot) ? `${slot}.${unusual}` : unusual;
}

/**
 * Returns the reason for a denial as hooks themselves gave it. The reason of a hook that failed may contain
 * anything that it printed or threw, so its code is returned instead.
 */
export function plainDenial(
  { results = [], failure }: Partial<AggregatedHookResult>,
  reason: string | undefined,
): string | undefined {
  const denying = results.filter(({ decision }) => decision === 'deny');
  const failed = denying.filter(({ status }) => status !== 'ok');
  if (failed.length === 0 && failure === undefined) return reason;
  const said = denying.map((answer) =>
    answer.status === 'ok'
      ? answer.reason
      : `Blocked because the hook "${answer.hook.name}" failed: ${failureCode(answer) ?? answer.status}`,
  );
  return said.length > 0
    ? said.filter((text) => text !== undefined).join('\n')
    : `Blocked because the hooks could not be run: ${failure!.stage}`;
}

/** Whether the reason of an answer explains a decision; anything else is only something that a hook wrote. */
export const explainsDecision = ({ status, decision, stop }: HookAnswer): boolean =>
  status === 'ok' && (decision !== undefined || stop);
