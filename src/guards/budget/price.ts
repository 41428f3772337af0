import picomatch from 'picomatch';
import { onDemand } from '../../base/on-demand.ts';
import type { Price } from '../../settings/files/read-budget.ts';
import type { TokenUsage } from './usage.ts';

const loadPrices = onDemand(() => import('@pydantic/genai-prices'));

/** Whether a model has this name, or matches this pattern. */
export const isModel = (model: string, pattern: string): boolean =>
  model === pattern || picomatch.isMatch(model, pattern, { nocase: true, bash: true });

/**
 * What a call cost, in US dollars: by the prices of the settings, else by those that `genai-prices` knows.
 * Undefined if nobody knows the model.
 */
export async function costOf(
  usage: TokenUsage,
  prices: Readonly<Record<string, Price>> = {},
): Promise<number | undefined> {
  const { model, input, output, cached = 0, written = 0 } = usage;
  const own = Object.entries(prices).find(([pattern]) => isModel(model, pattern))?.[1];
  if (own) {
    const plain = Math.max(0, input - cached - written);
    const { input: each } = own;
    return (plain * each + cached * (own.cached ?? each) + written * (own.written ?? each) + output * own.output) / 1_000_000; // prettier-ignore
  }
  const { calcPrice } = await loadPrices();
  try {
    return calcPrice(
      {
        input_tokens: Math.max(input, cached + written),
        output_tokens: output,
        cache_read_tokens: cached,
        cache_write_tokens: written,
      },
      model,
    )?.total_price;
  } catch {
    // A model whose prices lack what was used.
    return undefined;
  }
}
