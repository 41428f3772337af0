import type { HookPayload } from '../../../machines/hook-event.ts';
import type { HookExit, HookProcessOutcome } from '../../../machines/hook-process.ts';
import { hookPointOf } from '../../core/points/hook-points.ts';
import type { HookEventName } from '../../core/protocol/events.ts';
import {
  checkHookOutput,
  EXIT_CODE_BLOCKING_ERROR,
  EXIT_CODE_SUCCESS,
  type HookOutput,
  isBlocking,
} from '../../core/protocol/output.ts';
import { defaultReason, type Answer, type Effect } from '../../core/answers/answer.ts';
import { answerMisses, holdsDenial, withLostDenial } from '../parts/near-misses.ts';
import { parseTwice, withoutDeepFields, isJson } from '../parts/printed-json.ts';
import {
  cutStdout,
  factsOf,
  failure,
  failureText,
  readOutcome,
} from '../../core/answers/process-facts.ts';
import { decidingCommon, decidingSpecific, readSpecific, wordsOf } from './vocabulary.ts';
import { isRecord, isTooDeep, inTable } from '../../base/json.ts';

/** Reads a hook's ended process. */
export const readAnswer = (
  event: HookEventName,
  outcome: HookProcessOutcome,
  received: HookPayload = {},
): Answer => withLostDenial(readOutcome(outcome, (exit) => readExit(event, exit, received)));

/** Reads what a process printed, and how it exited. */
export function readExit(event: HookEventName, exit: HookExit, received: HookPayload): Answer {
  const base = {
    ...factsOf(exit),
    status: 'ok',
    notes: exit.truncated
      .filter((stream) => stream === 'stderr' || exit.exitCode !== EXIT_CODE_SUCCESS)
      .map((stream) => `${stream} went over 10 MiB; the rest was dropped`),
  } satisfies Partial<Answer>;
  if (exit.exitCode === EXIT_CODE_BLOCKING_ERROR) {
    const denial = { decision: 'deny', reason: denialReason(event, exit) } as const;
    return { ...base, success: false, ...denial, output: denial };
  }
  if (exit.exitCode !== EXIT_CODE_SUCCESS) {
    const said = exit.stderr.trim();
    return {
      ...base,
      ...failure(failureText(exit)),
      ...(said !== '' && { output: { decision: 'allow', systemMessage: `Warning: ${said}` } }),
    };
  }
  const printed = readStdout(event, exit.stdout, received);
  // The part that was kept may still hold a whole answer; only a denial or a stop is accepted from it.
  if (exit.truncated.includes('stdout') && !forbids(printed))
    return { ...base, ...failure(cutStdout) };
  switch (printed.kind) {
    case 'nothing':
      return { ...base, success: true };
    case 'text':
      return {
        ...base,
        success: true,
        plainText: true,
        decision: 'allow',
        output: { decision: 'allow', systemMessage: printed.text },
        effects: [{ kind: 'message', text: printed.text }],
        notes: [...base.notes, ...printed.notes],
        ...(printed.unreadable && { unreadable: printed.unreadable }),
      };
    case 'object': {
      const { output, notes, unreadable, repeatsResponse } = printed;
      return {
        ...base,
        success: true,
        decision: meaningOf(output.decision),
        stop: output.continue === false,
        ...(output.reason && { reason: output.reason }),
        ...(output.stopReason && { stopReason: output.stopReason }),
        output,
        effects: effectsOf(event, output),
        notes: [...base.notes, ...atMost(mostNotes, notes)],
        ...(repeatsResponse && { repeatsResponse }),
        ...(unreadable && { unreadable }),
      };
    }
  }
}

/** Returns the changes that an output asks for, key by key, as LLxprt spreads them. */
function effectsOf(event: HookEventName, output: HookOutput): Effect[] {
  const { slots } = hookPointOf(event);
  const { systemMessage, suppressOutput, hookSpecificOutput = {} } = output;
  const effects: Effect[] = [];
  for (const [name, value] of Object.entries(hookSpecificOutput)) {
    const slot = slots.find((known) => known === name);
    if (slot && isRecord(value)) effects.push({ kind: 'patch', slot, value });
    else if (name === 'additionalContext' && typeof value === 'string')
      effects.push({ kind: 'context', text: value });
    else effects.push({ kind: 'own', name, value });
  }
  if (systemMessage) effects.push({ kind: 'message', text: systemMessage });
  if (suppressOutput) effects.push({ kind: 'hide' });
  return effects;
}

/** The maximum number of notes about a hook's output, however much is wrong with it. */
const mostNotes = 10;

function atMost(most: number, notes: readonly string[]): readonly string[] {
  const more = notes.length - most;
  if (more <= 0) return notes;
  const things = more === 1 ? '1 more thing was' : `${more} more things were`;
  return [...notes.slice(0, most), `${things} not understood`];
}

const forbids = (printed: Printed): boolean =>
  printed.kind === 'object' &&
  (meaningOf(printed.output.decision) === 'deny' || printed.output.continue === false);

/** How much of a hook's plain text is passed to the model, in characters. */
const longestText = 100_000;

const shortened = (text: string): string =>
  text.length > longestText ? `${text.slice(0, longestText)}…` : text;

/** Returns stderr, else the reason on stdout, else a fixed text; nothing else on stdout is used. */
function denialReason(event: HookEventName, exit: HookExit): string {
  const said = exit.stderr.trim();
  if (said !== '') return shortened(said);
  const printed = readStdout(event, exit.stdout);
  switch (printed.kind) {
    case 'nothing':
      return defaultReason;
    case 'text':
      return shortened(printed.text);
    case 'object':
      return printed.output.reason?.trim() ? printed.output.reason : defaultReason;
  }
}

function meaningOf(decision: HookOutput['decision']): Answer['decision'] {
  switch (decision) {
    case 'block':
    case 'deny':
      return 'deny';
    case 'ask':
      return 'ask';
    case 'allow':
    case 'approve':
      return 'allow';
    case null:
    case undefined:
      return undefined;
  }
}

/** What a hook printed on stdout. */
export type Printed =
  | { readonly kind: 'nothing' }
  | ({ readonly kind: 'text'; readonly text: string } & HowRead)
  | ({ readonly kind: 'object'; readonly output: HookOutput } & HowRead);

interface HowRead {
  readonly notes: readonly string[];
  /** Why it is not an answer, although it was meant to be one. */
  readonly unreadable?: string;
  /** Its response is the one that it received. */
  readonly repeatsResponse?: true;
}

/**
 * Reads stdout as JSON, encoded once or twice, else as plain text.
 * `received` is the payload that the hook received.
 */
export function readStdout(
  event: HookEventName,
  stdout: string,
  received: HookPayload = {},
): Printed {
  const text = stdout.trim();
  if (text === '') return { kind: 'nothing' };
  const { value, json } = parseTwice(text) ?? { value: undefined, json: text };
  if (value === null) return { kind: 'nothing' };
  if (isRecord(value)) return { kind: 'object', ...readObject(event, value, json, received) };
  if (holdsDenial(text))
    return {
      kind: 'text',
      text,
      notes: [`${lostDenial}, so all of it was taken as a message; print that object alone`],
      unreadable: lostDenial,
    };
  const resembles = resemblesAnswer(text);
  return {
    kind: 'text',
    text,
    notes: resembles
      ? ['its output is not one JSON object, so all of it was taken as a message']
      : [],
    ...((resembles || isJson(text)) && { unreadable: 'its output is not one JSON object' }),
  };
}

const lostDenial = 'a denial was NOT read: its output is not one JSON object';

/** Whether a text was meant as an object, even if broken or surrounded, above all one that decides. */
function resemblesAnswer(text: string): boolean {
  // oxlint-disable-next-line no-control-regex -- a terminal's colours, and what is left of another encoding
  const bare = text.replaceAll(/\u001B\[[\d;]*[A-Za-z]|[\u0000\uFFFD]/g, '').trim();
  return (
    bare.startsWith('{') ||
    bare.endsWith('}') ||
    /"(?:decision|continue|permissionDecision)\\*"\s*:/.test(bare)
  );
}

function readObject(
  event: HookEventName,
  printed: Fields,
  json: string,
  received: HookPayload,
): { output: HookOutput } & HowRead {
  const notes: string[] = [];
  const { output, notes: faults } = checkHookOutput(
    isTooDeep(json) ? withoutDeepFields(printed, notes) : printed,
  );
  notes.push(...faults);
  const lost = {
    ...missedFields(event, printed, json, received, notes),
    ...lostFields(printed, output as Fields, decidingCommon),
  };
  if (output.hookSpecificOutput === undefined) return { output, notes, ...lost };
  const specific = withoutFiller(event, output.hookSpecificOutput, notes);
  const read = readSpecific(event, specific, received);
  for (const note of read.notes) notes.push(note);
  const whole = { ...output, hookSpecificOutput: read.specific };
  return {
    output: event === 'BeforeTool' ? withPermissionDecision(whole) : whole,
    notes,
    ...(read.repeatsResponse && { repeatsResponse: true }),
    ...lostFields(withoutEmpty(specific), read.specific, decidingSpecific(event)),
    ...lostInside(event, read.notes),
    ...lost,
  };
}

/** A hook may pass on at most this many fields of its own: each is merged, compared and named. */
const mostFields = 10_000;

/** Drops the fields that have no meaning here if there are very many. */
function withoutFiller(event: HookEventName, specific: Fields, notes: string[]): Fields {
  const count = Object.keys(specific).length;
  if (count <= mostFields) return specific;
  notes.push(
    `"hookSpecificOutput" has ${count} fields, so those that have no meaning here were dropped`,
  );
  const { legal } = wordsOf(event).specific;
  return Object.fromEntries(
    legal.flatMap((name) => (Object.hasOwn(specific, name) ? [[name, specific[name]]] : [])),
  );
}

/** Drops empty objects: they ask for nothing, so nothing of them can be lost. */
const withoutEmpty = (fields: Fields): Fields =>
  Object.fromEntries(
    Object.entries(fields).filter(([, value]) => !isRecord(value) || Object.keys(value).length > 0),
  );

/** Notes keys that are almost a deciding field or decide elsewhere, and fields that were given twice. */
function missedFields(
  event: HookEventName,
  printed: Fields,
  json: string,
  received: HookPayload,
  notes: string[],
): { unreadable?: string } {
  const missed = answerMisses(printed, json, wordsOf(event), received);
  notes.push(...missed);
  return missed[0] === undefined ? {} : { unreadable: `its answer is unclear: ${missed[0]}` };
}

/** A word that was given but not understood may have been a denial. */
function lostFields(
  given: Fields,
  kept: Fields,
  names: readonly string[],
): { unreadable?: string } {
  const lost = names.find(
    (name) =>
      (inTable(given, name) ?? undefined) !== undefined && inTable(kept, name) === undefined,
  );
  return lost === undefined ? {} : { unreadable: `its "${lost}" cannot be understood` };
}

/** A field inside a replaced request, response or tool choice that was not understood, and noted as such. */
function lostInside(event: HookEventName, notes: readonly string[]): { unreadable?: string } {
  const lost = Object.entries(wordsOf(event).inner)
    .flatMap(([name, { deciding }]) => deciding.map((field) => `${name}.${field}`))
    .find((path) => notes.some((note) => note.startsWith(`${path} is `)));
  return lost === undefined ? {} : { unreadable: `its "${lost}" cannot be understood` };
}

type Fields = Readonly<Record<string, unknown>>;

/**
 * Copies BeforeTool's compatibility fields to the common ones, so that no merge can miss them.
 */
function withPermissionDecision(output: HookOutput): HookOutput {
  const { permissionDecision, permissionDecisionReason } =
    output.hookSpecificOutput as PermissionFields;
  const decides = isBlocking(permissionDecision) || (output.decision ?? undefined) === undefined;
  return {
    ...output,
    ...(decides && permissionDecision && { decision: permissionDecision }),
    ...(permissionDecisionReason && { reason: permissionDecisionReason }),
  };
}

/** The fields as `readSpecific` leaves them. */
interface PermissionFields {
  readonly permissionDecision?: HookOutput['decision'];
  readonly permissionDecisionReason?: string;
}
