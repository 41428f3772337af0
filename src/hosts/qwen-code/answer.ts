import type { HookPayload } from '../../../machines/hook-event.ts';
import type { HookExit, HookProcessOutcome } from '../../../machines/hook-process.ts';
import { checkHookOutput, type HookOutput } from '../../core/protocol/output.ts';
import type { HookDefinition } from '../../core/definitions/hook-definition.ts';
import {
  defaultReason,
  type Answer,
  type Decision,
  type Effect,
  type Wants,
} from '../../core/answers/answer.ts';
import { denialIn, denialInText } from '../parts/host-denials.ts';
import { answerMisses, holdsDenial, withLostDenial } from '../parts/near-misses.ts';
import { parseTwice, withoutDeepFields } from '../parts/printed-json.ts';
import {
  cutStdout,
  factsOf,
  failureText,
  readOutcome,
  cutNotes,
  failure,
  unawaitedAnswer,
} from '../../core/answers/process-facts.ts';
import { qwenEventOf, traitsOf, type QwenEventName } from './events.ts';
import { fromQwenInput } from './tools.ts';
import { wordsOf } from './vocabulary.ts';
import { isRecord, isTooDeep } from '../../base/json.ts';

type Fields = Readonly<Record<string, unknown>>;

const host = 'Qwen Code';

const wouldIgnore = (why: string, fix: string): Pick<Wants, 'ignored'> => ({
  ignored: { host, what: 'denial', why, fix },
});

/** Reads an ended hook's answer (as measured on the host; docs/dialects.md lists the deviations). */
export function readAnswer(
  hook: Pick<HookDefinition, 'event' | 'nativeEvent' | 'async'>,
  outcome: HookProcessOutcome,
  payload: HookPayload,
): Answer {
  const event = qwenEventOf(hook);
  const answer = readOutcome(outcome, (exit) => readExit(event, exit, payload), { host });
  return hook.async ? { ...unawaitedAnswer(answer, []), plainText: false } : withLostDenial(answer);
}

function readExit(event: QwenEventName, exit: HookExit, payload: HookPayload): Answer {
  const [stdout, stderr] = [exit.stdout.trim(), exit.stderr.trim()];
  const text = exit.exitCode === 2 ? stderr : stdout || stderr;
  const wants = text === '' ? { notes: [] } : readPrinted(event, text, exit, payload);
  const { notes, ...said } = exit.exitCode === 2 ? withSilentDenial(event, wants, exit) : wants;
  const answer: Answer = {
    ...factsOf(exit),
    ...said,
    notes: [...notes, ...cutNotes(exit)],
    status: 'ok',
    success: exit.exitCode === 0,
  };
  if (answer.decision === 'deny' || answer.stop) return answer;
  if (exit.exitCode === 0)
    return exit.truncated.includes('stdout') ? failed(answer, cutStdout) : answer;
  // Its answer counts all the same; the failure only matters where failures deny.
  return answer.decision !== undefined || answer.effects.length > 0
    ? { ...answer, unreadable: failureText(exit) }
    : failed(answer, failureText(exit));
}

const failed = (answer: Answer, message: string): Answer => ({ ...answer, ...failure(message) });

/** Parses a text that is a JSON object, which may be encoded twice; undefined for any other text. */
export function objectIn(
  text: string,
): { readonly fields: Fields; readonly json: string } | undefined {
  const printed = parseTwice(text);
  return isRecord(printed?.value) ? { fields: printed.value, json: printed.json } : undefined;
}

function readPrinted(
  event: QwenEventName,
  text: string,
  exit: HookExit,
  payload: HookPayload,
): Wants {
  const object = objectIn(text);
  return object
    ? readObject(event, object.fields, object.json, payload)
    : readText(event, text, exit);
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
  if (text.startsWith('{'))
    return {
      notes: [...notes, 'its output is not valid JSON, so all of it was ignored'],
      unreadable: 'its output is not valid JSON',
    };
  const effects: Effect[] = [{ kind: 'notice', text: exitCode === 0 ? text : `Warning: ${text}` }];
  if (textIsContext && exitCode === 0 && stdout.trim() !== '')
    effects.unshift({ kind: 'context', text });
  return { effects, plainText: true, notes };
}

/** Denies after an exit 2 that Qwen Code does not take for a denial, although a guard meant one. */
function withSilentDenial(event: QwenEventName, wants: Wants, exit: HookExit): Wants {
  if (!traitsOf(event).keepsDenials || wants.decision === 'deny') return wants;
  const [stdout, stderr] = [exit.stdout.trim(), exit.stderr.trim()];
  const object = objectIn(stdout);
  const said = object ? denialIn(object.fields)?.reason : stdout;
  const flaw =
    stderr === ''
      ? wouldIgnore('after exit 2 only stderr is read, and it is empty', 'print the reason there')
      : wouldIgnore(
          'it exited with 2 and printed JSON that does not deny',
          'print the reason on stderr as plain text',
        );
  return {
    decision: 'deny',
    reason: wants.reason || said || defaultReason,
    notes: wants.notes,
    ...flaw,
  };
}

/** Reads what an object asks for; Qwen Code obeys it at every exit code. */
function readObject(
  event: QwenEventName,
  printed: Fields,
  json: string,
  payload: HookPayload,
): Wants {
  const notes: string[] = [];
  const whole = isTooDeep(json) ? withoutDeepFields(printed, notes) : printed;
  const misses = answerMisses(whole, json, wordsOf(event), payload);
  const { output, notes: faults } = checkHookOutput(whole);
  const specific = output.hookSpecificOutput ?? {};
  const { keepsDenials } = traitsOf(event);
  const decided = decisionOf(event, output, specific, notes);
  const lost = keepsDenials && decided.decision !== 'deny' ? denialIn(whole) : undefined;
  const denies = lost?.decision === 'deny';
  if (!denies) notes.push(...misses, ...faults);
  const stopped = stopOf(event, output, decided.decision);
  const denial = denies
    ? { decision: 'deny' as const, reason: lost?.reason ?? defaultReason }
    : stopped.denial;
  return {
    ...decided,
    ...denial,
    ...(denies && wouldIgnore('it is not written correctly', sayNo)),
    effects: [
      ...stopped.effects,
      ...effectsOf(event, output, specific, payload, denial?.decision ?? decided.decision, notes),
    ],
    notes: [...notes, ...stopped.notes],
    ...(misses[0] && { unreadable: `its answer is unclear: ${misses[0]}` }),
  };
}

const sayNo = 'print {"decision": "block", "reason": "…"}';

type Decided = Pick<Wants, 'decision' | 'reason' | 'stop' | 'ignored'>;

const meanings: Readonly<Record<string, Decision>> = {
  deny: 'deny',
  block: 'deny',
  ask: 'ask',
  allow: 'allow',
  approve: 'allow',
};
const meaningOf = (word: unknown): Decision | undefined =>
  typeof word === 'string' && Object.hasOwn(meanings, word) ? meanings[word] : undefined;

/** Returns the stricter of the decisions in the two places. */
function decisionOf(
  event: QwenEventName,
  { decision, reason }: HookOutput,
  specific: Fields,
  notes: string[],
): Decided {
  if (event === 'PermissionRequest') return permissionOf(specific, reason);
  const { blocks } = traitsOf(event);
  const inner =
    event === 'PreToolUse'
      ? (['deny', 'ask', 'allow'] as const).find((one) => one === specific['permissionDecision'])
      : undefined;
  const words = [inner, meaningOf(decision)];
  const word = (['deny', 'ask', 'allow'] as const).find((one) => words.includes(one));
  const isUndone = inner === 'allow' && word === 'deny';
  const innerReason = text(specific['permissionDecisionReason']);
  const why = (event === 'PreToolUse' ? innerReason : undefined) ?? text(reason);
  if (word === 'deny' && !blocks) {
    notes.push(`a denial has no effect in answer to ${event}`);
    return {};
  }
  if (word === 'ask' && event !== 'PreToolUse') {
    notes.push(`asking has no effect in answer to ${event}`);
    return {};
  }
  return {
    ...(word && { decision: word }),
    ...(why !== undefined && { reason: why }),
    ...(word === 'deny' && why === undefined && { reason: defaultReason }),
    ...(isUndone && wouldIgnore('"permissionDecision" next to it allows', 'remove that field')),
  };
}

/** Returns the answer to the question whether a call may run. */
function permissionOf({ decision }: Fields, reason: unknown): Decided {
  const { behavior, message, interrupt } = isRecord(decision) ? decision : {};
  const word = typeof behavior === 'string' ? behavior.trim().toLowerCase() : '';
  if (word === 'deny')
    return {
      decision: 'deny',
      reason: text(message) ?? text(reason) ?? defaultReason,
      ...(interrupt === true && { stop: true }),
    };
  return word === 'allow' ? { decision: 'allow' } : {};
}

/** Returns the effect of `continue: false`: at none of Qwen Code's events does it end the agent. */
function stopOf(
  event: QwenEventName,
  { continue: continues, stopReason, reason }: HookOutput,
  decided: Decision | undefined,
): {
  readonly denial?: Decided;
  readonly effects: readonly Effect[];
  readonly notes: readonly string[];
} {
  if (continues !== false) return { effects: [], notes: [] };
  const why = text(stopReason) ?? text(reason) ?? defaultReason;
  const { stop } = traitsOf(event);
  if (stop === undefined)
    return { effects: [], notes: [`"continue" has no effect in answer to ${event}`] };
  if (stop === 'replaces')
    return {
      effects: [
        { kind: 'replace', slot: 'tool_response', value: { llmContent: why, returnDisplay: why } },
      ],
      notes: [],
    };
  return {
    ...(decided !== 'deny' && { denial: { decision: 'deny', reason: why } }),
    effects: [],
    notes: [],
  };
}

function effectsOf(
  event: QwenEventName,
  { systemMessage, suppressOutput }: HookOutput,
  specific: Fields,
  payload: HookPayload,
  decision: Decision | undefined,
  notes: string[],
): Effect[] {
  const effects: Effect[] = [];
  const context = text(specific['additionalContext']);
  if (context !== undefined && traitsOf(event).context)
    effects.push({ kind: 'context', text: context });
  else if (context !== undefined)
    notes.push(`"additionalContext" has no effect in answer to ${event}`);
  if (event === 'PermissionRequest' && decision === 'allow') {
    const { updatedInput } = isRecord(specific['decision']) ? specific['decision'] : {};
    if (isRecord(updatedInput))
      effects.push({
        kind: 'replace',
        slot: 'tool_input',
        value: fromQwenInput(String(payload['tool_name']), updatedInput),
      });
  }
  if (event === 'PreToolUse' && specific['tool_input'] !== undefined)
    notes.push('"tool_input" reaches only the next hook in a sequence, not the tool');
  if (systemMessage) effects.push({ kind: 'notice', text: systemMessage });
  if (suppressOutput) effects.push({ kind: 'hide' });
  return effects;
}

const text = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;
