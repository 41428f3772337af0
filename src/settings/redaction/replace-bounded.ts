import { inTime, tookTooLong } from '../../base/bounded-regex.ts';
import { redacted } from './secrets.ts';

/** How long work may take before the current expression is abandoned, in ms. */
const limit = 500;

/** Expressions that hide what they match. */
export interface BoundedExpressions {
  readonly hide: (text: string) => string;
  /** Runs work that hides texts, in bounded time. The work may be restarted from the beginning. */
  readonly watch: <Result>(work: () => Result) => Result;
}

interface Expression {
  readonly regex: RegExp;
  /** The longest text that it may still be applied to. */
  longest: number;
}

/**
 * Returns expressions that redact what they match, in bounded time: V8 backtracks, and an expression that a
 * user wrote in haste would otherwise freeze the agent. A text that took too long is redacted as a whole, and
 * from then on so is every text longer than half of it, untried: the total delay stays short.
 */
export function boundedExpressions(
  regexes: readonly RegExp[],
  tooSlow: (regex: RegExp) => void,
): BoundedExpressions {
  const expressions = regexes.map((regex): Expression => ({ regex, longest: Infinity }));
  // Without quantifiers there is no backtracking.
  const mayBeSlow = regexes.some(({ source }) => /[*+?{]/.test(source));
  let current: { readonly expression: Expression; readonly length: number } | undefined;

  const blame = (error: unknown): void => {
    if (current === undefined || !tookTooLong(error)) throw error;
    const { expression, length } = current;
    current = undefined;
    if (expression.longest === Infinity) tooSlow(expression.regex);
    expression.longest = Math.floor(length / 2);
  };

  return {
    hide(text) {
      let hidden = text;
      for (const expression of expressions) {
        if (hidden.length > expression.longest) return redacted;
        current = { expression, length: hidden.length };
        hidden = hidden.replace(expression.regex, hideMatch);
        current = undefined;
      }
      return hidden;
    },
    watch(work) {
      if (!mayBeSlow) return work();
      for (;;)
        try {
          // Starting a watch takes longer than examining a hundred texts.
          return inTime(work, limit);
        } catch (error) {
          blame(error);
        }
    },
  };
}

const hideMatch = (match: string): string => (match === '' ? '' : redacted);
