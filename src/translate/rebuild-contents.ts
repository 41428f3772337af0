import type { LLMMessage } from '../protocol/llm.ts';
import { isBound, unpairedParts, withoutParts, placeSilentTurns } from './silent-turns.ts';
import type { GenAIContent } from './genai-types.ts';
import { matchTurns } from './matches.ts';
import { toContent, toTurns } from './turns.ts';

/**
 * The contents that a hook's messages stand for, in the hook's order (C-75, C-76); undefined when
 * they say nothing new.
 *
 * - A message the hook left alone is its original content, with images, calls and responses. An edited
 *   or new one is text only.
 * - Contents without text follow the message before them, see `placeSilentTurns`.
 * - A call and its response stay together or go together, since providers refuse either alone. So
 *   editing a message that holds a call removes its response too, and a message put between
 *   a call and its response moves in front of the call.
 */
export function rebuildContents(
  base: unknown,
  messages: readonly LLMMessage[],
): GenAIContent[] | undefined {
  const turns = toTurns(base);
  const { kept, edited } = matchTurns(turns, messages);
  const shown = turns.filter(({ text }) => text !== '').length;
  if (kept.size === messages.length && kept.size === shown) return undefined;

  const staying = new Set([...kept.values(), ...edited.values()]);
  const silent = placeSilentTurns(turns, (turn) => staying.has(turn));
  const original = (turn: number): Piece => ({ turn, content: turns[turn]!.content });
  const pieces: Piece[] = silent.first.map(original);
  for (const [index, message] of messages.entries()) {
    const turn = kept.get(index) ?? edited.get(index);
    const written = { turn, content: toContent(message) };
    if (turn === undefined) pieces.push(written);
    else
      pieces.push(
        ...(silent.before.get(turn) ?? []).map(original),
        kept.has(index) ? original(turn) : written,
        ...(silent.after.get(turn) ?? []).map(original),
      );
  }

  const contents = keepBoundTogether(pieces);
  const torn = unpairedParts(contents);
  // What was unpaired all along is not of the hook's making.
  for (const part of unpairedParts(turns.map(({ content }) => content))) torn.delete(part);
  return withoutParts(contents, torn);
}

interface Piece {
  /** Absent for a new message. */
  readonly turn: number | undefined;
  readonly content: GenAIContent;
}

/** Moves new contents from between a call and its response to the front of the call. */
function keepBoundTogether(pieces: readonly Piece[]): GenAIContent[] {
  const placed: GenAIContent[] = [];
  let waiting: GenAIContent[] = [];
  let last: Piece | undefined;
  let chainStart = 0;
  for (const piece of pieces) {
    if (piece.turn === undefined) {
      waiting.push(piece.content);
      continue;
    }
    if (last?.turn === piece.turn - 1 && isBound(last.content, piece.content)) {
      placed.splice(chainStart, 0, ...waiting);
      chainStart += waiting.length;
    } else {
      placed.push(...waiting);
      chainStart = placed.length;
    }
    placed.push(piece.content);
    last = piece;
    waiting = [];
  }
  return [...placed, ...waiting];
}
