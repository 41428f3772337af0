import type { ToolCallRequest } from '../src/entries/agent.ts';
import { kinds, stop, textOf, type Kind } from './kinds.ts';

/** The most calls that one answer of the model asks for. */
export const batchSize = 200;

/** A call to be made. */
export interface Call {
  readonly number: number;
  readonly kind: Kind;
  readonly request: ToolCallRequest;
}

/** Which kinds of calls are made. */
export type Among = (kind: Kind) => boolean;

/** The calls from one number to before another; the last one stops its batch. */
export const callsOf = (
  from: number,
  to: number,
  seed: number,
  among: Among = () => true,
): Call[] =>
  Array.from({ length: to - from }, (_, index) => {
    const number = from + index;
    return callOf(number, number === to - 1 ? stop : kindOf(number, seed, among));
  });

/** A call of this kind. */
export const callOf = (number: number, kind: Kind): Call => ({
  number,
  kind,
  request: {
    id: `call-${number}`,
    name: kind.name,
    input: { number, text: kind.isInvalid ? number : textOf(number) },
  },
});

function kindOf(number: number, seed: number, among: Among): Kind {
  const all = kinds.filter(among);
  let place = scattered(number, seed) % all.reduce((sum, { share }) => sum + share, 0);
  return all.find(({ share }) => (place -= share) < 0)!;
}

/** A number that looks random but is always the same. */
function scattered(number: number, seed: number): number {
  let bits = Math.imul(number ^ Math.imul(seed, 0x9e37_79b1), 0x85eb_ca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2_ae35);
  return (bits ^ (bits >>> 16)) >>> 0;
}
