import type { HookInput } from '../core/protocol/input.ts';
import type { HookOutput } from '../core/protocol/output.ts';
import {
  type DefinedHook,
  defineHook,
  type HookEventInput,
  type HookReply,
} from './define-hook.ts';

/** A piece of an answer's text, as it arrives. */
export interface StreamPiece {
  /** What the hook held back before, plus what has arrived since. */
  readonly text: string;
  /** No more text follows directly: all of it must be let through. */
  readonly done: boolean;
  /** How many characters the hook may hold back. */
  readonly holdBack: number;
  /** Identifies the answer: all of its pieces have the same id. */
  readonly id: string;
}

/**
 * A hook's reply to a piece: the text that is passed on, or that together with the text it holds back;
 * nothing leaves the piece as it is. A denial or a stop ends the answer after its text.
 */
export type StreamReply =
  | string
  | (Pick<HookOutput, 'decision' | 'reason' | 'continue' | 'stopReason'> & {
      readonly text?: string;
      /** Given to the hook again, before the text that follows. */
      readonly held?: string;
    })
  | undefined
  | null
  | void;

type OnPiece = (piece: StreamPiece, input: HookInput) => StreamReply | Promise<StreamReply>;

type OnWhole = (input: HookEventInput<'AfterModel'>) => HookReply | Promise<HookReply>;

/**
 * Defines an AfterModel hook with `"stream"` in its definition: `onPiece` receives the text of an answer as
 * it arrives, and `onWhole` the answer as it was shown. An answer that does not arrive in pieces, as with
 * `hookmachine fire`, is one piece. Since nobody knows whether an answer arrived in pieces, `onPiece`
 * receives the whole text of one that did once more.
 *
 * @example
 * export default defineStreamHook(({ text }) => text.replaceAll('—', '-'));
 */
export function defineStreamHook(onPiece: OnPiece, onWhole?: OnWhole): DefinedHook<'AfterModel'> {
  const whole = defineHook('AfterModel', async (input) => {
    const replies = [await asOnePiece(onPiece, input), await onWhole?.(input)].flat();
    return replies.filter((reply) => typeof reply === 'object' && reply !== null);
  });
  return async (input, options) => {
    const { stream } = input as { readonly stream?: StreamPiece };
    if (stream === undefined) return whole(input, options);
    const reply = await onPiece(stream, input as HookInput);
    return typeof reply === 'string' ? { text: reply } : (reply ?? undefined);
  };
}

async function asOnePiece(
  onPiece: OnPiece,
  input: HookEventInput<'AfterModel'>,
): Promise<HookOutput | undefined> {
  const { llm_response } = input;
  const { text } = llm_response;
  if (text === undefined || text === '') return undefined;
  const reply = await onPiece({ id: 'whole', text, done: true, holdBack: 0 }, input);
  if (typeof reply !== 'object' && typeof reply !== 'string') return undefined;
  const {
    text: through,
    held = '',
    ...said
  } = typeof reply === 'string' ? { text: reply } : (reply ?? {});
  const changed = through === undefined ? text : through + held;
  return {
    ...said,
    ...(changed !== text && {
      hookSpecificOutput: {
        hookEventName: 'AfterModel',
        llm_response: { ...llm_response, text: changed },
      },
    }),
  };
}

/** How much of the text that was let through a look-behind, `^` or `\b` can still see, in characters. */
const mostBehind = 1_000;

/** How many answers may be on their way at once; some are aborted, and never done. */
const mostAnswers = 1_000;

/**
 * Replaces what an expression matches in the text of answers, wherever the text is cut. A match, with what it
 * looks ahead at, may be as long as the text that the hook may hold back; of a longer one, only the beginning
 * may be seen. A look-behind sees the last thousand characters.
 *
 * @example
 * export default defineStreamHook(replacing(/AKIA[0-9A-Z]{16}/, '[key]'));
 */
export function replacing(
  pattern: RegExp,
  replacement: string | ((match: string) => string),
): OnPiece {
  const everywhere = new RegExp(pattern, `${pattern.flags.replaceAll(/[gy]/g, '')}g`);
  const replaced = typeof replacement === 'string' ? () => replacement : replacement;
  /** The end of what was let through of each answer, as it was before it was changed. */
  const behind = new Map<string, string>();
  return ({ text, done, holdBack, id }) => {
    const before = behind.get(id) ?? '';
    const seen = before + text;
    let through = '';
    let from = before.length;
    // Everything before this position is complete: no match that begins there can still grow.
    let end = done ? seen.length : wholeAt(seen, Math.max(from, seen.length - holdBack));
    everywhere.lastIndex = from;
    for (const { 0: match, index } of seen.matchAll(everywhere)) {
      if (index >= end && !done) break;
      through += seen.slice(from, index) + replaced(match);
      from = index + match.length;
      end = Math.max(end, from);
    }
    behind.delete(id);
    if (!done) behind.set(id, seen.slice(wholeAt(seen, Math.max(0, end - mostBehind)), end));
    for (const oldest of behind.keys()) {
      if (behind.size <= mostAnswers) break;
      behind.delete(oldest);
    }
    return { text: through + seen.slice(from, end), held: seen.slice(end) };
  };
}

/** Moves a position that is within a character to its end. */
const wholeAt = (text: string, at: number): number =>
  (text.codePointAt(at - 1) ?? 0) > 0xffff ? at + 1 : at;
