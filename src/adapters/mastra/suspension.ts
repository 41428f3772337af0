import type { ToolContext } from './types.ts';

type Suspend = NonNullable<ToolContext['suspend']>;

/** Knows whether a tool suspended its call: Mastra will run it again, so it has no result yet. */
export class Suspension {
  /** What the tool returned when it suspended the call. */
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

  /** Returns what the tool returned, or throws this if the tool suspended the call. */
  async of(run: (context: ToolContext) => unknown): Promise<unknown> {
    const output = await run(this.context);
    if (!this.#isAsked) return output;
    this.output = output;
    throw this;
  }
}
