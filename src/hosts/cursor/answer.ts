import type { HookPayload } from '../../../machines/hook-event.ts';
import type { HookExit } from '../../../machines/hook-process.ts';
import { fieldsOf, isRecord, isTooDeep } from '../../base/json.ts';
import {
  defaultReason,
  type Answer,
  type Effect,
  type NamedAnswer,
  type Wants,
} from '../../core/answers/answer.ts';
import { counts, mergeEffects } from '../../core/answers/merge-effects.ts';
import { cutStdout, factsOf, failure, failureText } from '../../core/answers/process-facts.ts';
import type { Verdict } from '../../core/answers/verdict.ts';
import type { HookDefinition } from '../../core/definitions/hook-definition.ts';
import type { HookEventName } from '../../core/points/hook-points.ts';
import { ignored } from '../../core/protocol/output.ts';
import { isText } from '../parts/hook-groups.ts';
import { isDenyingText } from '../parts/deciding-words.ts';
import { firstWrong, flag, object, oneOf, text, type Forms } from '../parts/forms.ts';
import { answerMisses, type AnswerWords } from '../parts/near-misses.ts';
import {
  type Printed,
  embeddedObjects,
  isJson,
  parseObject,
  withoutDeepFields,
} from '../parts/printed-json.ts';
import { variables } from './environment.ts';
import { cursorEventOf, keepsDenials, traitsOf, type CursorEventName } from './events.ts';
import { countLoop, loopCount } from './loops.ts';
import { callOf, fromCursorInput, fromCursorOutput } from './tools.ts';
import { ignoredBy, readerOf } from '../parts/reader.ts';

type Fields = Readonly<Record<string, unknown>>;

/** What an answer asks for. */
type Said = Omit<Wants, 'notes'> & { readonly notes?: readonly string[] };

const host = 'Cursor';
const wouldIgnore = ignoredBy(host);

/** Reads the answer of a hook that has ended (docs/dialects.md lists the departures). */
export const readAnswer = readerOf({
  host,
  eventOf: cursorEventOf,
  readExit,
});

function readExit(
  event: CursorEventName,
  exit: HookExit,
  payload: HookPayload,
  hook: HookDefinition,
): Answer {
  const { isGate } = traitsOf(event);
  const facts = factsOf(exit);
  const printed = readStdout(exit.stdout);
  const answered = ({ notes = [], ...said }: Said): Answer => ({
    ...facts,
    decision: undefined,
    ...said,
    status: 'ok',
    success: exit.exitCode === 0,
    notes: [...printed.notes, ...notes],
  });
  /** A failure, which at a gate may itself be a denial. */
  const failed = (message: string, denies = false): Answer => ({
    ...facts,
    ...failure(message),
    notes: [],
    ...(denies && { decision: 'deny', reason: `Blocked because a hook failed: ${message}` }),
  });
  const lost = keepsDenials(event) ? denialIn(event, printed.objects) : undefined;
  if (exit.exitCode === 2) {
    if (!keepsDenials(event)) return failed(failureText(exit));
    const reasons = [exit.stderr.trim(), lost?.reason, printed.kind === 'text' ? printed.text : ''];
    return answered({ decision: 'deny', reason: reasons.find(Boolean) ?? defaultReason });
  }
  if (exit.exitCode !== 0)
    return lost
      ? answered(standing(lost, failureText(exit), 'exit with 0'))
      : failed(failureText(exit));
  if (exit.truncated.includes('stdout') && lost === undefined) return failed(cutStdout, isGate);
  if (printed.kind === 'nothing')
    return hook.onFailure === 'block' && !hook.inheritsOnFailure && hook.type !== 'prompt'
      ? failed('it printed nothing; with "failClosed" it must print {"permission": "allow"}')
      : answered({});
  if (printed.kind === 'text')
    return lost
      ? answered(unread(event, lost, around, 'print one JSON object and nothing else'))
      : failed(`${around}; print one JSON object, or nothing`, isGate);
  const said = readWhole(event, printed, payload, hook, lost);
  return 'fault' in said
    ? failed(`its answer is not valid: ${said.fault}`, isGate)
    : answered(said);
}

/** Reads an answer that is one object; `lost` is a denial in it, in whatever words. */
function readWhole(
  event: CursorEventName,
  { fields, text: json }: Printed,
  payload: HookPayload,
  hook: HookDefinition,
  lost: Denial | undefined,
): Said | { readonly fault: string } {
  const fault = faultOf(event, fields);
  // A prompt hook, whose question a model answers, has no fields of its own.
  const isPrompt = hook.type === 'prompt';
  if (lost && (fault !== undefined || !lost.isCursors)) {
    if (isPrompt) return { decision: 'deny', reason: lost.reason };
    const instead = sayNo(event).replace('use', 'write');
    return fault === undefined
      ? standing(lost, "it does not use Cursor's own fields", instead)
      : unread(event, lost, fault);
  }
  if (fault !== undefined) return { fault };
  const said = readFields(hook, event, fields, payload);
  if (lost || !keepsDenials(event) || isPrompt) return said;
  const misses = answerMisses(fields, json, wordsOf(event), payload);
  return {
    ...said,
    notes: [...misses, ...(said.notes ?? [])],
    ...(misses[0] !== undefined && { unreadable: `its answer is unclear: ${misses[0]}` }),
  };
}

/** A denial that Cursor would not obey. */
const standing = ({ reason }: Denial, why: string, fix?: string): Said => ({
  decision: 'deny',
  reason,
  ...wouldIgnore(why, fix),
});

/** At a gate, Cursor denies what it cannot read, but without the hook's reason. */
function unread(event: CursorEventName, denial: Denial, why: string, fix?: string): Said {
  if (!traitsOf(event).isGate) return standing(denial, why, fix);
  const note = `Cursor would deny for another reason: ${why}${fix === undefined ? '' : `; ${fix}`}`;
  return { decision: 'deny', reason: denial.reason, notes: [note] };
}

const around = 'stdout does not end with a JSON object';

/** The most objects looked for in a text; no answer holds more. */
const mostObjects = 1_000;

/** Reads stdout: the object at its end, whatever comes before it. */
function readStdout(stdout: string): Printed {
  const trimmed = stdout.trim();
  const whole = parseObject(trimmed);
  const found = whole || isJson(trimmed) ? [] : [...first(embeddedObjects(trimmed), mostObjects)];
  const json = found.at(-1) ?? trimmed;
  const last = whole ?? (trimmed.endsWith(json) ? parseObject(json) : undefined);
  if (trimmed === '' || last === undefined)
    return {
      kind: trimmed === '' ? 'nothing' : 'text',
      text: trimmed,
      fields: {},
      objects: found.map(parseObject).filter((one) => one !== undefined),
      notes: [],
    };
  const notes: string[] = [];
  const fields = isTooDeep(json) ? withoutDeepFields(last, notes) : last;
  return { kind: 'object', text: json, fields, objects: [fields], notes };
}

function* first<One>(all: Iterable<One>, most: number): Generator<One> {
  let count = 0;
  for (const one of all) {
    if (++count > most) return;
    yield one;
  }
}

/** What the fields of an answer must be, at whatever event they have a meaning; null is no fault. */
const forms: Forms = {
  continue: flag,
  user_message: text,
  agent_message: text,
  updated_input: object,
  additional_context: text,
  followup_message: text,
  env: object,
};
const permission = oneOf('allow', 'deny', 'ask');

/** Why an answer does not have the form that Cursor expects; fields that it does not know are not a fault. */
function faultOf(event: CursorEventName, fields: Fields): string | undefined {
  const all: Forms = { ...forms, ...(traitsOf(event).isGate && { permission }) };
  const given = Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined && value !== null),
  );
  const wrong = firstWrong(all, given);
  return wrong && ignored(`"${wrong}"`, fields[wrong], all[wrong]!.wanted);
}

interface Denial {
  readonly reason: string;
  /** Whether it is said in the words that Cursor has for it at this event. */
  readonly isCursors: boolean;
}

/** Returns a denial in what was printed, in Cursor's words or in those of other hosts. */
function denialIn(event: CursorEventName, objects: readonly Fields[]): Denial | undefined {
  for (const fields of objects) {
    const { permission: word, decision, continue: continues } = fields;
    const own = fieldsOf(fields['hookSpecificOutput']);
    const isCursors = event === 'beforeSubmitPrompt' ? continues === false : word === 'deny';
    const words = [word, decision, own['permissionDecision']];
    if (isCursors || continues === false || words.some(isDenyingText))
      return { reason: reasonIn(fields), isCursors };
  }
  return undefined;
}

/** Returns why a hook denies: the message for the agent, then the one for the user. */
function reasonIn(fields: Fields): string {
  const own = fieldsOf(fields['hookSpecificOutput']);
  const messages = [
    fields['agent_message'] ?? fields['agentMessage'],
    fields['user_message'] ?? fields['userMessage'],
  ].filter(isSaid);
  const others = [own['permissionDecisionReason'], fields['reason'], fields['stopReason']];
  const said = messages.length > 0 ? messages : others.filter(isSaid).slice(0, 1);
  return [...new Set(said.map((one) => one.trim()))].join('\n') || defaultReason;
}

const isSaid = (value: unknown): value is string =>
  typeof value === 'string' && value.trim() !== '';

const takesContext: ReadonlySet<string> = new Set<CursorEventName>([
  'postToolUse',
  'sessionStart',
  'beforeSubmitPrompt',
]);

/** The longest context, in characters; longer context is dropped. */
const longestContext = 10_000;

/** Reads what a valid answer asks for. */
function readFields(
  hook: HookDefinition,
  event: CursorEventName,
  fields: Fields,
  payload: HookPayload,
): Said {
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
    variables.keep(String(payload['session_id']), {
      source: hook.source,
      read: () =>
        Object.fromEntries(
          Object.entries(env).filter((entry): entry is [string, string] => isText(entry[1])),
        ),
    });
  return { ...decisionOf(event, fields), effects, notes };
}

function decisionOf(event: CursorEventName, fields: Fields): Said {
  const denial = keepsDenials(event) ? denialIn(event, [fields]) : undefined;
  if (denial) return { decision: 'deny', reason: denial.reason };
  const { permission: word } = fields;
  if (!traitsOf(event).isGate || (word !== 'allow' && word !== 'ask')) return {};
  if (word === 'allow') return { decision: 'allow' };
  return {
    decision: 'ask',
    reason: reasonIn(fields),
    ...(event === 'preToolUse' &&
      wouldIgnore(
        'it cannot ask at preToolUse, and continues',
        'ask at beforeShellExecution or beforeMCPExecution, or deny',
        'question',
      )),
  };
}

/** Returns what an answer puts in place of arguments or of a server's result. */
function changes(
  event: CursorEventName,
  { updated_input: input, updated_mcp_tool_output: output, permission: word }: Fields,
  payload: HookPayload,
  notes: string[],
): Effect[] {
  const tool = String(payload['tool_name']);
  if (input !== undefined && input !== null && event !== 'preToolUse')
    notes.push(`"updated_input" has no effect in answer to ${event}`);
  if (event === 'preToolUse' && isRecord(input) && word !== 'deny')
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
  { loopLimit: most = Infinity }: HookDefinition,
  { followup_message: message }: Fields,
  payload: HookPayload,
): Said {
  const { status = 'completed' } = payload;
  if (!isSaid(message) || status !== 'completed') return {};
  if (loopCount(payload) < most) {
    countLoop(payload);
    return { effects: [{ kind: 'followUp', text: message }] };
  }
  const why =
    most === 0
      ? 'the hook has a "loop_limit" of 0'
      : `hooks have already made the agent continue ${most === 1 ? 'once' : `${most} times`}`;
  return { notes: [`"followup_message" was ignored: ${why}`] };
}

const sayNo = (event: CursorEventName): string =>
  event === 'beforeSubmitPrompt' ? 'use "continue": false' : 'use "permission": "deny"';

/** Returns what an answer may say at an event that can be denied; most fields are never a fault. */
function wordsOf(event: CursorEventName): AnswerWords {
  const decide = sayNo(event);
  const word = event === 'beforeSubmitPrompt' ? 'continue' : 'permission';
  const inBoth = {
    misplaced: { decision: decide },
    instead: {
      'a decision': decide,
      arguments: 'give new arguments as "updated_input", in answer to preToolUse',
      'a result': 'give a new result as "updated_mcp_tool_output", in answer to postToolUse',
    },
  };
  return {
    common: {
      ...inBoth,
      path: '',
      legal: [
        ...Object.keys(forms),
        'permission',
        'userMessage',
        'agentMessage',
        'reason',
        'hookSpecificOutput',
      ],
      deciding: event === 'preToolUse' ? [word, 'updated_input'] : [word],
    },
    specific: {
      ...inBoth,
      path: 'hookSpecificOutput.',
      legal: ['permissionDecision', 'permissionDecisionReason', 'additionalContext'],
      deciding: ['permissionDecision'],
    },
    once: [word],
  };
}

/** Merges the answers of several hooks: their contexts are separated by a line of hyphens. */
export function mergeAnswers(
  event: HookEventName,
  answers: readonly NamedAnswer[],
  payload: HookPayload,
): Verdict {
  const verdict = mergeEffects(event, answers, payload);
  if (verdict.context === undefined) return verdict;
  const contexts = answers
    .filter(({ answer }) => counts(answer))
    .flatMap(({ answer }) =>
      answer.effects.flatMap((effect) => (effect.kind === 'context' ? [effect.text] : [])),
    );
  return { ...verdict, context: contexts.join('\n\n---\n\n') };
}
