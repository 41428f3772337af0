import { isDeepStrictEqual } from 'node:util';
import type { HookPayload } from '../../../machines/hook-event.ts';
import type { HookExit } from '../../../machines/hook-process.ts';
import { fieldsOf, isRecord } from '../../base/json.ts';
import {
  defaultReason,
  unfitArguments,
  type Answer,
  type Effect,
  type Wants,
} from '../../core/answers/answer.ts';
import {
  cutNotes,
  cutStdout,
  factsOf,
  failure,
  failureText,
} from '../../core/answers/process-facts.ts';
import { answerMisses, holdsDenial } from '../parts/near-misses.ts';
import { parseObject, type Printed, printedIn } from '../parts/printed-json.ts';
import { textIn } from '../parts/said.ts';
import { fromClaudeInput, toClaudeInput, tools } from './calls.ts';
import { claudeEventOf, traitsOf, type ClaudeEventName } from './events.ts';
import { fromClaudeResponse, hasFormOf, toClaudeResponse } from './tool-response.ts';
import { faultIn, wordsOf } from './words.ts';
import { ignoredBy, permissionIn, readerOf } from '../parts/reader.ts';

type Fields = Readonly<Record<string, unknown>>;

const host = 'Claude Code';
const wouldIgnore = ignoredBy(host);

interface ClaudeWants extends Wants {
  /** Why the printed answer is ignored, or why only its denial counts. */
  readonly fault?: string;
}

/**
 * Reads the answer of a hook that has ended (as measured on the host; docs/dialects.md lists the
 * departures). Of one that is not awaited only what it says with exit 2 counts, if it wakes the agent.
 */
export const readAnswer = readerOf({
  host,
  eventOf: claudeEventOf,
  readExit,
  // A first line may say not to wait for the hook.
  isUnawaited: ({ stdout }, hook) =>
    hook.async === true ||
    parseObject(stdout.trimStart().split('\n', 1)[0]!.trim())?.['async'] === true,
  unawaited({ exitCode, stderr }, { wakes }) {
    const text = wakes && exitCode === 2 ? stderr.trim() : '';
    return text === '' ? [] : [{ kind: 'context', text }];
  },
});

function readExit(event: ClaudeEventName, exit: HookExit, payload: HookPayload): Answer {
  const facts = factsOf(exit);
  const printed = printedIn(exit.stdout);
  const { notes, fault, ...said } =
    printed.kind === 'object'
      ? readObject(event, printed, payload)
      : printed.kind === 'text'
        ? readText(event, printed, payload)
        : { notes: [] };
  const answer: Answer = {
    ...facts,
    ...said,
    notes: [...notes, ...cutNotes(exit)],
    status: 'ok',
    success: exit.exitCode === 0,
  };
  if (exit.exitCode === 2 && traitsOf(event).blocks) return blocked(event, answer, fault);
  const failed = (why: string): Answer => ({ ...facts, notes: answer.notes, ...failure(why) });
  if (said.decision === 'deny') return answer;
  // What was kept of a cut-off stdout may still look like a whole answer; only a denial is taken from it.
  if (exit.truncated.includes('stdout')) return failed(cutStdout);
  if (event === 'WorktreeCreate' && exit.exitCode !== 0)
    return { ...answer, decision: 'deny', reason: exit.stderr.trim() || failureText(exit) };
  if (fault !== undefined) return failed(`its answer is not valid: ${fault}`);
  if (exit.exitCode === 0) return answer;
  // JSON is obeyed whatever the exit code; the failure matters where failures deny.
  return printed.kind === 'object'
    ? { ...answer, unreadable: failureText(exit) }
    : failed(failureText(exit));
}

/**
 * Exit 2 denies, whatever stdout says; a reason on stdout counts only if stdout itself denies and is
 * valid.
 */
function blocked(event: ClaudeEventName, answer: Answer, fault: string | undefined): Answer {
  const { ignored: _, ...obeyed } = answer;
  const stderr = answer.stderr.trim();
  const ownReason = answer.decision === 'deny' ? answer.reason : undefined;
  const isOwn = ownReason !== undefined && (fault === undefined || stderr === '');
  return {
    ...obeyed,
    decision: sendsOn(event) && answer.stop ? undefined : 'deny',
    reason: isOwn ? ownReason : stderr || defaultReason,
    // Beside a denial, plain text on stdout does not reach the model.
    effects: answer.plainText ? [] : answer.effects.filter(({ kind }) => kind !== 'replace'),
    plainText: false,
  };
}

function readObject(event: ClaudeEventName, printed: Printed, payload: HookPayload): ClaudeWants {
  const { fields, text } = printed;
  const misses = answerMisses(fields, text, wordsOf(event), payload);
  const notes = [
    ...printed.notes,
    ...(typeof fields['additionalContext'] === 'string'
      ? ['"additionalContext" was ignored: it belongs in "hookSpecificOutput"']
      : []),
    ...misses,
  ];
  const fault = faultIn(event, fields);
  if (fault !== undefined) return { ...lostDenial(event, fields, fault), notes, fault };
  const wants = readFields(event, fields, payload);
  return {
    ...wants,
    notes: [...notes, ...wants.notes],
    ...(misses[0] && { unreadable: `its answer is unclear: ${misses[0]}` }),
  };
}

function readText(
  event: ClaudeEventName,
  { text, objects }: Printed,
  payload: HookPayload,
): ClaudeWants {
  const around = 'there is other text around its answer';
  const alone = 'print one JSON object and nothing else';
  const denial = objects.map((object) => lostDenial(event, object, around, alone)).find(Boolean);
  if (denial) return { ...denial, notes: [] };
  const decides = objects.some((object) => {
    const { decision, effects = [] } = readFields(event, object, payload);
    return decision !== undefined || effects.some(({ kind }) => kind === 'replace');
  });
  return {
    notes: holdsDenial(text)
      ? ['a denial was NOT read: print one JSON object on stdout and nothing else']
      : [],
    ...(decides && { unreadable: `${around}; ${alone}` }),
    ...(traitsOf(event).textIsContext && {
      effects: [{ kind: 'context', text }],
      plainText: true,
    }),
  };
}

/**
 * Returns a denial or a stop that Claude Code would lose to a flaw beside it, at events where it still
 * counts.
 */
function lostDenial(
  event: ClaudeEventName,
  fields: Fields,
  why: string,
  fix?: string,
): Omit<Wants, 'notes'> | undefined {
  if (!traitsOf(event).keepsDenials) return undefined;
  const { decision, reason, stopReason, continue: continues } = fields;
  const own = fieldsOf(fields['hookSpecificOutput']);
  const { permissionDecision: word, permissionDecisionReason: because } = own;
  const { behavior, message } = fieldsOf(own['decision']);
  const denies =
    event === 'PermissionRequest'
      ? is(behavior, 'deny') && [message, reason]
      : is(decision, 'block')
        ? [reason, because]
        : event === 'PreToolUse' && is(word, 'deny') && [because, reason];
  if (!denies && continues !== false) return undefined;
  return {
    ...(denies && { decision: 'deny', reason: denies.map(textIn).find(Boolean) ?? defaultReason }),
    ...(continues === false && { stop: true }),
    ...(continues === false && typeof stopReason === 'string' && { stopReason }),
    ...wouldIgnore(why, fix, denies ? 'denial' : 'stop'),
  };
}

const is = (value: unknown, word: string): boolean =>
  typeof value === 'string' && value.trim().toLowerCase() === word;

/** Reads what a valid answer asks for. */
function readFields(event: ClaudeEventName, fields: Fields, payload: HookPayload): Wants {
  const notes: string[] = [];
  const own = fieldsOf(fields['hookSpecificOutput']);
  const decided = decisionOf(event, fields, own, notes);
  const stopped = stopOf(event, fields, decided, notes);
  const changed = changesOf(event, own, decided, payload, notes);
  const effects: Effect[] = [...changed.effects];
  const said = textIn(own['additionalContext']);
  const message = textIn(fields['systemMessage']);
  if (said !== undefined && !sendsOn(event)) effects.push({ kind: 'context', text: said });
  if (message !== undefined) effects.push({ kind: 'notice', text: message });
  for (const name of ownFields)
    if (own[name] !== undefined) effects.push({ kind: 'own', name, value: own[name] });
  const verdict = changed.fault === undefined ? decided : unfitArguments(changed.fault);
  return {
    ...(sendsOn(event) ? continued(verdict, said, stopped.stop === true) : verdict),
    ...stopped,
    effects,
    notes,
  };
}

/** Whether a block makes the agent continue at this event, as context then does too. */
const sendsOn = (event: ClaudeEventName): boolean => event === 'Stop' || event === 'SubagentStop';

/** A stop takes precedence over everything that makes the agent continue. */
function continued({ decision, reason }: Decided, said: string | undefined, stops: boolean) {
  const texts = [decision === 'deny' ? reason : undefined, said].filter(
    (part) => part !== undefined,
  );
  return stops || (decision !== 'deny' && said === undefined)
    ? {}
    : { decision: 'deny' as const, reason: texts.join('\n') };
}

/** Fields that have a meaning only in Claude Code. */
const ownFields =
  'sessionTitle suppressOriginalPrompt initialUserMessage watchPaths reloadSkills retry action content worktreePath displayContent classifierContext'.split(
    ' ',
  );

type Decided = Pick<Wants, 'decision' | 'reason' | 'stop' | 'unfit'>;

/** Returns the stricter of the decisions in the new fields and in the old ones. */
function decisionOf(
  event: ClaudeEventName,
  { decision, reason }: Fields,
  own: Fields,
  notes: string[],
): Decided {
  const because = (given: unknown): string => textIn(given) ?? textIn(reason) ?? defaultReason;
  if (event === 'PermissionRequest') return permissionIn(own['decision'], reason);
  if (decision === 'block') {
    if (traitsOf(event).blocks) return { decision: 'deny', reason: because(undefined) };
    notes.push(`"decision" has no effect in answer to ${event}`);
  }
  if (event !== 'PreToolUse' && event !== 'PreModelSwitch') return {};
  const given = own['permissionDecision'] as Answer['decision'];
  const { permissionDecisionReason: why } = own;
  if (given === 'deny') return { decision: 'deny', reason: because(why) };
  const word = given ?? (decision === 'approve' ? 'allow' : undefined);
  const said = textIn(why) ?? textIn(reason);
  return word ? { decision: word, ...(said !== undefined && { reason: said }) } : {};
}

function stopOf(
  event: ClaudeEventName,
  { continue: continues, stopReason }: Fields,
  { decision }: Decided,
  notes: string[],
): Pick<Wants, 'stop' | 'stopReason' | 'ignored'> {
  if (continues !== false) return {};
  if (!traitsOf(event).stops) {
    notes.push(`"continue" has no effect in answer to ${event}`);
    return {};
  }
  const why = textIn(stopReason);
  return {
    stop: true,
    ...(why !== undefined && { stopReason: why }),
    ...(event === 'PreToolUse' &&
      decision !== 'deny' &&
      wouldIgnore(
        'it runs this call anyway and stops only afterwards',
        'deny the call too',
        'stop',
      )),
  };
}

/**
 * Returns what an answer puts in place of arguments or a result; `fault` is why the call cannot proceed
 * with it.
 */
function changesOf(
  event: ClaudeEventName,
  own: Fields,
  { decision }: Decided,
  payload: HookPayload,
  notes: string[],
): { readonly effects: readonly Effect[]; readonly fault?: string } {
  const tool = String(payload['tool_name']);
  const place = event === 'PreToolUse' ? own : fieldsOf(own['decision']);
  const { updatedInput: input } = place;
  const mayHaveInput = event === 'PreToolUse' || event === 'PermissionRequest';
  if (mayHaveInput && isRecord(input) && decision !== 'deny') {
    const fault = tools.inputFault(tool, input);
    if (fault !== undefined) return { effects: [], fault };
    const value = fromClaudeInput(tool, input);
    return { effects: [{ kind: 'replace', slot: 'tool_input', value }] };
  }
  const isMcp = own['updatedToolOutput'] === undefined && tool.startsWith('mcp__');
  const name = isMcp ? 'updatedMCPToolOutput' : 'updatedToolOutput';
  const given = own[name];
  if (event !== 'PostToolUse' || given === undefined) return { effects: [] };
  const before = toClaudeInput(tool, fieldsOf(payload['tool_input']), String(payload['cwd']));
  const received = toClaudeResponse(tool, before, payload['tool_response']);
  if (isDeepStrictEqual(given, received)) return { effects: [] };
  if (!hasFormOf(received, given)) {
    notes.push(`"${name}" was ignored: it must have the same form as the tool's own result`);
    return { effects: [] };
  }
  const value = fromClaudeResponse(tool, given);
  return { effects: [{ kind: 'replace', slot: 'tool_response', value }] };
}
