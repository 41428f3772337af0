import type { Decision } from './answer.ts';
import type { Slot } from '../hook-points.ts';
import type { HookOutput } from '../protocol/output.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Hooks set the same field differently, and one value had to give way. */
export interface HookConflict {
  /** Such as `tool_input.command`. */
  readonly field: string;
  /** The hooks that set it, in plan order. */
  readonly hooks: readonly string[];
  readonly winner: string;
}

/** What hooks make of a slot's value: another one, or some keys of it. */
export type Change = { readonly whole: Fields } | { readonly patch: Fields };

/** What the hooks of a lane, or of all lanes, decided together: plain data. */
export interface Verdict {
  readonly decision?: Decision;
  /** Why; of several all reasons, in plan order (S-07). */
  readonly reason?: string;
  /** The hooks that ask let it pass where nobody can be asked (S-02). */
  readonly passesUnasked?: true;
  /** The denial stands for a question that nobody could be asked, or for a call that nobody takes up again (S-02). */
  readonly unanswered?: 'ask' | 'defer';
  /** The hooks approved it, and none asked or denied: the user need not be asked (S-01). */
  readonly approved?: true;
  readonly stop: boolean;
  readonly stopReason?: string;
  readonly context?: string;
  readonly message?: string;
  /** For the user alone; the API of seed 003 shows it with the message. */
  readonly notice?: string;
  readonly hide: boolean;
  readonly changes: Readonly<Partial<Record<Slot, Change>>>;
  readonly followUps: readonly string[];
  /** Fields that only a dialect gives a meaning. */
  readonly own: Fields;
  readonly conflicts: readonly HookConflict[];
  /** By field, the hook whose value stands; for `decision` and `continue`, the last one that blocks or stops. */
  readonly setBy: Readonly<Record<string, string>>;
  /** The same as the API of seed 003 shows it, where a dialect has it letter by letter; else it is made of the above. */
  readonly output?: HookOutput;
}
