import type { HookPayload } from '../../../machines/hook-event.ts';
import type { HookExit, HookProcessOutcome } from '../../../machines/hook-process.ts';
import { fieldsOf } from '../../base/json.ts';
import type { HookDefinition } from '../../core/definitions/hook-definition.ts';
import {
  defaultReason,
  unfitArguments,
  type Answer,
  type Effect,
} from '../../core/answers/answer.ts';
import { holdsDenial, withLostDenial } from '../parts/near-misses.ts';
import {
  cutStdout,
  factsOf,
  failureText,
  readOutcome,
  failure,
  unawaitedAnswer,
} from '../../core/answers/process-facts.ts';
import { codexEventOf, traitsOf, type CodexEventName } from './events.ts';
import { readStdout, type Printed } from './printed.ts';
import { isSaid, type Fault } from './schema.ts';
import { fromCodexInput, fromCodexResponse } from './tools.ts';

type Fields = Readonly<Record<string, unknown>>;

/** What an answer asks for, before its exit code is considered. */
type Wants = Pick<Answer, 'decision'> &
  Partial<
    Pick<Answer, 'reason' | 'stop' | 'stopReason' | 'effects' | 'plainText' | 'ignored' | 'unfit'>
  >;

const host = 'Codex';

/**
 * Reads the answer of a hook that has ended (as measured on the host; docs/dialects.md lists the
 * departures).
 */
export function readAnswer(
  hook: Pick<HookDefinition, 'event' | 'nativeEvent' | 'async'>,
  outcome: HookProcessOutcome,
  payload: HookPayload,
): Answer {
  const event = codexEventOf(hook);
  const answer = readOutcome(outcome, (exit) => readExit(event, exit, payload), { host });
  return hook.async ? contextOf(answer) : withLostDenial(answer);
}

const contextOf = (answer: Answer): Answer =>
  unawaitedAnswer(
    answer,
    answer.effects.filter(({ kind }) => kind === 'context'),
  );

function readExit(event: CodexEventName, exit: HookExit, payload: HookPayload): Answer {
  const facts = factsOf(exit);
  const printed = readStdout(event, exit.stdout);
  const notes = printed.kind === 'object' ? printed.notes : [];
  const answered = (wants: Wants, ...more: readonly string[]): Answer => ({
    ...facts,
    ...wants,
    status: 'ok',
    success: exit.exitCode === 0,
    notes: [...notes, ...more],
  });
  const failed = (message: string): Answer => ({
    ...facts,
    ...failure(message),
    notes,
  });
  const denied = (denial: Wants, fault: Fault): Answer =>
    answered({ ...denial, ignored: { host, what: 'denial', ...fault } });
  const kept = traitsOf(event).keepsDenials ? keptDenial(event, printed) : undefined;
  if (exit.exitCode === 2) {
    const said = exit.stderr.trim();
    if (traitsOf(event).exit2 !== undefined && said !== '')
      return answered(deniedWith(event, said));
    if (!traitsOf(event).keepsDenials)
      return failed(`${failureText(exit)} and no reason on stderr`);
    const reason = kept?.reason ?? (printed.kind === 'text' ? printed.text : defaultReason);
    const why = 'it exited with 2 and printed nothing on stderr';
    return denied({ decision: 'deny', reason }, { why, fix: 'print the reason on stderr' });
  }
  if (exit.exitCode !== 0) {
    if (kept === undefined) return failed(failureText(exit));
    return denied(kept, { why: `its ${endOf(exit)}`, fix: 'exit with 0' });
  }
  if (exit.truncated.includes('stdout') && kept === undefined) return failed(cutStdout);
  switch (printed.kind) {
    case 'nothing':
      return answered({ decision: undefined });
    case 'text':
      return kept ? denied(kept, around) : readText(event, printed.text, answered, failed);
    case 'broken':
      return kept ? denied(kept, around) : failed(invalid(printed.fault));
    case 'object': {
      const { fault, fields } = printed;
      if (fault === undefined) return answered(readFields(event, fields, payload));
      if (kept) return denied(kept, fault);
      const asks = event === 'PreToolUse' ? questionIn(fields) : undefined;
      return asks
        ? answered({ ...asks, ignored: { host, what: 'question', ...asksNobody } })
        : failed(invalid(fault));
    }
  }
}

const asksNobody: Fault = {
  why: 'it cannot ask, and runs the tool',
  fix: 'deny, or print nothing',
};

const invalid = ({ why, fix }: Fault): string =>
  `its answer is not valid for Codex: ${why}; ${fix}`;

const around: Fault = {
  why: 'there is other text around its answer',
  fix: 'print one JSON object and nothing else',
};

const endOf = ({ exitCode, signal }: HookExit): string =>
  exitCode === null
    ? `process was killed by ${signal ?? 'a signal'}`
    : `exit status is ${exitCode}`;

/** Plain text is context, a failure, or nothing, depending on the event. */
function readText(
  event: CodexEventName,
  text: string,
  answered: (wants: Wants, ...notes: readonly string[]) => Answer,
  failed: (message: string) => Answer,
): Answer {
  const { text: meaning } = traitsOf(event);
  const lost = holdsDenial(text)
    ? ['a denial was NOT read: print one JSON object on stdout and nothing else']
    : [];
  if (meaning === 'a failure') return failed('stdout is not a JSON object; print one, or nothing');
  return meaning === 'context'
    ? answered(
        { decision: undefined, effects: [{ kind: 'context', text }], plainText: true },
        ...lost,
      )
    : answered({ decision: undefined }, ...lost);
}

/** Returns a denial that Codex would lose to a flaw beside it, at events where it still counts. */
function keptDenial(event: CodexEventName, printed: Printed): Wants | undefined {
  if (printed.kind === 'nothing') return undefined;
  const objects = printed.kind === 'object' ? [printed.fields] : printed.objects;
  return objects.map((fields) => denialIn(event, fields)).find(Boolean);
}

function denialIn(event: CodexEventName, fields: Fields): Wants | undefined {
  const { decision, reason } = fields;
  const own = fieldsOf(fields['hookSpecificOutput']);
  const { permissionDecision: word, permissionDecisionReason: because } = own;
  const inNewWords = event === 'PreToolUse' && saysNo(word);
  if (!inNewWords && !saysNo(decision)) return undefined;
  const reasons = inNewWords ? [because, reason] : [reason, because];
  return { decision: 'deny', reason: reasons.find(isSaid)?.trim() ?? defaultReason };
}

const saysNo = (word: unknown): boolean =>
  typeof word === 'string' && /^(?:deny|block)$/i.test(word.trim());

/** Codex asks nobody before a tool runs; here the user is asked. */
function questionIn(fields: Fields): Wants | undefined {
  const { permissionDecision: word, permissionDecisionReason: because } = fieldsOf(
    fields['hookSpecificOutput'],
  );
  if (word !== 'ask') return undefined;
  return { decision: 'ask', ...(isSaid(because) && { reason: because.trim() }) };
}

/** Returns what a text does at an event that can deny; after a tool it replaces the result. */
const deniedWith = (event: CodexEventName, reason: string): Wants => ({
  decision: 'deny',
  reason,
  ...(traitsOf(event).exit2 === 'replaces' && {
    effects: [{ kind: 'replace', slot: 'tool_response', value: fromCodexResponse(reason) }],
  }),
});

/** Reads what a valid answer asks for. */
function readFields(event: CodexEventName, fields: Fields, payload: HookPayload): Wants {
  const own = fieldsOf(fields['hookSpecificOutput']);
  const { additionalContext: context } = own;
  const { systemMessage: message } = fields;
  const wants = decisionOf(event, fields, own, payload);
  const effects: Effect[] = [...(wants.effects ?? [])];
  if (isSaid(context)) effects.push({ kind: 'context', text: context });
  if (isSaid(message)) effects.push({ kind: 'notice', text: message });
  return { ...wants, effects };
}

/** The reason of a stop that gives none. */
const stopText = 'A hook stopped the agent.';

function decisionOf(
  event: CodexEventName,
  fields: Fields,
  own: Fields,
  payload: HookPayload,
): Wants {
  const { decision, reason, stopReason, continue: continues } = fields;
  const blocks = decision === 'block' ? String(reason).trim() : undefined;
  const stopsWith =
    continues === false ? (isSaid(stopReason) ? stopReason.trim() : stopText) : undefined;
  const stop = stopsWith !== undefined && { stop: true, stopReason: stopsWith };
  switch (event) {
    case 'PreToolUse':
      return decisionBefore(fields, own, payload);
    case 'PermissionRequest': {
      const { behavior, message } = fieldsOf(own['decision']);
      if (behavior === 'deny')
        return { decision: 'deny', reason: isSaid(message) ? message.trim() : defaultReason };
      return { decision: behavior === 'allow' ? 'allow' : undefined };
    }
    // A stop does not end the agent here: the model reads its text.
    case 'PostToolUse': {
      const text = blocks ?? stopsWith;
      return text === undefined ? { decision: undefined } : deniedWith(event, text);
    }
    // A stop does not end the agent here either: there is no compaction.
    case 'PreCompact':
      return stopsWith === undefined
        ? { decision: undefined }
        : { decision: 'deny', reason: stopsWith };
    case 'UserPromptSubmit':
      return {
        ...(blocks === undefined ? { decision: undefined } : deniedWith(event, blocks)),
        ...stop,
      };
    case 'Stop':
    case 'SubagentStop':
      if (stop) return { decision: undefined, ...stop };
      return blocks === undefined ? { decision: undefined } : deniedWith(event, blocks);
    case 'SessionStart':
      return { decision: undefined, ...stop };
    case 'SubagentStart':
    case 'PostCompact':
    case 'SessionEnd':
    case 'Interrupt':
      return { decision: undefined };
  }
}

/**
 * Reads an answer before a tool: a denial, or new arguments in place of the old ones, with which the
 * call may be impossible.
 */
function decisionBefore(fields: Fields, own: Fields, payload: HookPayload): Wants {
  const denial = denialIn('PreToolUse', fields);
  if (denial) return denial;
  const { updatedInput: given } = own;
  if (given === undefined || given === null) return { decision: undefined };
  const before = fieldsOf(payload['tool_input']);
  const read = fromCodexInput(String(payload['tool_name']), given, before);
  if ('fault' in read) return unfitArguments(read.fault);
  return {
    decision: undefined,
    effects: [{ kind: 'replace', slot: 'tool_input', value: read.input }],
  };
}
