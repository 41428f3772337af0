import type { LLMMessage } from '../protocol/llm.ts';
import { align } from './align.ts';
import type { Turn } from './turns.ts';

/** What became of a conversation's turns in a hook's messages; both maps go from message to turn. */
export interface Matches {
  /** Messages that a hook left as they were. */
  readonly kept: ReadonlyMap<number, number>;
  /** Messages that took a turn's place: same role, between the same neighbours, another text. */
  readonly edited: ReadonlyMap<number, number>;
}

/** Finds each message's turn. A message without one is new, a turn without a message was taken out. */
export function matchTurns(turns: readonly Turn[], messages: readonly LLMMessage[]): Matches {
  const shown = [...turns.keys()].filter((turn) => turns[turn]!.text !== '');
  const roles = shown.map((turn) => turns[turn]!.role);
  const texts = shown.map((turn) => `${turns[turn]!.role} ${turns[turn]!.text}`);
  const messageRoles = messages.map(({ role }) => role);
  const same = align(
    texts,
    messages.map(({ role, content }) => `${role} ${content}`),
  );

  const kept = new Map<number, number>();
  const edited = new Map<number, number>();
  let [turnStart, messageStart] = [0, 0];
  const ends: [number, number][] = [...same].toSorted(([one], [other]) => one - other);
  for (const [messageEnd, turnEnd] of [...ends, [messages.length, shown.length] as const]) {
    const gap = align(
      roles.slice(turnStart, turnEnd),
      messageRoles.slice(messageStart, messageEnd),
    );
    for (const [message, turn] of gap) edited.set(messageStart + message, shown[turnStart + turn]!);
    if (messageEnd < messages.length) kept.set(messageEnd, shown[turnEnd]!);
    [turnStart, messageStart] = [turnEnd + 1, messageEnd + 1];
  }
  return { kept, edited };
}
