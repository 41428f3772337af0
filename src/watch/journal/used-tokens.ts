import type { TokenCounts } from './entry.ts';

const shown = (count: number): string => count.toLocaleString('en');

const of = (count: number | undefined, what: string): string =>
  count === undefined ? '' : ` (${shown(count)} ${what})`;

/** Says what a model call used. */
export const usedTokens = ({ input, output, cached, thinking }: TokenCounts): string =>
  `${shown(input)} tokens in${of(cached, 'cached')}, ${shown(output)} out${of(thinking, 'thinking')}`;
