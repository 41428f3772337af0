/** What one model call used. */
export interface TokenUsage {
  /** The model, as the provider names it. */
  readonly model: string;
  /** Tokens of the request, those in the provider's cache included. */
  readonly input: number;
  /** Tokens of the answer, its thinking included. */
  readonly output: number;
  /** How many of the input were read from the provider's cache. */
  readonly cached?: number;
  /** How many of the input were written to it. */
  readonly written?: number;
  /** How many of the output were thinking. */
  readonly thinking?: number;
}

/** All tokens of a call. */
export const tokensOf = ({ input, output }: Pick<TokenUsage, 'input' | 'output'>): number =>
  input + output;
