import { counted } from '../../base/counted.ts';
import type { UsageEntry } from '../../guards/budget/ledger.ts';
import { tokensOf } from '../../guards/budget/usage.ts';

/** The sum of some calls. */
export interface UsageSum {
  readonly calls: number;
  readonly input: number;
  readonly cached: number;
  readonly output: number;
  readonly tokens: number;
  /** In US dollars, of the calls whose price is known. */
  readonly usd: number;
  /** How many calls have a known price. */
  readonly priced: number;
}

const total = (entries: readonly UsageEntry[], of: (entry: UsageEntry) => number): number =>
  entries.reduce((sum, entry) => sum + of(entry), 0);

export const sumOf = (entries: readonly UsageEntry[]): UsageSum => ({
  calls: entries.length,
  input: total(entries, ({ input }) => input),
  cached: total(entries, ({ cached = 0 }) => cached),
  output: total(entries, ({ output }) => output),
  tokens: total(entries, tokensOf),
  usd: total(entries, ({ usd = 0 }) => usd),
  priced: entries.filter(({ usd }) => usd !== undefined).length,
});

/** What calls used, in one line. */
export function usageLine(entries: readonly UsageEntry[]): string {
  const { calls, input, cached, output, usd, priced } = sumOf(entries);
  const share = cached > 0 ? ` (${cached.toLocaleString('en')} of them cached)` : '';
  const cost = priced === 0 ? 'at a price that is not known' : `for $${usd.toFixed(4)}${priced < calls ? `, without ${counted(calls - priced, 'call')} whose price is not known` : ''}`; // prettier-ignore
  return `${counted(calls, 'model call')}: ${input.toLocaleString('en')} tokens in${share}, ${output.toLocaleString('en')} out, ${cost}`;
}
