import type { ToolContext } from './types.ts';

type Suspend = NonNullable<ToolContext['suspend']>;

/** Knows whether a tool put its call off, which Mastra will run again: then it has no result yet. */
export class Suspension {
  /** What the tool gave as it put the call off. */
  output: unknown;
  readonly context: ToolContext;
  #isAsked = false;

  constructor(given: ToolContext = {}) {
    const { suspend, agent } = given;
    const noting =
      (own: Suspend): Suspend =>
      (...args) => {
        this.#isAsked = true;
        return own(...args);
      };
    this.context = {
      ...given,
      ...(suspend && { suspend: noting(suspend) }),
      ...(agent && {
        agent: { ...agent, ...(agent.suspend && { suspend: noting(agent.suspend) }) },
      }),
    };
  }

  /** Gives what the tool gave, or fails with this where it put the call off. */
  async of(run: (context: ToolContext) => unknown): Promise<unknown> {
    const output = await run(this.context);
    if (!this.#isAsked) return output;
    this.output = output;
    throw this;
  }
}
