import type { HookPayload } from '../../../machines/hook-event.ts';
import type { HookExit, HookProcessOutcome } from '../../../machines/hook-process.ts';
import { fieldsOf, isRecord } from '../../base/json.ts';
import type { HookDefinition } from '../../core/definitions/hook-definition.ts';
import {
  unfitArguments,
  type Answer,
  type Decision,
  type Effect,
} from '../../core/answers/answer.ts';
import { holdsDenial, withLostDenial } from '../parts/near-misses.ts';
import {
  cutStdout,
  factsOf,
  failureText,
  readOutcome,
  noAnswer,
  cutNotes,
  failure,
} from '../../core/answers/process-facts.ts';
import { copilotEventOf, traitsOf, type CopilotEvent } from './events.ts';
import { meansToDeny, readsSpecific, readStdout, type Printed } from './printed.ts';
import { fromCopilotInput, fromCopilotResult, inputFault } from './tools.ts';

type Fields = Readonly<Record<string, unknown>>;

/** What an answer asks for, before its exit code is considered. */
interface Wants extends Partial<
  Pick<Answer, 'decision' | 'reason' | 'unreadable' | 'ignored' | 'unfit'>
> {
  readonly stop?: boolean;
  readonly effects: readonly Effect[];
  readonly notes: readonly string[];
}

const host = 'Copilot';

/** The reason that Copilot itself gives for a denial if the hook gave none. */
const noReason = 'No reason provided';

/**
 * Reads the answer of a hook that has ended (as measured on the host; docs/dialects.md lists the
 * departures).
 */
export function readAnswer(
  hook: Pick<HookDefinition, 'event' | 'nativeEvent'>,
  outcome: HookProcessOutcome,
  payload: HookPayload,
): Answer {
  const event = copilotEventOf(hook);
  const failsClosed = closesOnFailure(event);
  if (outcome.status === 'failed' && failsClosed && !saidNothing(outcome.exit))
    return erred(event, noAnswer('failed', outcome.error, outcome.exit));
  return withLostDenial(
    readOutcome(outcome, (exit) => readExit(event, exit, payload, failsClosed), { host }),
  );
}

/** A server that answers successfully with something other than JSON says nothing. */
const saidNothing = (exit: HookExit | undefined): boolean =>
  exit?.httpStatus !== undefined && exit.httpStatus >= 200 && exit.httpStatus < 300;

/** Whether a hook that fails at this event denies. */
const closesOnFailure = ({ point }: CopilotEvent): boolean =>
  point === 'preToolUse' || point === 'permissionRequest';

/** Turns the failure of a hook into a denial. */
const erred = ({ name }: CopilotEvent, failed: Answer): Answer => ({
  ...failed,
  decision: 'deny',
  reason: `Denied by ${name} hook (hook errored): ${failed.error!.message}`,
});

function readExit(
  event: CopilotEvent,
  exit: HookExit,
  payload: HookPayload,
  failsClosed: boolean,
): Answer {
  const facts = factsOf(exit);
  const { exitCode, truncated, stderr } = exit;
  const printed = readStdout(event, exit.stdout, payload);
  const wants = kept(event, printed, readPrinted(event, printed, payload));
  const notes = [...wants.notes, ...cutNotes(exit)];
  const answer: Answer = { ...facts, ...wants, notes, status: 'ok', success: exitCode === 0 };
  const failed = (message: string): Answer => ({
    ...facts,
    notes,
    ...failure(message),
  });
  if (exitCode !== 0 && exitCode !== 2) {
    if (failsClosed) return erred(event, failed(failureText(exit)));
    if (!isKept(event, wants)) return failed(failureText(exit));
    return { ...answer, ...wouldIgnore(failureText(exit), 'exit with 0') };
  }
  if (exitCode === 2 && failsClosed) return denied(event, printed, answer);
  if (exitCode === 2 && event.point === 'postToolUseFailure') {
    const text = stderr.trim();
    return { ...answer, effects: text === '' ? [] : [{ kind: 'context', text }] };
  }
  // What was kept of a cut-off stdout may still look like a whole answer; only a denial is taken from it.
  if (truncated.includes('stdout') && wants.decision !== 'deny') return failed(cutStdout);
  return answer;
}

const isKept = (event: CopilotEvent, { decision }: Wants): boolean =>
  decision === 'deny' && traitsOf(event).keepsDenials === true;

/** Exit 2 denies, whatever stdout says; stderr is not reported. */
function denied(event: CopilotEvent, printed: Printed, answer: Answer): Answer {
  const fields = printed.kind === 'object' ? printed.fields : {};
  const reason =
    event.point === 'preToolUse'
      ? (given(fields['permissionDecisionReason']) ?? answer.reason)
      : given(fields['message']);
  const usual =
    event.point === 'preToolUse' ? 'hook exited with code 2' : 'Permission denied by hook.';
  const { ignored: _, ...obeyed } = answer;
  return {
    ...obeyed,
    decision: 'deny',
    reason: reason === undefined || reason === noReason ? usual : reason,
    effects: answer.effects.filter(({ kind }) => kind !== 'replace'),
  };
}

function readPrinted(event: CopilotEvent, printed: Printed, payload: HookPayload): Wants {
  switch (printed.kind) {
    case 'nothing':
      return nothing;
    case 'text':
      return holdsDenial(printed.text)
        ? {
            ...nothing,
            notes: ['a denial was NOT read: print one JSON object on stdout and nothing else'],
          }
        : nothing;
    case 'object': {
      const { fields, misses, notes } = printed;
      const wants = readFields(event, fields, payload);
      return {
        ...wants,
        notes: [...notes, ...misses, ...wants.notes],
        ...(misses[0] !== undefined && { unreadable: `its answer is unclear: ${misses[0]}` }),
      };
    }
  }
}

const nothing: Wants = { effects: [], notes: [] };

const wouldIgnore = (why: string, fix: string): Pick<Wants, 'ignored'> => ({
  ignored: { host, what: 'denial', why, fix },
});

/** Keeps a denial that Copilot would lose to a flaw, at events where it still counts. */
function kept(event: CopilotEvent, printed: Printed, wants: Wants): Wants {
  if (wants.decision === 'deny' || !traitsOf(event).keepsDenials) return wants;
  const objects =
    printed.kind === 'object' ? [printed.fields] : printed.kind === 'text' ? printed.objects : [];
  const fields = objects.find(meansToDeny);
  if (fields === undefined) return wants;
  const flaw =
    printed.kind === 'text'
      ? wouldIgnore(
          'there is other text around its answer',
          'print one JSON object and nothing else',
        )
      : wouldIgnore(`it does not use the fields of ${event.name}`, wordsFor(event));
  const { unreadable: _, ...rest } = wants;
  return {
    ...rest,
    decision: 'deny',
    reason: reasonIn(fields) ?? noReason,
    effects: wants.effects.filter(({ kind }) => kind !== 'replace'),
    notes: wants.notes.filter((note) => !note.startsWith('a denial was NOT read')),
    ...flaw,
  };
}

const wordsFor = ({ point }: CopilotEvent): string =>
  point === 'preToolUse'
    ? 'print "permissionDecision": "deny" and a "permissionDecisionReason"'
    : point === 'permissionRequest'
      ? 'print "behavior": "deny" and a "message"'
      : 'print "decision": "block" and a "reason"';

/** Returns the reason of a denial, wherever it is. */
function reasonIn(fields: Fields): string | undefined {
  const own = fieldsOf(fields['hookSpecificOutput']);
  return [fields, own, fieldsOf(fields['decision']), fieldsOf(own['decision'])]
    .flatMap((place) => [place['permissionDecisionReason'], place['reason'], place['message']])
    .map(given)
    .find((text) => text !== undefined);
}

/** Reads what an answer asks for in the words of its event. */
function readFields(event: CopilotEvent, fields: Fields, payload: HookPayload): Wants {
  const said = withContext(event, fields);
  switch (event.point) {
    case 'preToolUse':
      return beforeTool(event, fields, payload, said);
    case 'permissionRequest': {
      const { behavior, message, interrupt } = fields;
      if (behavior === 'allow') return { ...said, decision: 'allow' };
      if (behavior !== 'deny') return said;
      const reason = given(message) ?? 'Permission denied by hook.';
      return { ...said, decision: 'deny', reason, ...(interrupt === true && { stop: true }) };
    }
    case 'postToolUse':
      return afterTool(fields, said);
    case 'userPromptSubmitted':
      return { ...blockedBy(fields), ...withOwn(said, fields, promptFields) };
    case 'userPromptTransformed':
      return withOwn(said, fields, ['modifiedTransformedPrompt']);
    case 'agentStop':
      return { ...blockedBy(fields), ...said };
    case 'subagentStop':
      return { ...blockedBy(fields), ...withOwn(said, fields, ['modifiedResponse']) };
    default:
      return said;
  }
}

/** Fields of an answer to a prompt that have a meaning only in Copilot. */
const promptFields = ['modifiedPrompt', 'handled', 'responseContent'] as const;

/** Adds fields that have a meaning only in Copilot; a field for text must hold text. */
function withOwn(said: Wants, fields: Fields, names: readonly string[]): Wants {
  const own = names
    .filter((name) => (name === 'handled' ? fields[name] === true : isText(fields[name])))
    .map((name): Effect => ({ kind: 'own', name, value: fields[name] }));
  return { ...said, effects: [...said.effects, ...own] };
}

/** A block counts only with a reason. */
const blockedBy = ({ decision, reason }: Fields): Partial<Wants> =>
  decision === 'block' && isText(reason) && reason !== '' ? { decision: 'deny', reason } : {};

/** The events that ignore context. */
const tellsNothing: ReadonlySet<string> = new Set([
  'sessionEnd',
  'permissionRequest',
  'agentStop',
  'subagentStop',
  'errorOccurred',
  'preCompact',
  'userPromptTransformed',
]);

function withContext(event: CopilotEvent, fields: Fields): Wants {
  const own = readsSpecific(event) ? fieldsOf(fields['hookSpecificOutput']) : {};
  const notes =
    fields['continue'] === false ? ['"continue" has no effect: Copilot does not read it'] : [];
  const text = given(own['additionalContext']) ?? given(fields['additionalContext']);
  if (text === undefined || tellsNothing.has(event.point)) return { effects: [], notes };
  return { effects: [{ kind: 'context', text }], notes };
}

const decisions: readonly unknown[] = ['deny', 'ask', 'allow'] satisfies Decision[];

/**
 * Reads an answer before a tool: what is specific to the event takes precedence over what is not, and a
 * denial over everything.
 */
function beforeTool(event: CopilotEvent, fields: Fields, payload: HookPayload, said: Wants): Wants {
  const own = readsSpecific(event) ? fieldsOf(fields['hookSpecificOutput']) : {};
  const words = [own['permissionDecision'], fields['permissionDecision']];
  const word = words.includes('deny') ? 'deny' : words.find((one) => decisions.includes(one));
  const decision = word as Decision | undefined;
  const why = given(own['permissionDecisionReason']) ?? given(fields['permissionDecisionReason']);
  const { notes } = said;
  const isLost = word === 'deny' && words[0] !== undefined && words[0] !== 'deny';
  const changed = isRecord(own['updatedInput'])
    ? own['updatedInput']
    : argumentsIn(fields['modifiedArgs']);
  const effects: Effect[] = [...said.effects];
  if (changed !== undefined && decision !== 'deny') {
    const tool = String(payload['tool_name']);
    const fault = inputFault(tool, changed);
    if (fault !== undefined) return { effects, notes, ...unfitArguments(fault) };
    effects.push({ kind: 'replace', slot: 'tool_input', value: fromCopilotInput(tool, changed) });
  }
  const reason = why ?? (decision === 'deny' ? noReason : undefined);
  return {
    effects,
    notes,
    ...(decision !== undefined && { decision }),
    ...(decision !== undefined && reason !== undefined && { reason }),
    ...(isLost && wouldIgnore('"hookSpecificOutput" says something else', 'decide in one place')),
  };
}

/** Returns arguments, given as an object or as JSON text. */
function argumentsIn(value: unknown): Fields | undefined {
  if (isRecord(value)) return value;
  if (!isText(value)) return undefined;
  try {
    const parsed: unknown = JSON.parse(value);
    return isRecord(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}

/** After a tool, the reason of a block takes the place of the result. */
function afterTool(fields: Fields, said: Wants): Wants {
  const blocked = blockedBy(fields);
  const value =
    blocked.reason === undefined
      ? fromCopilotResult(fields['modifiedResult'])
      : fromCopilotResult({ textResultForLlm: `Tool result blocked: ${blocked.reason}` });
  const isUnfit = value === undefined && fields['modifiedResult'] !== undefined;
  return {
    ...blocked,
    effects: [
      // A block replaces the result, and nothing is reported beside it.
      ...(blocked.reason === undefined ? said.effects : []),
      ...(value ? [{ kind: 'replace', slot: 'tool_response', value } as const] : []),
    ],
    notes: [
      ...said.notes,
      ...(isUnfit
        ? ['"modifiedResult" was ignored: it must be an object with "textResultForLlm"']
        : []),
    ],
  };
}

const isText = (value: unknown): value is string => typeof value === 'string';

/**
 * Returns a value as text. A number or a boolean is converted, because a reason of the wrong type does
 * no harm.
 */
const given = (value: unknown): string | undefined =>
  isText(value)
    ? value || undefined
    : typeof value === 'number' || typeof value === 'boolean'
      ? String(value)
      : undefined;
