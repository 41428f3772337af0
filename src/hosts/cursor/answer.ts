import type { HookPayload } from '../../../machines/hook-event.ts';
import type { HookExit, HookProcessOutcome } from '../../../machines/hook-process.ts';
import { fieldsOf, isRecord } from '../../base/json.ts';
import type { HookDefinition } from '../../core/definitions/hook-definition.ts';
import {
  defaultReason,
  type Answer,
  type Effect,
  type Ignored,
} from '../../core/answers/answer.ts';
import { isDenyingText } from '../parts/deciding-words.ts';
import { answerMisses, withLostDenial } from '../parts/near-misses.ts';
import {
  cutStdout,
  factsOf,
  failureText,
  readOutcome,
  failure,
} from '../../core/answers/process-facts.ts';
import { keepVariables } from './environment.ts';
import { cursorEventOf, keepsDenials, traitsOf, type CursorEventName } from './events.ts';
import { countLoop, loopCount } from './loops.ts';
import { readStdout, type Printed } from './printed.ts';
import { faultOf } from './schema.ts';
import { callOf, fromCursorInput, fromCursorOutput } from './tools.ts';
import { wordsOf } from './vocabulary.ts';

type Fields = Readonly<Record<string, unknown>>;

/** What an answer asks for. */
type Wants = Pick<Answer, 'decision'> &
  Partial<Pick<Answer, 'reason' | 'effects' | 'ignored' | 'unreadable'>> & {
    readonly notes?: readonly string[];
  };

type Hook = Pick<
  HookDefinition,
  'event' | 'nativeEvent' | 'type' | 'onFailure' | 'inheritsOnFailure' | 'loopLimit' | 'source'
>;

const host = 'Cursor';

/** Reads the answer of a hook that has ended (docs/dialects.md lists the departures). */
export const readAnswer = (hook: Hook, outcome: HookProcessOutcome, payload: HookPayload): Answer =>
  withLostDenial(readOutcome(outcome, (exit) => readExit(hook, exit, payload), { host }));

function readExit(hook: Hook, exit: HookExit, payload: HookPayload): Answer {
  const event = cursorEventOf(hook);
  const facts = factsOf(exit);
  const printed = readStdout(exit.stdout);
  const answered = ({ notes = [], ...wants }: Wants): Answer => ({
    ...facts,
    ...wants,
    status: 'ok',
    success: exit.exitCode === 0,
    notes: [...(printed.kind === 'object' ? printed.notes : []), ...notes],
  });
  /** A failure, which at a gate may itself be a denial. */
  const failed = (message: string, denies = false): Answer => ({
    ...facts,
    ...failure(message),
    notes: [],
    ...(denies && {
      decision: 'deny' as const,
      reason: `Blocked because a hook failed: ${message}`,
    }),
  });
  const lost = keepsDenials(event) ? denialIn(event, objectsIn(printed)) : undefined;
  const stands = ({ reason }: Denial, why: string, fix?: string): Answer =>
    answered({
      decision: 'deny',
      reason,
      ignored: { host, what: 'denial', why, ...(fix !== undefined && { fix }) },
    });
  /** At a gate, Cursor denies what it cannot read, but without the hook's reason. */
  const unread = (denial: Denial, why: string, fix?: string): Answer =>
    traitsOf(event).isGate
      ? answered({
          decision: 'deny',
          reason: denial.reason,
          notes: [
            `Cursor would deny for another reason: ${why}${fix === undefined ? '' : `; ${fix}`}`,
          ],
        })
      : stands(denial, why, fix);
  if (exit.exitCode === 2) {
    if (!keepsDenials(event)) return failed(failureText(exit));
    const said = exit.stderr.trim() || lost?.reason || textIn(printed, exit.stdout);
    return answered({ decision: 'deny', reason: said || defaultReason });
  }
  if (exit.exitCode !== 0)
    return lost ? stands(lost, failureText(exit), 'exit with 0') : failed(failureText(exit));
  if (exit.truncated.includes('stdout') && lost === undefined)
    return failed(cutStdout, traitsOf(event).isGate);
  switch (printed.kind) {
    case 'nothing':
      return hook.onFailure === 'block' && !hook.inheritsOnFailure && hook.type !== 'prompt'
        ? failed('it printed nothing; with "failClosed" it must print {"permission": "allow"}')
        : answered({ decision: undefined });
    case 'text':
      if (lost) return unread(lost, around, 'print one JSON object and nothing else');
      return failed(`${around}; print one JSON object, or nothing`, traitsOf(event).isGate);
    case 'object':
      return readWhole(hook, printed, payload, { answered, failed, lost, stands, unread });
  }
}

const around = 'stdout does not end with a JSON object';

/** Ways to answer, and a denial that Cursor would lose. */
interface Reading {
  readonly answered: (wants: Wants) => Answer;
  readonly failed: (message: string, denies?: boolean) => Answer;
  readonly lost: Denial | undefined;
  readonly stands: (denial: Denial, why: string, fix?: string) => Answer;
  readonly unread: (denial: Denial, why: string, fix?: string) => Answer;
}

/** Reads an answer that is one object, of a hook that exited with 0. */
function readWhole(
  hook: Hook,
  printed: Extract<Printed, { kind: 'object' }>,
  payload: HookPayload,
  { answered, failed, lost, stands, unread }: Reading,
): Answer {
  const event = cursorEventOf(hook);
  const fault = faultOf(event, printed.fields);
  if (lost && (fault !== undefined || !lost.isCursors)) {
    if (hook.type === 'prompt') return answered({ decision: 'deny', reason: lost.reason });
    return fault === undefined
      ? stands(lost, "it does not use Cursor's own fields", inCursorsWords(event))
      : unread(lost, fault);
  }
  if (fault !== undefined)
    return failed(`its answer is not valid: ${fault}`, traitsOf(event).isGate);
  const wants = readFields(hook, event, printed.fields, payload);
  // A prompt hook, whose question a model answers, has no fields of its own.
  if (lost || !keepsDenials(event) || hook.type === 'prompt') return answered(wants);
  const misses = answerMisses(printed.fields, printed.json, wordsOf(event), payload);
  return answered({
    ...wants,
    notes: [...misses, ...(wants.notes ?? [])],
    ...(misses[0] !== undefined && { unreadable: `its answer is unclear: ${misses[0]}` }),
  });
}

const inCursorsWords = (event: CursorEventName): string =>
  event === 'beforeSubmitPrompt' ? 'write "continue": false' : 'write "permission": "deny"';

/** What a hook that exited with 2 printed, if it is not an object. */
const textIn = (printed: Printed, stdout: string): string =>
  printed.kind === 'text' ? stdout.trim() : '';

interface Denial {
  readonly reason: string;
  /** Whether it is said in the words that Cursor has for it at this event. */
  readonly isCursors: boolean;
}

/** Returns a denial in what was printed, in Cursor's words or in those of other hosts. */
function denialIn(event: CursorEventName, objects: readonly Fields[]): Denial | undefined {
  for (const fields of objects) {
    const { permission, decision, continue: continues } = fields;
    const own = fieldsOf(fields['hookSpecificOutput']);
    const isPrompt = event === 'beforeSubmitPrompt';
    const says = isPrompt ? continues === false : permission === 'deny';
    const denies =
      says ||
      continues === false ||
      [permission, decision, own['permissionDecision']].some(isDenyingText);
    if (denies) return { reason: reasonIn(fields), isCursors: says };
  }
  return undefined;
}

function objectsIn(printed: Printed): readonly Fields[] {
  if (printed.kind === 'nothing') return [];
  return printed.kind === 'object' ? [printed.fields] : printed.objects;
}

/** Returns why a hook denies: the message for the agent, then the one for the user. */
function reasonIn(fields: Fields): string {
  const own = fieldsOf(fields['hookSpecificOutput']);
  const messages = [
    fields['agent_message'] ?? fields['agentMessage'],
    fields['user_message'] ?? fields['userMessage'],
  ].filter(isSaid);
  const others = [own['permissionDecisionReason'], fields['reason'], fields['stopReason']].filter(
    isSaid,
  );
  const said = messages.length > 0 ? messages : others.slice(0, 1);
  return [...new Set(said.map((text) => text.trim()))].join('\n') || defaultReason;
}

const isSaid = (value: unknown): value is string =>
  typeof value === 'string' && value.trim() !== '';

/** Reads what a valid answer asks for. */
function readFields(
  hook: Hook,
  event: CursorEventName,
  fields: Fields,
  payload: HookPayload,
): Wants {
  if (event === 'stop' || event === 'subagentStop') return followUp(hook, fields, payload);
  const notes: string[] = [];
  const effects: Effect[] = [...changes(event, fields, payload, notes)];
  const { additional_context: context, user_message: message, env } = fields;
  if (takesContext.has(event) && isSaid(context)) {
    if (context.length <= longestContext) effects.push({ kind: 'context', text: context });
    else
      notes.push(
        `"additional_context" was ignored: it is longer than ${longestContext} characters`,
      );
  }
  if (event === 'preCompact' && isSaid(message)) effects.push({ kind: 'notice', text: message });
  if (event === 'sessionStart' && isRecord(env))
    keepVariables(String(payload['session_id']), {
      source: hook.source,
      variables: Object.fromEntries(
        Object.entries(env).filter(
          (entry): entry is [string, string] => typeof entry[1] === 'string',
        ),
      ),
    });
  return { ...decisionOf(event, fields), effects, notes };
}

const takesContext: ReadonlySet<CursorEventName> = new Set<CursorEventName>([
  'postToolUse',
  'sessionStart',
  'beforeSubmitPrompt',
]);

/** The longest context, in characters; longer context is dropped. */
const longestContext = 10_000;

const asksElsewhere: Ignored = {
  host,
  what: 'question',
  why: 'it cannot ask at preToolUse, and continues',
  fix: 'ask at beforeShellExecution or beforeMCPExecution, or deny',
};

function decisionOf(event: CursorEventName, fields: Fields): Wants {
  const denial = keepsDenials(event) ? denialIn(event, [fields]) : undefined;
  if (denial) return { decision: 'deny', reason: denial.reason };
  const { permission } = fields;
  if (!traitsOf(event).isGate) return { decision: undefined };
  if (permission === 'allow') return { decision: 'allow' };
  return permission === 'ask'
    ? {
        decision: 'ask',
        reason: reasonIn(fields),
        ...(event === 'preToolUse' && { ignored: asksElsewhere }),
      }
    : { decision: undefined };
}

/** Returns what an answer puts in place of arguments or of a server's result. */
function changes(
  event: CursorEventName,
  fields: Fields,
  payload: HookPayload,
  notes: string[],
): Effect[] {
  const tool = String(payload['tool_name']);
  const { updated_input: input, updated_mcp_tool_output: output, permission } = fields;
  if (input !== undefined && input !== null && event !== 'preToolUse')
    notes.push(`"updated_input" has no effect in answer to ${event}`);
  if (event === 'preToolUse' && isRecord(input) && permission !== 'deny')
    return [{ kind: 'replace', slot: 'tool_input', value: fromCursorInput(tool, input) }];
  if (event !== 'postToolUse' || output === undefined || output === null) return [];
  if (callOf(tool) !== 'mcp') {
    notes.push('"updated_mcp_tool_output" was ignored: only results of MCP tools can be replaced');
    return [];
  }
  const json = typeof output === 'string' ? output : JSON.stringify(output);
  return [{ kind: 'replace', slot: 'tool_response', value: fromCursorOutput(json) }];
}

/** The agent continues with a message, as often as the hook's limit allows. */
function followUp(
  { loopLimit = Infinity }: Hook,
  { followup_message: message }: Fields,
  payload: HookPayload,
): Wants {
  const { status = 'completed' } = payload;
  if (!isSaid(message) || status !== 'completed') return { decision: undefined };
  if (loopCount(payload) >= loopLimit)
    return {
      decision: undefined,
      notes: [
        loopLimit === 0
          ? '"followup_message" was ignored: the hook has a "loop_limit" of 0'
          : `"followup_message" was ignored: hooks have already made the agent continue ${loopLimit === 1 ? 'once' : `${loopLimit} times`}`,
      ],
    };
  countLoop(payload);
  return { decision: undefined, effects: [{ kind: 'followUp', text: message }] };
}
