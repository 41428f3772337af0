import type { HookPayload } from '../../../machines/hook-event.ts';
import type { HookExit } from '../../../machines/hook-process.ts';
import { hookPointOf, type HookEventName } from '../../core/points/hook-points.ts';
import { checkHookOutput, type HookOutput } from '../../core/protocol/output.ts';
import { defaultReason, type Answer, type Effect, type Wants } from '../../core/answers/answer.ts';
import { denialAround, denialIn, type LostDenial } from '../parts/host-denials.ts';
import { readSpecific, wordsOf as plainWordsOf } from '../plain/vocabulary.ts';
import {
  answerMisses,
  type AnswerWords,
  holdsDenial,
  type Vocabulary,
} from '../parts/near-misses.ts';
import { parseTwice, withoutDeepFields } from '../parts/printed-json.ts';
import { settled } from '../../core/answers/process-facts.ts';
import { tools } from './tools.ts';
import { isRecord, isTooDeep } from '../../base/json.ts';
import { ignoredBy, readerOf } from '../parts/reader.ts';

type Fields = Readonly<Record<string, unknown>>;

const host = 'Gemini CLI';
const wouldIgnore = ignoredBy(host);

/** What an answer to an event may do. */
interface Power {
  /** Whether a denial and a stop count. */
  readonly decides?: true;
  /** Whether `additionalContext` reaches the model. */
  readonly context?: true;
  /** Fields of `hookSpecificOutput` that have a meaning only in Gemini CLI. */
  readonly own?: readonly string[];
}

const powers: Readonly<Partial<Record<HookEventName, Power>>> = {
  BeforeTool: { decides: true },
  AfterTool: { decides: true, context: true, own: ['tailToolCallRequest'] },
  BeforeAgent: { decides: true, context: true },
  AfterAgent: { decides: true, own: ['clearContext'] },
  BeforeModel: { decides: true },
  AfterModel: { decides: true },
  SessionStart: { context: true },
};

const powerOf = (event: HookEventName): Power => powers[event] ?? {};

/** The fields of `hookSpecificOutput` that have a meaning in answer to an event. */
const specificFields = (event: HookEventName): readonly string[] => [
  ...hookPointOf(event).slots,
  ...(powerOf(event).own ?? []),
  ...(powerOf(event).context ? ['additionalContext'] : []),
];

const decide = 'use "decision": "deny" (or "block", "allow") next to "hookSpecificOutput"';
const isTheirs = (name: string): boolean => name !== 'permissionDecision';

/** What an event's answers may say, and where: as in LLxprt, except for words that only one of them has. */
function wordsOf(event: HookEventName): AnswerWords {
  const { common, specific, inner, once } = plainWordsOf(event);
  const without = (words: Vocabulary, more: readonly string[]): Vocabulary => ({
    ...words,
    legal: [...words.legal.filter(isTheirs), ...more],
    deciding: words.deciding.filter(isTheirs),
    misplaced: { ...words.misplaced, permissionDecision: decide },
  });
  return {
    common: without(common, []),
    specific: without(specific, powerOf(event).own ?? []),
    inner,
    once: once.filter(isTheirs),
  };
}

/** Reads an ended hook's answer (as measured on the host; docs/dialects.md lists the deviations). */
export const readAnswer = readerOf({ host, eventOf: ({ event }) => event, readExit });

/** Gemini CLI obeys an answer at every exit status; the failure only matters where failures deny. */
function readExit(event: HookEventName, exit: HookExit, payload: HookPayload): Answer {
  const text = exit.stdout.trim() || exit.stderr.trim();
  const printed = parseTwice(text);
  const wants = isRecord(printed?.value)
    ? readObject(event, printed.value, printed.json, payload)
    : text === '' || printed !== undefined
      ? { notes: [] }
      : readText(event, text, exit);
  const said = exit.exitCode === 2 ? withSilentDenial(event, wants, exit) : wants;
  return settled(exit, said, said.output !== undefined);
}

/** Plain text is a message with exit 0 or a signal, a warning with 1, and a denial with any other code. */
function readText(event: HookEventName, text: string, { exitCode }: HookExit): Wants {
  if (exitCode !== null && exitCode > 1) {
    if (!powerOf(event).decides)
      return withoutPower(event, 'a denial', message(`Warning: ${text}`));
    return denying(event, { decision: 'deny', reason: text }, []);
  }
  const lost = guards(event) ? denialAround(text) : undefined;
  if (lost)
    return {
      ...denying(event, lost, []),
      ...wouldIgnore('there is other text around it', 'print one JSON object and nothing else'),
    };
  const notes = holdsDenial(text)
    ? ['a denial was NOT read: print one JSON object and nothing else']
    : [];
  return { ...message(exitCode === 1 ? `Warning: ${text}` : text), notes };
}

/** Gemini CLI shows a hook's messages to the user, at every event. */
const message = (text: string): Wants => ({
  effects: [{ kind: 'notice', text }],
  output: { systemMessage: text },
  plainText: true,
  notes: [],
});

const withoutPower = (event: HookEventName, what: string, wants: Wants): Wants => ({
  ...wants,
  notes: [...wants.notes, `${what} has no effect in answer to ${event}`],
});

/** Whether a denial that Gemini CLI would lose counts here. */
const guards = (event: HookEventName): boolean => hookPointOf(event).needsGuards;

/** Returns a denial or a stop, without anything else in the answer. */
function denying(
  event: HookEventName,
  { decision, reason, stop, stopReason }: LostDenial,
  notes: readonly string[],
): Wants {
  // Denying a response that the model has already given ends the agent.
  const ends = stop === true || event === 'AfterModel';
  const why = decision && (reason ?? defaultReason);
  const whyEnds = ends ? (stopReason ?? why) : undefined;
  return {
    ...(decision && { decision, reason: why! }),
    ...(ends && { stop: true, ...(whyEnds !== undefined && { stopReason: whyEnds }) }),
    effects: [],
    output: {
      ...(decision && { decision, reason: why! }),
      ...(ends && { continue: false, ...(whyEnds !== undefined && { stopReason: whyEnds }) }),
    },
    notes,
  };
}

/** Denies after an exit 2 that Gemini CLI does not take for a denial, although a guard meant one. */
function withSilentDenial(event: HookEventName, wants: Wants, { stdout, stderr }: HookExit): Wants {
  if (!guards(event) || wants.decision === 'deny' || wants.stop) return wants;
  const isSilent = stdout.trim() === '' && stderr.trim() === '';
  const reason = wants.output?.reason ?? (stdout.trim() === '' ? '' : stderr.trim());
  const flaw = isSilent
    ? wouldIgnore('it exited with 2 and printed nothing', 'print the reason on stderr')
    : wouldIgnore(
        'it exited with 2 and printed JSON that does not deny',
        'print {"decision": "deny"}, or the reason as plain text',
      );
  const denial = { decision: 'deny', reason: reason || defaultReason } as const;
  return { ...denying(event, denial, wants.notes), ...flaw };
}

/** Reads what an object asks for; Gemini CLI obeys it at every exit code, on either stream. */
function readObject(
  event: HookEventName,
  printed: Fields,
  json: string,
  payload: HookPayload,
): Wants {
  const notes: string[] = [];
  const whole = isTooDeep(json) ? withoutDeepFields(printed, notes) : printed;
  const misses = answerMisses(whole, json, wordsOf(event), payload);
  const { output: checked, notes: faults } = checkHookOutput(whole);
  const { hookSpecificOutput: given = {}, ...common } = checked;
  const { specific, notes: unfit, repeatsResponse } = readSpecific(event, given, payload);
  const { decides } = powerOf(event);
  const word = common.decision ?? undefined;
  const lost = guards(event) && !isNo(word) ? denialIn(whole) : undefined;
  // A denial that counts after all is not reported as ignored.
  if (!lost?.decision) notes.push(...misses, ...faults);
  notes.push(...unfit);
  const decision = isNo(word) || lost?.decision ? 'deny' : word === 'approve' ? 'allow' : word;
  const stops = common.continue === false;
  if (!decides && (decision === 'deny' || stops))
    notes.push(`a denial or a stop has no effect in answer to ${event}`);
  if (decision === 'ask' && event !== 'BeforeTool')
    notes.push(`asking has no effect in answer to ${event}`);
  const reason = lost?.reason ?? common.reason;
  const denial =
    decides && (decision === 'deny' || stops)
      ? denying(event, denialOf(event, common, decision === 'deny', reason), [])
      : undefined;
  const kept = keptSpecific(event, specific, given, denial?.decision === 'deny', payload, notes);
  const { systemMessage, suppressOutput } = common;
  const isAsked = decision === 'ask' && event === 'BeforeTool';
  const output: HookOutput = {
    ...(isAsked || decision === 'allow' ? { decision } : {}),
    ...(reason && { reason }),
    ...denial?.output,
    ...(systemMessage && { systemMessage }),
    ...(suppressOutput && { suppressOutput }),
    ...(Object.keys(kept).length > 0 && { hookSpecificOutput: kept }),
  };
  return {
    ...(isAsked || decision === 'allow' ? { decision } : {}),
    ...(reason && { reason }),
    ...denial,
    ...(lost?.decision && wouldIgnore('it is not written correctly', 'print {"decision": "deny"}')),
    effects: effectsOf(event, kept, common),
    output,
    notes,
    ...(misses[0] && { unreadable: `its answer is unclear: ${misses[0]}` }),
    ...(repeatsResponse && { repeatsResponse: true }),
  };
}

/** Returns a denial and a stop; a stop takes precedence over everything that keeps the agent working. */
function denialOf(
  event: HookEventName,
  { continue: continues, stopReason }: HookOutput,
  denies: boolean,
  reason: string | undefined,
): LostDenial {
  const stops = continues === false;
  const whyStops = stopReason || (stops && reason);
  return {
    ...(denies && !(stops && event === 'AfterAgent') && { decision: 'deny' }),
    ...(reason && { reason }),
    ...(stops && { stop: true }),
    ...(whyStops && { stopReason: whyStops }),
  };
}

const isNo = (word: unknown): boolean => word === 'deny' || word === 'block';

/** Returns the fields of `hookSpecificOutput` that count, under our names. */
function keptSpecific(
  event: HookEventName,
  specific: Fields,
  given: Fields,
  isDenied: boolean,
  payload: HookPayload,
  notes: string[],
): Fields {
  const meant = specificFields(event);
  if (given['additionalContext'] !== undefined && !powerOf(event).context)
    notes.push(`"additionalContext" has no effect in answer to ${event}`);
  const kept = Object.entries(specific).filter(
    // The arguments of a denied call do not matter.
    ([name]) => meant.includes(name) && !(isDenied && name === 'tool_input'),
  );
  if (meant.includes('tailToolCallRequest') && isRecord(specific['tailToolCallRequest']))
    notes.push('"tailToolCallRequest" is reported, but the call is not made');
  return Object.fromEntries(
    kept.map(([name, value]) =>
      name === 'tool_input'
        ? [name, tools.fromInput(String(payload['tool_name']), value as Fields)]
        : [name, value],
    ),
  );
}

function effectsOf(
  event: HookEventName,
  specific: Fields,
  { systemMessage, suppressOutput }: HookOutput,
): Effect[] {
  const { slots } = hookPointOf(event);
  const effects: Effect[] = [];
  for (const [name, value] of Object.entries(specific)) {
    const slot = slots.find((one) => one === name);
    if (slot && isRecord(value))
      effects.push({ kind: slot === 'tool_input' ? 'replace' : 'patch', slot, value });
    else if (name === 'additionalContext') {
      if (typeof value === 'string' && value !== '') effects.push({ kind: 'context', text: value });
    } else effects.push({ kind: 'own', name, value });
  }
  if (systemMessage) effects.push({ kind: 'notice', text: systemMessage });
  if (suppressOutput) effects.push({ kind: 'hide' });
  return effects;
}
