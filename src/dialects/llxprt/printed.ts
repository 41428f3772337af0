import type { HookPayload } from '../../../machines/hook-event.ts';
import type { HookEventName } from '../../protocol/events.ts';
import {
  checkHookOutput,
  decisionWanted,
  type HookOutput,
  ignored,
  isBlocking,
  isDecision,
  isRecord,
} from '../../protocol/output.ts';
import { normalizeHookLLMRequest, normalizeHookToolConfig } from '../../translate/request.ts';
import { normalizeHookLLMResponse, repeatsResponse } from '../../translate/response.ts';
import { holdsDenial, nearMisses } from '../near-misses.ts';
import { doubledKeys, isTooDeep, withoutDeepFields } from '../printed-json.ts';
import { decidingCommon, decidingSpecific, wordsOf } from './vocabulary.ts';

/** What a hook printed on stdout. */
export type Printed =
  | { readonly kind: 'nothing' }
  | ({ readonly kind: 'text'; readonly text: string } & HowRead)
  | ({ readonly kind: 'object'; readonly output: HookOutput } & HowRead);

interface HowRead {
  readonly notes: readonly string[];
  /** Why it was meant to be an answer, and is none. */
  readonly unreadable?: string;
  /** Its response is the one that it was given. */
  readonly repeatsResponse?: true;
}

/**
 * Stdout as JSON, encoded once or twice, else as plain text (HOOK-193, HOOK-201, HOOK-212, C-30).
 * `told` is what the hook was told of the event.
 */
export function readStdout(event: HookEventName, stdout: string, told: HookPayload = {}): Printed {
  const text = stdout.trim();
  if (text === '') return { kind: 'nothing' };
  let json = text;
  let value = parse(json);
  if (typeof value === 'string') value = parse((json = value));
  if (value === null) return { kind: 'nothing' };
  if (isRecord(value)) return { kind: 'object', ...readObject(event, value, json, told) };
  if (holdsDenial(text))
    return {
      kind: 'text',
      text,
      notes: [`${lostDenial}, so all of it was taken as a message; print that object alone`],
      unreadable: lostDenial,
    };
  const resembles = isMeantAsAnswer(text);
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

/** The value of a JSON text; undefined when it is none. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Broken, or with something else around it, an object is still seen to be meant, above all one that decides. */
function isMeantAsAnswer(text: string): boolean {
  // oxlint-disable-next-line no-control-regex -- a terminal's colours, and what is left of another encoding
  const bare = text.replaceAll(/\u001B\[[\d;]*[A-Za-z]|[\u0000\uFFFD]/g, '').trim();
  return (
    bare.startsWith('{') ||
    bare.endsWith('}') ||
    /"(?:decision|continue|permissionDecision)\\*"\s*:/.test(bare)
  );
}

const isJson = (text: string): boolean => parse(text) !== undefined;

function readObject(
  event: HookEventName,
  printed: Fields,
  json: string,
  told: HookPayload,
): { output: HookOutput } & HowRead {
  const notes: string[] = [];
  const { output, notes: faults } = checkHookOutput(
    isTooDeep(json) ? withoutDeepFields(printed, notes) : printed,
  );
  notes.push(...faults);
  const missed = missedFields(event, printed, json, told, notes);
  const lost = { ...missed, ...lostFields(printed, output as Fields, decidingCommon) };
  if (output.hookSpecificOutput === undefined) return { output, notes, ...lost };
  const specific = withoutFiller(event, output.hookSpecificOutput, notes);
  const read = readSpecific(event, specific, told);
  for (const note of read.notes) notes.push(note);
  const whole = { ...output, hookSpecificOutput: read.specific };
  return {
    output: event === 'BeforeTool' ? withPermissionDecision(whole) : whole,
    notes,
    ...(read.repeatsResponse && { repeatsResponse: true }),
    ...missed,
    ...lostFields(withoutEmpty(specific), read.specific, decidingSpecific(event)),
    ...lostInside(event, read.notes),
    ...lost,
  };
}

/** More fields of its own than this no hook hands on: each is merged, compared and named. */
const mostFields = 10_000;

/** What a hook answers to an event, without the fields that mean nothing here where they are very many. */
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

/** An empty object asks for nothing, so nothing of it can be lost. */
const withoutEmpty = (fields: Fields): Fields =>
  Object.fromEntries(
    Object.entries(fields).filter(([, value]) => !isRecord(value) || Object.keys(value).length > 0),
  );

/** Notes the keys that are almost a field that decides, or decide elsewhere, and the fields that were given twice. */
function missedFields(
  event: HookEventName,
  printed: Fields,
  json: string,
  told: HookPayload,
  notes: string[],
): { unreadable?: string } {
  const { common, specific, inner } = wordsOf(event);
  const given = own(printed, 'hookSpecificOutput');
  const fieldsOf = (name: string, object: unknown): Fields => {
    const fields = isRecord(object) ? own(object, name) : undefined;
    return isRecord(fields) ? fields : {};
  };
  const missed = [
    ...nearMisses(printed, common, told),
    ...(isRecord(given) ? nearMisses(given, specific, told) : []),
    ...Object.entries(inner).flatMap(([name, words]) =>
      nearMisses(fieldsOf(name, given), words, fieldsOf(name, told)),
    ),
    ...doubledKeys(
      json,
      [
        ...decidingCommon,
        ...decidingSpecific(event),
        ...Object.values(inner).flatMap(({ deciding }) => deciding),
      ],
      ['hookSpecificOutput', ...Object.keys(inner)],
    ).map((path) => `"${path}" was given more than once: the last one counts`),
  ];
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
    (name) => (own(given, name) ?? undefined) !== undefined && own(kept, name) === undefined,
  );
  return lost === undefined ? {} : { unreadable: `its "${lost}" cannot be understood` };
}

/** The same of a field of what replaces a request, a response or a choice of tools, which was noted when it was read. */
function lostInside(event: HookEventName, notes: readonly string[]): { unreadable?: string } {
  const lost = Object.entries(wordsOf(event).inner)
    .flatMap(([name, { deciding }]) => deciding.map((field) => `${name}.${field}`))
    .find((path) => notes.some((note) => note.startsWith(`${path} is `)));
  return lost === undefined ? {} : { unreadable: `its "${lost}" cannot be understood` };
}

type Fields = Readonly<Record<string, unknown>>;

const own = (fields: Fields, name: string): unknown =>
  Object.hasOwn(fields, name) ? fields[name] : undefined;

/** BeforeTool's compatibility fields as the common ones, so that no merge can miss them (HOOK-169, HOOK-199, C-52). */
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

/** As `readSpecific` leaves them. */
interface PermissionFields {
  readonly permissionDecision?: HookOutput['decision'];
  readonly permissionDecisionReason?: string;
}

type Specific = Readonly<Record<string, unknown>>;

/** The valid form of a field, or undefined when nothing of it can be used; what was left out is noted. */
type Reader = (value: unknown, name: string, notes: string[], told: HookPayload) => unknown;

const readers: Readonly<Partial<Record<HookEventName, Readonly<Record<string, Reader>>>>> = {
  BeforeTool: {
    tool_input: fitting(isRecord, 'an object'),
    permissionDecision: fitting(isDecision, decisionWanted),
    permissionDecisionReason: fitting(isText, 'a string'),
  },
  BeforeModel: { llm_request: readRequest, llm_response: readResponse },
  AfterModel: { llm_response: readRevisedResponse },
  BeforeToolSelection: { toolConfig: readToolConfig },
};
const forAllEvents: Readonly<Record<string, Reader>> = {
  additionalContext: fitting(isText, 'a string'),
};

/**
 * An event's own part of a hook's output in its valid form, before anything is merged or chained
 * (C-31, C-71 to C-73). Null is a field left out; a field the event does not know is passed through.
 * `told` is what the hook was told of the event: a response that says the same is a repetition.
 */
export function readSpecific(
  event: HookEventName,
  specific: Specific,
  told: HookPayload = {},
): { specific: Specific; notes: string[]; repeatsResponse?: true } {
  const notes: string[] = [];
  let read: Specific = specific;
  for (const [name, reader] of Object.entries({ ...forAllEvents, ...readers[event] })) {
    if (!Object.hasOwn(specific, name)) continue;
    const value = specific[name];
    const { [name]: _, ...others } = read;
    const fitted = value === null ? undefined : reader(value, name, notes, told);
    read = fitted === undefined ? others : { ...others, [name]: fitted };
  }
  const isRepeated =
    event === 'AfterModel' && repeatsResponse(read['llm_response'], told['llm_response']);
  return { specific: read, notes, ...(isRepeated && { repeatsResponse: true }) };
}

function isText(value: unknown): boolean {
  return typeof value === 'string';
}

function fitting(fits: (value: unknown) => boolean, wanted: string): Reader {
  return (value, name, notes) => {
    if (fits(value)) return value;
    notes.push(ignored(`"${name}"`, value, wanted));
    return undefined;
  };
}

function readRequest(value: unknown, _name: string, notes: string[]) {
  const read = normalizeHookLLMRequest(value);
  notes.push(...read.notes);
  return unlessEmpty(read.request);
}

function readResponse(value: unknown, _name: string, notes: string[]) {
  return wholeResponse(normalizeHookLLMResponse(value), notes);
}

/** Beside a text, candidates that were only copied from what the hook was given say nothing (C-73). */
function readRevisedResponse(value: unknown, _name: string, notes: string[], told: HookPayload) {
  return wholeResponse(normalizeHookLLMResponse(value, told['llm_response']), notes);
}

/** A text alone stands for one whole candidate, so that it replaces all that another hook answered (C-73). */
function wholeResponse(
  { response = {}, notes: found }: ReturnType<typeof normalizeHookLLMResponse>,
  notes: string[],
) {
  notes.push(...found);
  const { text, candidates } = response;
  if (text === undefined || candidates !== undefined) return unlessEmpty(response);
  const content = { role: 'model', parts: text === '' ? [] : [text] };
  return { ...response, candidates: [{ content, finishReason: 'STOP' }] };
}

function readToolConfig(value: unknown, name: string, notes: string[]) {
  const read = normalizeHookToolConfig(value, name);
  notes.push(...read.notes);
  return unlessEmpty(read.toolConfig);
}

const unlessEmpty = <T extends object>(fields: T): T | undefined =>
  Object.keys(fields).length === 0 ? undefined : fields;
