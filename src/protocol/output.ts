import { ignored } from './notes.ts';

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

const decisions: readonly unknown[] = [
  'block',
  'deny',
  'allow',
  'approve',
  'ask',
] satisfies HookDecision[];

/** Whether a value is one of the five words of a decision, letter by letter (C-31). */
export const isDecision = (value: unknown): value is HookDecision => decisions.includes(value);

/** What a decision must be, for messages. */
export const decisionWanted = 'exactly one of block, deny, allow, approve, ask';

/** Whether a decision blocks. */
export const isBlocking = (decision: unknown): boolean =>
  decision === 'block' || decision === 'deny';

/** Whether a value is an object that is no array. */
export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isString = (value: unknown): boolean => typeof value === 'string';
const isBoolean = (value: unknown): boolean => typeof value === 'boolean';

const fields: Readonly<
  Record<keyof HookOutput, { fits: (value: unknown) => boolean; wanted: string }>
> = {
  continue: { fits: isBoolean, wanted: 'true or false' },
  stopReason: { fits: isString, wanted: 'a string' },
  suppressOutput: { fits: isBoolean, wanted: 'true or false' },
  systemMessage: { fits: isString, wanted: 'a string' },
  decision: { fits: isDecision, wanted: decisionWanted },
  reason: { fits: isString, wanted: 'a string' },
  hookSpecificOutput: { fits: isRecord, wanted: 'an object' },
};

/**
 * A hook's JSON object with its common fields checked. A field of the wrong type is dropped with
 * a note and costs the others nothing (C-31); null is a field left out. Fields that are not ours are
 * passed through.
 */
export function checkHookOutput(printed: Readonly<Record<string, unknown>>): {
  output: HookOutput;
  notes: string[];
} {
  const notes: string[] = [];
  const dropped = new Set<string>();
  for (const [name, { fits, wanted }] of Object.entries(fields)) {
    const value = printed[name];
    if (!Object.hasOwn(printed, name) || fits(value)) continue;
    // A null decision is a documented way to make none, and is kept for those who look (HOOK-158).
    if (name === 'decision' && value === null) continue;
    dropped.add(name);
    if (value !== null) notes.push(ignored(`"${name}"`, value, wanted));
  }
  if (dropped.size === 0) return { output: printed, notes };
  const kept = Object.entries(printed).filter(([name]) => !dropped.has(name));
  return { output: Object.fromEntries(kept), notes };
}
