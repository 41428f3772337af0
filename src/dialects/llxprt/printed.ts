import type { HookEventName } from '../../protocol/events.ts';
import { checkHookOutput, isBlocking, isRecord, type HookOutput } from '../../protocol/output.ts';
import { isTooDeep, withoutDeepFields } from '../nesting.ts';
import { readSpecific } from './specific-output.ts';

/** What a hook printed on stdout. */
export type Printed =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'text'; readonly text: string; readonly notes: readonly string[] }
  | { readonly kind: 'object'; readonly output: HookOutput; readonly notes: readonly string[] };

/** Stdout as JSON, encoded once or twice, else as plain text (HOOK-193, HOOK-201, HOOK-212, C-30). */
export function readStdout(event: HookEventName, stdout: string): Printed {
  const text = stdout.trim();
  if (text === '') return { kind: 'nothing' };
  let json = text;
  let value = parse(json);
  if (typeof value === 'string') value = parse((json = value));
  if (value === null) return { kind: 'nothing' };
  if (isRecord(value)) return { kind: 'object', ...readObject(event, value, isTooDeep(json)) };
  const resembles = text.startsWith('{') || text.endsWith('}');
  return {
    kind: 'text',
    text,
    notes: resembles
      ? ['its output is not one JSON object, so all of it was taken as a message']
      : [],
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

function readObject(
  event: HookEventName,
  printed: Readonly<Record<string, unknown>>,
  tooDeep: boolean,
): { output: HookOutput; notes: string[] } {
  const notes: string[] = [];
  const { output, notes: faults } = checkHookOutput(
    tooDeep ? withoutDeepFields(printed, notes) : printed,
  );
  notes.push(...faults);
  if (output.hookSpecificOutput === undefined) return { output, notes };
  const read = readSpecific(event, output.hookSpecificOutput);
  for (const note of read.notes) notes.push(note);
  const whole = { ...output, hookSpecificOutput: read.specific };
  return { output: event === 'BeforeTool' ? withPermissionDecision(whole) : whole, notes };
}

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
