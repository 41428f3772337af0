import type { HookEventName } from '../../protocol/events.ts';
import { checkHookOutput, isBlocking, isRecord, type HookOutput } from '../../protocol/output.ts';
import { isTooDeep, withoutDeepFields } from '../nesting.ts';
import { readSpecific } from './specific-output.ts';

/** What a hook printed on stdout. */
export type Printed =
  | { readonly kind: 'nothing' }
  | ({ readonly kind: 'text'; readonly text: string } & HowRead)
  | ({ readonly kind: 'object'; readonly output: HookOutput } & HowRead);

interface HowRead {
  readonly notes: readonly string[];
  /** Why it was meant to be an answer, and is none. */
  readonly unreadable?: string;
}

/** Stdout as JSON, encoded once or twice, else as plain text (HOOK-193, HOOK-201, HOOK-212, C-30). */
export function readStdout(event: HookEventName, stdout: string): Printed {
  const text = stdout.trim();
  if (text === '') return { kind: 'nothing' };
  let json = text;
  let value = parse(json);
  if (typeof value === 'string') value = parse((json = value));
  if (value === null) return { kind: 'nothing' };
  if (isRecord(value)) return { kind: 'object', ...readObject(event, value, isTooDeep(json)) };
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
  printed: Readonly<Record<string, unknown>>,
  tooDeep: boolean,
): { output: HookOutput } & HowRead {
  const notes: string[] = [];
  const { output, notes: faults } = checkHookOutput(
    tooDeep ? withoutDeepFields(printed, notes) : printed,
  );
  notes.push(...faults);
  const lost = lostFields(printed, output as Fields, common);
  if (output.hookSpecificOutput === undefined) return { output, notes, ...lost };
  const read = readSpecific(event, output.hookSpecificOutput);
  for (const note of read.notes) notes.push(note);
  const whole = { ...output, hookSpecificOutput: read.specific };
  if (event !== 'BeforeTool') return { output: whole, notes, ...lost };
  return {
    output: withPermissionDecision(whole),
    notes,
    ...lostFields(output.hookSpecificOutput, read.specific, specific),
    ...lost,
  };
}

/** The fields that may hold a guard's word, the arguments that it replaces among them (C-67). */
const common = ['decision', 'continue', 'hookSpecificOutput'];
const specific = ['permissionDecision', 'tool_input'];

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
