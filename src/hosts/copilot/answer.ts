import type { HookPayload } from '../../../machines/hook-event.ts';
import type { HookExit, HookProcessOutcome } from '../../../machines/hook-process.ts';
import { fieldsOf, isRecord } from '../../base/json.ts';
import { unfitArguments, type Answer, type Effect, type Wants } from '../../core/answers/answer.ts';
import {
  cutNotes,
  cutStdout,
  factsOf,
  failure,
  failureText,
  noAnswer,
} from '../../core/answers/process-facts.ts';
import type { HookDefinition } from '../../core/definitions/hook-definition.ts';
import { isText } from '../parts/hook-groups.ts';
import { answerMisses, holdsDenial } from '../parts/near-misses.ts';
import { parseObject, type Printed, printedIn } from '../parts/printed-json.ts';
import { strictest } from '../parts/said.ts';
import { copilotEventOf, traitsOf, type CopilotEvent } from './events.ts';
import { fromCopilotInput, fromCopilotResult, tools } from './tools.ts';
import { meansToDeny, readsSpecific, sayNo, withoutProgress, wordsOf } from './words.ts';
import { ignoredBy, readerOf } from '../parts/reader.ts';

type Fields = Readonly<Record<string, unknown>>;

const host = 'Copilot';
const wouldIgnore = ignoredBy(host);
const readEnded = readerOf({ host, eventOf: copilotEventOf, readExit });

/** The reason that Copilot itself gives for a denial if the hook gave none. */
const noReason = 'No reason provided';

/** Whether a hook that fails at this event denies. */
const failsClosed = ({ point }: CopilotEvent): boolean =>
  point === 'preToolUse' || point === 'permissionRequest';

/** Turns the failure of a hook into a denial. */
const erred = ({ name }: CopilotEvent, failed: Answer): Answer => ({
  ...failed,
  decision: 'deny',
  reason: `Denied by ${name} hook (hook errored): ${failed.error!.message}`,
});

/**
 * Reads the answer of a hook that has ended (as measured on the host; docs/dialects.md lists the
 * departures).
 */
export function readAnswer(
  hook: HookDefinition,
  outcome: HookProcessOutcome,
  payload: HookPayload,
): Answer {
  const event = copilotEventOf(hook);
  if (outcome.status === 'failed' && failsClosed(event)) {
    // A server that answers successfully with something other than JSON says nothing.
    const { httpStatus = 0 } = outcome.exit ?? {};
    if (httpStatus < 200 || httpStatus >= 300)
      return erred(event, noAnswer('failed', outcome.error, outcome.exit));
  }
  return readEnded(hook, outcome, payload);
}

function readExit(event: CopilotEvent, exit: HookExit, payload: HookPayload): Answer {
  const facts = factsOf(exit);
  const { exitCode } = exit;
  const printed = printedIn(withoutProgress(exit.stdout));
  const wants = withLost(event, printed, readPrinted(event, printed, payload));
  const notes = [...wants.notes, ...cutNotes(exit)];
  const answer: Answer = { ...facts, ...wants, notes, status: 'ok', success: exitCode === 0 };
  const failed = (message: string): Answer => ({ ...facts, notes, ...failure(message) });
  const denies = wants.decision === 'deny';
  if (exitCode !== 0 && exitCode !== 2) {
    const why = failureText(exit);
    if (failsClosed(event)) return erred(event, failed(why));
    return denies && traitsOf(event).keepsDenials
      ? { ...answer, ...wouldIgnore(why, 'exit with 0') }
      : failed(why);
  }
  if (exitCode === 2 && failsClosed(event)) return denied(event, printed, answer);
  if (exitCode === 2 && event.point === 'postToolUseFailure') {
    const text = exit.stderr.trim();
    return { ...answer, effects: text === '' ? [] : [{ kind: 'context', text }] };
  }
  // What was kept of a cut-off stdout may still look like a whole answer; only a denial is taken from it.
  return exit.truncated.includes('stdout') && !denies ? failed(cutStdout) : answer;
}

/** Exit 2 denies, whatever stdout says; stderr is not reported. */
function denied({ point }: CopilotEvent, { fields }: Printed, answer: Answer): Answer {
  const [said, usual] =
    point === 'preToolUse'
      ? [textIn(fields['permissionDecisionReason']) ?? answer.reason, 'hook exited with code 2']
      : [textIn(fields['message']), 'Permission denied by hook.'];
  const { ignored: _, ...obeyed } = answer;
  return {
    ...obeyed,
    decision: 'deny',
    reason: said === undefined || said === noReason ? usual : said,
    effects: answer.effects.filter(({ kind }) => kind !== 'replace'),
  };
}

const unread = 'a denial was NOT read: print one JSON object on stdout and nothing else';

function readPrinted(event: CopilotEvent, printed: Printed, payload: HookPayload): Wants {
  const { kind, fields, text, notes } = printed;
  if (kind !== 'object') return { effects: [], notes: holdsDenial(text) ? [unread] : [] };
  const misses = answerMisses(fields, text, wordsOf(event), payload);
  const wants = readFields(event, fields, payload);
  return {
    ...wants,
    notes: [...notes, ...misses, ...wants.notes],
    ...(misses[0] !== undefined && { unreadable: `its answer is unclear: ${misses[0]}` }),
  };
}

/** Keeps a denial that Copilot would lose to a flaw, at events where it still counts. */
function withLost(event: CopilotEvent, { kind, objects }: Printed, wants: Wants): Wants {
  const fields = traitsOf(event).keepsDenials ? objects.find(meansToDeny) : undefined;
  if (wants.decision === 'deny' || fields === undefined) return wants;
  const own = fieldsOf(fields['hookSpecificOutput']);
  const reason = [fields, own, fieldsOf(fields['decision']), fieldsOf(own['decision'])]
    .flatMap((place) => [place['permissionDecisionReason'], place['reason'], place['message']])
    .map(textIn)
    .find((text) => text !== undefined);
  const { unreadable: _, effects = [], notes, ...rest } = wants;
  return {
    ...rest,
    decision: 'deny',
    reason: reason ?? noReason,
    effects: effects.filter((effect) => effect.kind !== 'replace'),
    notes: notes.filter((note) => note !== unread),
    ...(kind === 'text'
      ? wouldIgnore(
          'there is other text around its answer',
          'print one JSON object and nothing else',
        )
      : wouldIgnore(`it does not use the fields of ${event.name}`, sayNo(event.point))),
  };
}

/** Reads what an answer asks for in the words of its event. */
function readFields(event: CopilotEvent, fields: Fields, payload: HookPayload): Wants {
  const { own = [], context } = traitsOf(event);
  const specific = readsSpecific(event) ? fieldsOf(fields['hookSpecificOutput']) : {};
  const text = textIn(specific['additionalContext']) ?? textIn(fields['additionalContext']);
  const said: Wants & { effects: Effect[] } = {
    effects: [
      ...(text !== undefined && context ? [{ kind: 'context', text } as const] : []),
      // Fields that have a meaning only in Copilot; one for text must hold text.
      ...own
        .filter((name) => (name === 'handled' ? fields[name] === true : isText(fields[name])))
        .map((name) => ({ kind: 'own', name, value: fields[name] }) as const),
    ],
    notes:
      fields['continue'] === false ? ['"continue" has no effect: Copilot does not read it'] : [],
  };
  switch (event.point) {
    case 'preToolUse':
      return beforeTool(fields, specific, payload, said);
    case 'permissionRequest': {
      const { behavior, message, interrupt } = fields;
      if (behavior === 'allow') return { ...said, decision: 'allow' };
      if (behavior !== 'deny') return said;
      const reason = textIn(message) ?? 'Permission denied by hook.';
      return { ...said, decision: 'deny', reason, ...(interrupt === true && { stop: true }) };
    }
    case 'postToolUse':
      return afterTool(fields, said);
    case 'userPromptSubmitted':
    case 'agentStop':
    case 'subagentStop':
      return { ...blockedBy(fields), ...said };
    default:
      return said;
  }
}

/** A block counts only with a reason. */
const blockedBy = ({ decision, reason }: Fields): Partial<Wants> =>
  decision === 'block' && isText(reason) && reason !== '' ? { decision: 'deny', reason } : {};

/**
 * Reads an answer before a tool: what is specific to the event takes precedence over what is not, and a
 * denial over everything.
 */
function beforeTool(fields: Fields, specific: Fields, payload: HookPayload, said: Wants): Wants {
  const [inner, outer] = [specific['permissionDecision'], fields['permissionDecision']];
  const decision = [inner, outer].includes('deny')
    ? 'deny'
    : (strictest([inner]) ?? strictest([outer]));
  const why =
    textIn(specific['permissionDecisionReason']) ?? textIn(fields['permissionDecisionReason']);
  const { updatedInput } = specific;
  const { modifiedArgs: given } = fields;
  const args = isText(given) ? parseObject(given.trim()) : isRecord(given) ? given : undefined;
  const changed = isRecord(updatedInput) ? updatedInput : args;
  const effects: Effect[] = [...(said.effects ?? [])];
  if (changed !== undefined && decision !== 'deny') {
    const tool = String(payload['tool_name']);
    const fault = tools.inputFault(tool, changed);
    if (fault !== undefined) return { ...said, ...unfitArguments(fault) };
    effects.push({ kind: 'replace', slot: 'tool_input', value: fromCopilotInput(tool, changed) });
  }
  const reason = why ?? (decision === 'deny' ? noReason : undefined);
  return {
    ...said,
    effects,
    ...(decision !== undefined && { decision }),
    ...(decision !== undefined && reason !== undefined && { reason }),
    ...(decision === 'deny' &&
      inner !== undefined &&
      inner !== 'deny' &&
      wouldIgnore('"hookSpecificOutput" says something else', 'decide in one place')),
  };
}

/** After a tool, the reason of a block takes the place of the result, and nothing is reported beside it. */
function afterTool({ modifiedResult: given, ...fields }: Fields, said: Wants): Wants {
  const blocked = blockedBy(fields);
  const isBlocked = blocked.reason !== undefined;
  const text = { textResultForLlm: `Tool result blocked: ${blocked.reason}` };
  const value = fromCopilotResult(isBlocked ? text : given);
  return {
    ...blocked,
    effects: [
      ...(isBlocked ? [] : (said.effects ?? [])),
      ...(value ? [{ kind: 'replace', slot: 'tool_response', value } as const] : []),
    ],
    notes: [
      ...said.notes,
      ...(value === undefined && given !== undefined
        ? ['"modifiedResult" was ignored: it must be an object with "textResultForLlm"']
        : []),
    ],
  };
}

/**
 * Returns a value as text. A number or a boolean is converted, because a reason of the wrong type does
 * no harm.
 */
const textIn = (value: unknown): string | undefined =>
  isText(value)
    ? value || undefined
    : typeof value === 'number' || typeof value === 'boolean'
      ? String(value)
      : undefined;
