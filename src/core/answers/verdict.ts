import type { Decision } from './answer.ts';
import type { Slot } from '../points/hook-points.ts';
import type { HookOutput } from '../protocol/output.ts';

type Fields = Readonly<Record<string, unknown>>;

/** A field that hooks set to different values, so that one had to give way. */
export interface HookConflict {
  /** The field's path, such as `tool_input.command`. */
  readonly field: string;
  /** The hooks that set it, in plan order. */
  readonly hooks: readonly string[];
  readonly winner: string;
}

/** A change to a slot's value: the whole value, or some of its keys. */
export type Change = { readonly whole: Fields } | { readonly patch: Fields };

/** What the hooks of a lane, or of all lanes, decided together: plain data. */
export interface Verdict {
  readonly decision?: Decision;
  /** Why; if several hooks decided, all their reasons in plan order. */
  readonly reason?: string;
  /** The hooks that ask let the call pass, unless the host asks about it anyway. */
  readonly passesUnasked?: true;
  /** The denial replaces a question that nobody could answer, or a call that nobody resumes. */
  readonly unanswered?: 'ask' | 'defer';
  /** The hooks approved it, and none asked or denied: the user need not be asked. */
  readonly approved?: true;
  readonly stop: boolean;
  readonly stopReason?: string;
  readonly context?: string;
  readonly message?: string;
  /** Text for the user alone; the public API shows it with the message. */
  readonly notice?: string;
  readonly hide: boolean;
  readonly changes: Readonly<Partial<Record<Slot, Change>>>;
  readonly followUps: readonly string[];
  /** Fields that have a meaning only in a dialect. */
  readonly own: Fields;
  readonly conflicts: readonly HookConflict[];
  /** By field, the hook whose value won; for `decision` and `continue`, the last one that blocks or stops. */
  readonly setBy: Readonly<Record<string, string>>;
  /** What the public API shows, if a dialect fixes it exactly; else it is built from the above. */
  readonly output?: HookOutput;
}
