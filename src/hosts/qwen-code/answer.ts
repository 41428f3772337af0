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
import { settled } from '../../core/answers/process-facts.ts';
import type { Verdict } from '../../core/answers/verdict.ts';
import type { HookEventName } from '../../core/protocol/events.ts';
import { checkHookOutput, type HookOutput } from '../../core/protocol/output.ts';
import { withEscapedContext } from '../parts/escaped-context.ts';
import { denialIn, denialInText } from '../parts/host-denials.ts';
import { answerMisses, type AnswerWords, holdsDenial, nestedWords } from '../parts/near-misses.ts';
import { parseTwice, withoutDeepFields } from '../parts/printed-json.ts';
import { meaningOf, strictest, textIn } from '../parts/said.ts';
import { tools } from './calls.ts';
import { qwenEventOf, traitsOf, type QwenEventName } from './events.ts';
import { ignoredBy, permissionIn, readerOf } from '../parts/reader.ts';

type Fields = Readonly<Record<string, unknown>>;

const host = 'Qwen Code';
const wouldIgnore = ignoredBy(host);

/** Reads an ended hook's answer (as measured on the host; docs/dialects.md lists the deviations). */
export const readAnswer = readerOf({
  host,
  eventOf: qwenEventOf,
  readExit,
  unawaited: () => [],
});

/** Qwen Code obeys an answer at every exit status; the failure only matters where failures deny. */
function readExit(event: QwenEventName, exit: HookExit, payload: HookPayload): Answer {
  const [stdout, stderr] = [exit.stdout.trim(), exit.stderr.trim()];
  const text = exit.exitCode === 2 ? stderr : stdout || stderr;
  const object = objectIn(text);
  const wants = object
    ? readObject(event, object, payload)
    : text === ''
      ? { notes: [] }
      : readText(event, text, exit);
  const { decision, effects = [] } = wants;
  return settled(
    exit,
    exit.exitCode === 2 ? withSilentDenial(event, wants, exit) : wants,
    decision !== undefined || effects.length > 0,
  );
}

interface Printed {
  readonly fields: Fields;
  readonly json: string;
}

/** Parses a text that is a JSON object, which may be encoded twice; undefined for any other text. */
function objectIn(text: string): Printed | undefined {
  const printed = parseTwice(text);
  return isRecord(printed?.value) ? { fields: printed.value, json: printed.json } : undefined;
}

/** Plain text is a message with exit 0 (at some events for the model), a denial with 2, else a warning. */
function readText(event: QwenEventName, text: string, { exitCode, stdout }: HookExit): Wants {
  const { blocks, keepsDenials, textIsContext } = traitsOf(event);
  if (exitCode === 2)
    return blocks
      ? { decision: 'deny', reason: text, notes: [] }
      : { notes: [`exit 2 has no effect in answer to ${event}`] };
  const lost = keepsDenials ? denialInText(text, host) : undefined;
  if (lost) return lost;
  const notes = holdsDenial(text)
    ? ['a denial was NOT read: print one JSON object and nothing else']
    : [];
  if (text.startsWith('{')) {
    const unreadable = 'its output is not valid JSON';
    return { notes: [...notes, `${unreadable}, so all of it was ignored`], unreadable };
  }
  const isContext = textIsContext && exitCode === 0 && stdout.trim() !== '';
  const notice = exitCode === 0 ? text : `Warning: ${text}`;
  return {
    effects: [
      ...(isContext ? [{ kind: 'context', text } as const] : []),
      { kind: 'notice', text: notice },
    ],
    plainText: true,
    notes,
  };
}

/** Denies after an exit 2 that Qwen Code does not take for a denial, although a guard meant one. */
function withSilentDenial(event: QwenEventName, wants: Wants, exit: HookExit): Wants {
  if (!traitsOf(event).keepsDenials || wants.decision === 'deny') return wants;
  const stdout = exit.stdout.trim();
  const object = objectIn(stdout);
  const said = object ? denialIn(object.fields)?.reason : stdout;
  return {
    decision: 'deny',
    reason: wants.reason || said || defaultReason,
    notes: wants.notes,
    ...(exit.stderr.trim() === ''
      ? wouldIgnore('after exit 2 only stderr is read, and it is empty', 'print the reason there')
      : wouldIgnore(
          'it exited with 2 and printed JSON that does not deny',
          'print the reason on stderr as plain text',
        )),
  };
}

/** Reads what an object asks for. */
function readObject(event: QwenEventName, { fields, json }: Printed, payload: HookPayload): Wants {
  const notes: string[] = [];
  const whole = isTooDeep(json) ? withoutDeepFields(fields, notes) : fields;
  const misses = answerMisses(whole, json, wordsOf(event), payload);
  const { output, notes: faults } = checkHookOutput(whole);
  const specific = output.hookSpecificOutput ?? {};
  const decided = decisionOf(event, output, specific, notes);
  const isLost = traitsOf(event).keepsDenials && decided.decision !== 'deny';
  const lost = isLost ? denialIn(whole) : undefined;
  const denies = lost?.decision === 'deny';
  if (!denies) notes.push(...misses, ...faults);
  const stopped = stopOf(event, output, decided, notes);
  const denial = denies
    ? { decision: 'deny' as const, reason: lost.reason ?? defaultReason }
    : stopped.denial;
  const { decision } = { ...decided, ...denial };
  return {
    ...decided,
    ...denial,
    ...(denies &&
      wouldIgnore('it is not written correctly', 'print {"decision": "block", "reason": "…"}')),
    effects: [
      ...stopped.effects,
      ...effectsOf(event, output, specific, payload, decision === 'allow', notes),
    ],
    notes,
    ...(misses[0] && { unreadable: `its answer is unclear: ${misses[0]}` }),
  };
}

type Decided = Pick<Wants, 'decision' | 'reason' | 'stop' | 'ignored'>;

/** Returns the stricter of the decisions in the two places. */
function decisionOf(
  event: QwenEventName,
  { decision, reason }: HookOutput,
  specific: Fields,
  notes: string[],
): Decided {
  if (event === 'PermissionRequest') return permissionIn(specific['decision'], reason);
  const isBefore = event === 'PreToolUse';
  const { permissionDecision, permissionDecisionReason } = isBefore ? specific : {};
  const inner = strictest([permissionDecision]);
  const word = strictest([inner, meaningOf(decision)]);
  const hasNoEffect =
    word === 'deny' && !traitsOf(event).blocks
      ? 'a denial'
      : word === 'ask' && !isBefore
        ? 'asking'
        : undefined;
  if (hasNoEffect) {
    notes.push(`${hasNoEffect} has no effect in answer to ${event}`);
    return {};
  }
  const usual = word === 'deny' ? defaultReason : undefined;
  const why = textIn(permissionDecisionReason) ?? textIn(reason) ?? usual;
  return {
    ...(word && { decision: word }),
    ...(why !== undefined && { reason: why }),
    ...(inner === 'allow' &&
      word === 'deny' &&
      wouldIgnore('"permissionDecision" next to it allows', 'remove that field')),
  };
}

/** Returns the effect of `continue: false`: at none of Qwen Code's events does it end the agent. */
function stopOf(
  event: QwenEventName,
  { continue: continues, stopReason, reason }: HookOutput,
  { decision }: Decided,
  notes: string[],
): { readonly denial?: Decided; readonly effects: readonly Effect[] } {
  if (continues !== false) return { effects: [] };
  const why = textIn(stopReason) ?? textIn(reason) ?? defaultReason;
  const value = { llmContent: why, returnDisplay: why };
  switch (traitsOf(event).stop) {
    case 'replaces':
      return { effects: [{ kind: 'replace', slot: 'tool_response', value }] };
    case 'denies':
      return {
        ...(decision !== 'deny' && { denial: { decision: 'deny', reason: why } }),
        effects: [],
      };
    default:
      notes.push(`"continue" has no effect in answer to ${event}`);
      return { effects: [] };
  }
}

function effectsOf(
  event: QwenEventName,
  { systemMessage, suppressOutput }: HookOutput,
  specific: Fields,
  payload: HookPayload,
  isAllowed: boolean,
  notes: string[],
): Effect[] {
  const effects: Effect[] = [];
  const context = textIn(specific['additionalContext']);
  if (context !== undefined && traitsOf(event).context)
    effects.push({ kind: 'context', text: context });
  else if (context !== undefined)
    notes.push(`"additionalContext" has no effect in answer to ${event}`);
  const { updatedInput } = fieldsOf(specific['decision']);
  if (event === 'PermissionRequest' && isAllowed && isRecord(updatedInput)) {
    const value = tools.fromInput(String(payload['tool_name']), updatedInput);
    effects.push({ kind: 'replace', slot: 'tool_input', value });
  }
  if (event === 'PreToolUse' && specific['tool_input'] !== undefined)
    notes.push('"tool_input" reaches only the next hook in a sequence, not the tool');
  if (systemMessage) effects.push({ kind: 'notice', text: systemMessage });
  if (suppressOutput) effects.push({ kind: 'hide' });
  return effects;
}

/** Returns what an event's answer may say at the top and in `hookSpecificOutput`. */
function wordsOf(event: QwenEventName): AnswerWords {
  const isRequest = event === 'PermissionRequest';
  const deciding = event === 'PreToolUse' ? ['permissionDecision'] : isRequest ? ['decision'] : [];
  const unless = traitsOf(event).stop === 'replaces' ? ', except with "continue": false' : '';
  return nestedWords({
    decide: isRequest
      ? 'use "hookSpecificOutput": { "decision": { "behavior": "deny" } }'
      : 'use "decision": "block" and a "reason"',
    instead: {
      arguments: isRequest
        ? 'give new arguments as "hookSpecificOutput.decision.updatedInput"'
        : 'new arguments are accepted only in answer to PermissionRequest',
      'a result': `a result cannot be replaced${unless}`,
    },
    legal: ['stopReason', 'suppressOutput', 'systemMessage', 'terminalSequence'],
    specific: [...deciding, 'permissionDecisionReason', 'artifacts', 'tool_input'],
    deciding,
  });
}

/** Merges answers: any denial wins, contexts are joined and escaped, and the last message counts. */
export function merge(
  event: HookEventName,
  answers: readonly NamedAnswer[],
  payload: HookPayload,
): Verdict {
  const verdict = withEscapedContext(mergeEffects(event, answers, payload));
  const notice = answers
    .flatMap(({ answer }) => (counts(answer) ? answer.effects : []))
    .findLast((effect) => effect.kind === 'notice')?.text;
  return { ...verdict, ...(notice !== undefined && { notice }) };
}

/**
 * Returns what the next hook of a sequence receives: merged arguments, although the tool gets none of
 * them, and the prompt with the context below it.
 */
export function chain(event: HookEventName, payload: HookPayload, answer: Answer): HookPayload {
  const { tool_name: tool, tool_input: before, prompt } = payload;
  if (!answer.success) return payload;
  if (event === 'BeforeAgent') {
    const context = answer.effects.find((effect) => effect.kind === 'context')?.text;
    return context === undefined
      ? payload
      : { ...payload, prompt: `${String(prompt)}\n\n${context}` };
  }
  const printed = objectIn(answer.stdout.trim() || answer.stderr.trim())?.fields;
  const { tool_input: change } = fieldsOf(printed?.['hookSpecificOutput']);
  return event === 'BeforeTool' && isRecord(change)
    ? {
        ...payload,
        tool_input: { ...fieldsOf(before), ...tools.fromInput(String(tool), change) },
      }
    : payload;
}
