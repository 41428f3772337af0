import type { EventAnswer, EventScenario } from '../scenario.ts';

/** Something that fires events at hooks. */
export interface Contestant<Result = unknown> {
  /** Fires the scenario's event once. */
  fire(toolName: string): Promise<Result> | undefined;
  /** What came of it. */
  read(result: Result): EventAnswer;
}

/** Makes a contestant ready for a scenario; hooks run in `cwd`. */
export type OpenContestant = (scenario: EventScenario, cwd: string) => Promise<Contestant>;

/** What both engines call the result of an event. */
export interface EngineResult {
  readonly finalOutput?: { isBlockingDecision(): boolean } | undefined;
  readonly allOutputs: readonly { readonly reason?: string | undefined }[];
}

/** Reads an engine's result; none at all when its hooks are off. */
export const readEngineResult = (result: unknown): EventAnswer => {
  const { finalOutput, allOutputs = [] } = (result ?? {}) as Partial<EngineResult>;
  return {
    blocked: finalOutput?.isBlockingDecision() ?? false,
    reasons: allOutputs.flatMap(({ reason }) => reason?.trim() ?? []),
  };
};
