/** `ask` is reserved and treated as `allow` (HOOK-182). */
export type HookDecision = 'ask' | 'block' | 'deny' | 'approve' | 'allow';

/** What a hook prints on stdout (seed 003 "Base HookOutput", HOOK-157). */
export interface HookOutput {
  /** `false` stops the agent. */
  readonly continue?: boolean;
  readonly stopReason?: string;
  readonly suppressOutput?: boolean;
  /** Reaches the model, never the user (HOOK-159). */
  readonly systemMessage?: string;
  /** Absent or null: no decision, which allows (HOOK-158). */
  readonly decision?: HookDecision | null;
  readonly reason?: string;
  readonly hookSpecificOutput?: Readonly<Record<string, unknown>>;
}

const decisions: readonly unknown[] = ['ask', 'block', 'deny', 'approve', 'allow'];
const isString = (value: unknown): boolean => typeof value === 'string';
const isBoolean = (value: unknown): boolean => typeof value === 'boolean';

/** Whether a value is an object that is no array. */
export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const fields: Readonly<
  Record<keyof HookOutput, { fits(value: unknown): boolean; wanted: string }>
> = {
  continue: { fits: isBoolean, wanted: 'true or false' },
  stopReason: { fits: isString, wanted: 'a string' },
  suppressOutput: { fits: isBoolean, wanted: 'true or false' },
  systemMessage: { fits: isString, wanted: 'a string' },
  decision: {
    fits: (value) => value === null || decisions.includes(value),
    wanted: 'exactly one of block, deny, allow, approve, ask',
  },
  reason: { fits: isString, wanted: 'a string' },
  hookSpecificOutput: { fits: isRecord, wanted: 'an object' },
};

/** A value as it may stand in a message: short, on one line. */
const shown = (value: unknown): string => {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
};

/**
 * A hook's JSON object with its common fields checked. A field of the wrong type is dropped with
 * a note and costs the others nothing (C-31); fields that are not ours are passed through.
 */
export function checkHookOutput(printed: Readonly<Record<string, unknown>>): {
  output: HookOutput;
  notes: string[];
} {
  const notes: string[] = [];
  const kept = Object.entries(printed).filter(([name, value]) => {
    if (!Object.hasOwn(fields, name)) return true;
    const field = fields[name as keyof HookOutput];
    if (field.fits(value)) return true;
    if (value !== null && value !== undefined)
      notes.push(`"${name}" is ${shown(value)} and was ignored: it must be ${field.wanted}`);
    return false;
  });
  return { output: Object.fromEntries(kept) as HookOutput, notes };
}
