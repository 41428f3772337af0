import { isDeepStrictEqual } from 'node:util';
import type { HookPayload } from '../../../machines/hook-event.ts';
import type { HookExit, HookProcessOutcome } from '../../../machines/hook-process.ts';
import { fieldsOf, isRecord } from '../../base/json.ts';
import type { HookDefinition } from '../../core/definitions/hook-definition.ts';
import {
  defaultReason,
  unfitArguments,
  type Answer,
  type Effect,
  type Ignored,
  type Wants,
} from '../../core/answers/answer.ts';
import { holdsDenial, withLostDenial } from '../parts/near-misses.ts';
import {
  cutStdout,
  factsOf,
  failureText,
  readOutcome,
  cutNotes,
  failure,
  unawaitedAnswer,
} from '../../core/answers/process-facts.ts';
import { claudeEventOf, traitsOf, type ClaudeEventName } from './events.ts';
import { readStdout, saysAsync, type Printed } from './printed.ts';
import { fromClaudeResponse, hasFormOf, toClaudeResponse } from './tool-response.ts';
import { fromClaudeInput, inputFault } from './tools.ts';

type Fields = Readonly<Record<string, unknown>>;

interface ClaudeWants extends Wants {
  /** Why the printed answer is ignored, or why only its denial counts. */
  readonly fault?: string;
}

/**
 * Reads the answer of a hook that has ended (as measured on the host; docs/dialects.md lists the
 * departures).
 */
export function readAnswer(
  hook: Pick<HookDefinition, 'event' | 'nativeEvent' | 'async' | 'wakes'>,
  outcome: HookProcessOutcome,
  payload: HookPayload,
): Answer {
  const { async: isAsync, wakes } = hook;
  const native = claudeEventOf(hook);
  const answer = readOutcome(outcome, (exit) => readExit(native, exit, payload), { host });
  return isAsync || saysAsync(answer.stdout)
    ? withoutAnswer(answer, wakes === true)
    : withLostDenial(answer);
}

/** Drops the answer of a hook that is not awaited, except what one that wakes the agent says with exit 2. */
function withoutAnswer(answer: Answer, wakes: boolean): Answer {
  const said = wakes && answer.exitCode === 2 ? answer.stderr.trim() : '';
  return unawaitedAnswer(answer, said === '' ? [] : [{ kind: 'context', text: said }]);
}

function readExit(event: ClaudeEventName, exit: HookExit, payload: HookPayload): Answer {
  const facts = factsOf(exit);
  const printed = readStdout(event, exit.stdout, payload);
  const wants = readPrinted(event, printed, payload);
  const { notes, fault, ...said } = wants;
  const answer: Answer = {
    ...facts,
    ...said,
    notes: [...notes, ...cutNotes(exit)],
    status: 'ok',
    success: exit.exitCode === 0,
  };
  if (exit.exitCode === 2 && traitsOf(event).blocks) return blocked(event, answer, fault);
  const failed = (message: string): Answer => ({
    ...facts,
    notes: answer.notes,
    ...failure(message),
  });
  if (said.decision === 'deny') return answer;
  // What was kept of a cut-off stdout may still look like a whole answer; only a denial is taken from it.
  if (exit.truncated.includes('stdout')) return failed(cutStdout);
  if (event === 'WorktreeCreate' && exit.exitCode !== 0)
    return { ...answer, decision: 'deny', reason: exit.stderr.trim() || failureText(exit) };
  if (fault !== undefined) return failed(`its answer is not valid: ${fault}`);
  if (exit.exitCode === 0) return answer;
  // JSON is obeyed whatever the exit code; the failure matters where failures deny.
  const isObeyed = printed.kind === 'object';
  return isObeyed ? { ...answer, unreadable: failureText(exit) } : failed(failureText(exit));
}

/**
 * Exit 2 denies, whatever stdout says; a reason on stdout counts only if stdout itself denies and is
 * valid.
 */
function blocked(event: ClaudeEventName, answer: Answer, fault: string | undefined): Answer {
  const stderr = answer.stderr.trim();
  const ownReason = answer.decision === 'deny' ? answer.reason : undefined;
  const reason =
    ownReason !== undefined && (fault === undefined || stderr === '')
      ? ownReason
      : stderr || defaultReason;
  const { ignored: _, ...obeyed } = answer;
  return {
    ...obeyed,
    decision: 'deny',
    reason,
    // Beside a denial, plain text on stdout does not reach the model.
    effects: answer.plainText ? [] : withoutChanges(answer.effects),
    plainText: false,
    ...(sendsOn(event) && answer.stop && { decision: undefined }),
  };
}

const withoutChanges = (effects: readonly Effect[]): Effect[] =>
  effects.filter(({ kind }) => kind !== 'replace');

function readPrinted(event: ClaudeEventName, printed: Printed, payload: HookPayload): ClaudeWants {
  switch (printed.kind) {
    case 'nothing':
      return { notes: [] };
    case 'text':
      return readText(event, printed, payload);
    case 'object': {
      const { fields, fault, misses, notes } = printed;
      const unclear = misses[0] && { unreadable: `its answer is unclear: ${misses[0]}` };
      const all = [...notes, ...misses];
      if (fault === undefined) {
        const wants = readFields(event, fields, payload);
        return { ...wants, notes: [...all, ...wants.notes], ...unclear };
      }
      const denial = lostDenial(event, fields);
      return denial
        ? { ...denial, notes: all, fault, ...wouldIgnore(denial, fault) }
        : { notes: all, fault };
    }
  }
}

const host = 'Claude Code';

const wouldIgnore = (
  { decision }: Pick<Wants, 'decision'>,
  why: string,
  fix?: string,
): Pick<Wants, 'ignored'> => ({
  ignored: {
    host,
    what: decision === 'deny' ? 'denial' : 'stop',
    why,
    ...(fix !== undefined && { fix }),
  },
});

function readText(
  event: ClaudeEventName,
  { text, objects }: Extract<Printed, { kind: 'text' }>,
  payload: HookPayload,
): Wants {
  const around = 'there is other text around its answer';
  const alone = 'print one JSON object and nothing else';
  const denial = objects.map((object) => lostDenial(event, object)).find(Boolean);
  if (denial) return { ...denial, notes: [], ...wouldIgnore(denial, around, alone) };
  const decides = objects.some((object) => {
    const { decision, effects = [] } = readFields(event, object, payload);
    return decision !== undefined || effects.some(({ kind }) => kind === 'replace');
  });
  const notes = holdsDenial(text)
    ? [`a denial was NOT read: print one JSON object on stdout and nothing else`]
    : [];
  return {
    notes,
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
): Pick<Wants, 'decision' | 'reason' | 'stop' | 'stopReason'> | undefined {
  if (!traitsOf(event).keepsDenials) return undefined;
  const { decision, reason, stopReason, continue: continues } = fields;
  const own = fieldsOf(fields['hookSpecificOutput']);
  const stop = continues === false && {
    stop: true,
    ...(typeof stopReason === 'string' && { stopReason }),
  };
  const reasons = (): readonly unknown[] | undefined => {
    if (event === 'PermissionRequest') {
      const { behavior, message } = fieldsOf(own['decision']);
      return is(behavior, 'deny') ? [message, reason] : undefined;
    }
    if (is(decision, 'block')) return [reason, own['permissionDecisionReason']];
    return event === 'PreToolUse' && is(own['permissionDecision'], 'deny')
      ? [own['permissionDecisionReason'], reason]
      : undefined;
  };
  const said = reasons();
  if (said === undefined) return stop || undefined;
  return { decision: 'deny', reason: said.map(text).find(Boolean) ?? defaultReason, ...stop };
}

const is = (value: unknown, word: string): boolean =>
  typeof value === 'string' && value.trim().toLowerCase() === word;

/** Reads what a valid answer asks for. */
function readFields(event: ClaudeEventName, fields: Fields, payload: HookPayload): Wants {
  const notes: string[] = [];
  const own = fieldsOf(fields['hookSpecificOutput']);
  const { interrupts, ...decided } = decisionOf(event, fields, own, notes);
  const stopped = stopOf(event, fields, decided, notes);
  const effects: Effect[] = [];
  const changed = changesOf(event, own, decided, payload, notes);
  effects.push(...changed.effects);
  const said = text(own['additionalContext']);
  const { systemMessage } = fields;
  if (said !== undefined && !sendsOn(event)) effects.push({ kind: 'context', text: said });
  if (text(systemMessage) !== undefined)
    effects.push({ kind: 'notice', text: systemMessage as string });
  for (const name of ownFields)
    if (own[name] !== undefined) effects.push({ kind: 'own', name, value: own[name] });
  const verdict = changed.fault === undefined ? decided : unfitArguments(changed.fault);
  return {
    ...(sendsOn(event) ? continued(verdict, said, stopped.stop === true) : verdict),
    ...stopped,
    ...(interrupts && { stop: true }),
    effects,
    notes,
  };
}

/** Whether a block makes the agent continue at this event, as context then does too. */
const sendsOn = (event: ClaudeEventName): boolean => event === 'Stop' || event === 'SubagentStop';

/** A stop takes precedence over everything that makes the agent continue. */
function continued(decided: Decided, said: string | undefined, stops: boolean): Decided {
  if (stops || (decided.decision !== 'deny' && said === undefined)) return {};
  const reason = [decided.decision === 'deny' ? decided.reason : undefined, said]
    .filter((part) => part !== undefined)
    .join('\n');
  return { decision: 'deny', reason };
}

/** Fields that have a meaning only in Claude Code. */
const ownFields = [
  'sessionTitle',
  'suppressOriginalPrompt',
  'initialUserMessage',
  'watchPaths',
  'reloadSkills',
  'retry',
  'action',
  'content',
  'worktreePath',
  'displayContent',
  'classifierContext',
] as const;

type Decided = Pick<Wants, 'decision' | 'reason' | 'unfit'> & { readonly interrupts?: boolean };

/** Returns the stricter of the decisions in the new fields and in the old ones. */
function decisionOf(
  event: ClaudeEventName,
  { decision, reason }: Fields,
  own: Fields,
  notes: string[],
): Decided {
  const because = (given: unknown): string => text(given) ?? text(reason) ?? defaultReason;
  if (event === 'PermissionRequest') {
    const { behavior, message, interrupt } = fieldsOf(own['decision']);
    if (behavior === 'deny')
      return { decision: 'deny', reason: because(message), interrupts: interrupt === true };
    return behavior === 'allow' ? { decision: 'allow' } : {};
  }
  if (decision === 'block') {
    if (traitsOf(event).blocks) return { decision: 'deny', reason: text(reason) ?? defaultReason };
    notes.push(`"decision" has no effect in answer to ${event}`);
  }
  if (event !== 'PreToolUse' && event !== 'PreModelSwitch') return {};
  const given = own['permissionDecision'] as Answer['decision'];
  if (given === 'deny')
    return { decision: 'deny', reason: because(own['permissionDecisionReason']) };
  const why = text(own['permissionDecisionReason']) ?? text(reason);
  const word = given ?? (decision === 'approve' ? 'allow' : undefined);
  return word ? { decision: word, ...(why !== undefined && { reason: why }) } : {};
}

const stopsLate: Ignored = {
  host,
  what: 'stop',
  why: 'it runs this call anyway and stops only afterwards',
  fix: 'deny the call too',
};

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
  const why = text(stopReason);
  return {
    stop: true,
    ...(why !== undefined && { stopReason: why }),
    ...(event === 'PreToolUse' && decision !== 'deny' && { ignored: stopsLate }),
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
  if (event === 'PreToolUse' || event === 'PermissionRequest') {
    const given = (event === 'PreToolUse' ? own : fieldsOf(own['decision']))['updatedInput'];
    if (!isRecord(given) || decision === 'deny') return { effects: [] };
    const fault = inputFault(tool, given);
    return fault === undefined
      ? {
          effects: [{ kind: 'replace', slot: 'tool_input', value: fromClaudeInput(tool, given) }],
        }
      : { effects: [], fault };
  }
  if (event !== 'PostToolUse') return { effects: [] };
  const name =
    own['updatedToolOutput'] === undefined && tool.startsWith('mcp__')
      ? 'updatedMCPToolOutput'
      : 'updatedToolOutput';
  const given = own[name];
  if (given === undefined) return { effects: [] };
  const received = toClaudeResponse(
    { tool, input: fieldsOf(payload['tool_input']), cwd: String(payload['cwd']) },
    payload['tool_response'],
  );
  if (isDeepStrictEqual(given, received)) return { effects: [] };
  if (!hasFormOf(received, given)) {
    notes.push(`"${name}" was ignored: it must have the same form as the tool's own result`);
    return { effects: [] };
  }
  return {
    effects: [{ kind: 'replace', slot: 'tool_response', value: fromClaudeResponse(tool, given) }],
  };
}

const text = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;
