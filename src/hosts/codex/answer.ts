import type { HookPayload } from '../../../machines/hook-event.ts';
import type { HookExit } from '../../../machines/hook-process.ts';
import { fieldsOf } from '../../base/json.ts';
import {
  defaultReason,
  unfitArguments,
  type Answer,
  type Effect,
  type NamedAnswer,
  type Wants,
} from '../../core/answers/answer.ts';
import { mergeEffects } from '../../core/answers/merge-effects.ts';
import { cutStdout, factsOf, failure, failureText } from '../../core/answers/process-facts.ts';
import type { Verdict } from '../../core/answers/verdict.ts';
import type { HookEventName } from '../../core/points/hook-points.ts';
import { holdsDenial } from '../parts/near-misses.ts';
import { isJson, type Printed, printedIn } from '../parts/printed-json.ts';
import { fromCodexInput, fromCodexResponse } from './calls.ts';
import { codexEventOf, traitsOf, type CodexEventName } from './events.ts';
import { faultOf, isSaid, type Fault } from './schema.ts';
import { ignoredBy, readerOf } from '../parts/reader.ts';

type Fields = Readonly<Record<string, unknown>>;

/** What an answer asks for, before its exit code is considered. */
type Said = Omit<Wants, 'notes'>;

const host = 'Codex';
const wouldIgnore = ignoredBy(host);

/**
 * Reads the answer of a hook that has ended (as measured on the host; docs/dialects.md lists the
 * departures).
 */
export const readAnswer = readerOf({
  host,
  eventOf: codexEventOf,
  readExit,
  unawaited: ({ effects }) => effects.filter(({ kind }) => kind === 'context'),
});

function readExit(event: CodexEventName, exit: HookExit, payload: HookPayload): Answer {
  const facts = factsOf(exit);
  const printed = readStdout(exit.stdout);
  const { notes } = printed;
  const answered = (said: Said, ...more: readonly string[]): Answer => ({
    ...facts,
    decision: undefined,
    ...said,
    status: 'ok',
    success: exit.exitCode === 0,
    notes: [...notes, ...more],
  });
  const failed = (message: string): Answer => ({ ...facts, ...failure(message), notes });
  const denied = (denial: Said, fault: Fault): Answer =>
    answered({ ...denial, ...wouldIgnore(fault.why, fault.fix) });
  const { exit2, keepsDenials, text: meaning } = traitsOf(event);
  // A denial that Codex would lose to a flaw beside it, at events where it still counts.
  const kept = keepsDenials
    ? printed.objects.map((fields) => denialIn(event, fields)).find(Boolean)
    : undefined;
  if (exit.exitCode === 2) {
    const said = exit.stderr.trim();
    if (exit2 !== undefined && said !== '') return answered(deniedWith(event, said));
    if (!keepsDenials) return failed(`${failureText(exit)} and no reason on stderr`);
    const isText = printed.kind === 'text' && printed.broken === undefined;
    const reason = kept?.reason ?? (isText ? printed.text : defaultReason);
    const why = 'it exited with 2 and printed nothing on stderr';
    return denied({ decision: 'deny', reason }, { why, fix: 'print the reason on stderr' });
  }
  if (exit.exitCode !== 0)
    return kept
      ? denied(kept, { why: `its ${endOf(exit)}`, fix: 'exit with 0' })
      : failed(failureText(exit));
  if (exit.truncated.includes('stdout') && kept === undefined) return failed(cutStdout);
  if (printed.kind === 'nothing') return answered({});
  if (printed.kind === 'text') {
    if (kept) return denied(kept, around);
    if (printed.broken) return failed(invalid(printed.broken));
    if (meaning === 'a failure')
      return failed('stdout is not a JSON object; print one, or nothing');
    const { text } = printed;
    return answered(
      meaning === 'context' ? { effects: [{ kind: 'context', text }], plainText: true } : {},
      ...(holdsDenial(text)
        ? ['a denial was NOT read: print one JSON object on stdout and nothing else']
        : []),
    );
  }
  const { fields } = printed;
  const fault = faultOf(event, fields);
  if (fault === undefined) return answered(readFields(event, fields, payload));
  if (kept) return denied(kept, fault);
  const asks = event === 'PreToolUse' ? questionIn(fields) : undefined;
  return asks ? answered(asks) : failed(invalid(fault));
}

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

/**
 * Reads stdout: text that begins with `{` or `[` must be the event's object and nothing else; all other
 * text is plain. Codex does not count a byte order mark as white space.
 */
function readStdout(stdout: string): Printed & { readonly broken?: Fault } {
  const printed = printedIn(stdout);
  const { text, kind } = printed;
  const white = stdout.slice(0, stdout.length - stdout.trimStart().length);
  if (white.includes('\uFEFF'))
    return { ...printed, kind: 'text', text: `\uFEFF${text}`, fields: {}, notes: [] };
  if (kind !== 'text') return printed;
  // Bytes that are not text come before it.
  const isText = text.slice(0, text.indexOf('{')).includes('\uFFFD');
  const isClaimed = /^[{[]/.test(text);
  return {
    ...printed,
    // A list is not a log line around an answer.
    objects: isText || (isClaimed && isJson(text)) ? [] : printed.objects,
    ...(isClaimed && { broken: { why: 'stdout is not a JSON object', fix: around.fix } }),
  };
}

function denialIn(event: CodexEventName, fields: Fields): Said | undefined {
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
function questionIn(fields: Fields): Said | undefined {
  const own = fieldsOf(fields['hookSpecificOutput']);
  const { permissionDecision: word, permissionDecisionReason: because } = own;
  if (word !== 'ask') return undefined;
  return {
    decision: 'ask',
    ...(isSaid(because) && { reason: because.trim() }),
    ...wouldIgnore('it cannot ask, and runs the tool', 'deny, or print nothing', 'question'),
  };
}

/** Returns what a text does at an event that can deny; after a tool it replaces the result. */
const deniedWith = (event: CodexEventName, reason: string): Said => ({
  decision: 'deny',
  reason,
  ...(traitsOf(event).exit2 === 'replaces' && {
    effects: [{ kind: 'replace', slot: 'tool_response', value: fromCodexResponse(reason) }],
  }),
});

/** Reads what a valid answer asks for. */
function readFields(event: CodexEventName, fields: Fields, payload: HookPayload): Said {
  const own = fieldsOf(fields['hookSpecificOutput']);
  const { additionalContext: context } = own;
  const { systemMessage: message } = fields;
  const said = decisionOf(event, fields, own, payload);
  const effects: Effect[] = [...(said.effects ?? [])];
  if (isSaid(context)) effects.push({ kind: 'context', text: context });
  if (isSaid(message)) effects.push({ kind: 'notice', text: message });
  return { ...said, effects };
}

function decisionOf(
  event: CodexEventName,
  fields: Fields,
  own: Fields,
  payload: HookPayload,
): Said {
  const { decision, reason, stopReason, continue: continues } = fields;
  const text = isSaid(stopReason) ? stopReason.trim() : 'A hook stopped the agent.';
  const stop = continues === false ? { stop: true, stopReason: text } : undefined;
  const blocked = decision === 'block' ? deniedWith(event, String(reason).trim()) : {};
  switch (event) {
    case 'PreToolUse':
      return decisionBefore(fields, own, payload);
    case 'PermissionRequest': {
      const { behavior, message } = fieldsOf(own['decision']);
      if (behavior === 'deny')
        return { decision: 'deny', reason: isSaid(message) ? message.trim() : defaultReason };
      return behavior === 'allow' ? { decision: 'allow' } : {};
    }
    // A stop does not end the agent here: the model reads its text.
    case 'PostToolUse':
      return decision === 'block' || !stop ? blocked : deniedWith(event, text);
    // A stop does not end the agent here either: there is no compaction.
    case 'PreCompact':
      return stop ? { decision: 'deny', reason: text } : {};
    case 'UserPromptSubmit':
      return { ...blocked, ...stop };
    case 'Stop':
    case 'SubagentStop':
      return stop ?? blocked;
    case 'SessionStart':
      return stop ?? {};
    default:
      return {};
  }
}

/**
 * Reads an answer before a tool: a denial, or new arguments in place of the old ones, with which the
 * call may be impossible.
 */
function decisionBefore(fields: Fields, own: Fields, payload: HookPayload): Said {
  const denial = denialIn('PreToolUse', fields);
  const { updatedInput: given } = own;
  if (denial || given === undefined || given === null) return denial ?? {};
  const before = fieldsOf(payload['tool_input']);
  const read = fromCodexInput(String(payload['tool_name']), given, before);
  return 'fault' in read
    ? unfitArguments(read.fault)
    : { effects: [{ kind: 'replace', slot: 'tool_input', value: read.input }] };
}

/**
 * Merges the answers of several hooks: texts that replace a result are joined by a blank line, and a
 * stop takes precedence over everything that makes the agent continue.
 */
export function mergeAnswers(
  event: HookEventName,
  answers: readonly NamedAnswer[],
  payload: HookPayload,
): Verdict {
  const verdict = mergeEffects(event, answers, payload);
  if (verdict.decision !== 'deny') return verdict;
  const { decision, reason: _, ...others } = verdict;
  const reason = answers
    .flatMap(({ answer }) => (answer.decision === 'deny' ? (answer.reason ?? []) : []))
    .join('\n\n');
  switch (event) {
    case 'AfterTool': {
      const changes = { ...verdict.changes, tool_response: { whole: fromCodexResponse(reason) } };
      return { ...verdict, reason, changes, conflicts: [] };
    }
    case 'AfterAgent':
    case 'SubagentStop':
      return verdict.stop ? others : { ...others, decision, reason };
    default:
      return verdict;
  }
}
