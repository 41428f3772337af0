import type { EventAnswer, EventScenario } from '../scenario.ts';

/** Something that fires events at hooks. */
export interface Contestant<Result = unknown> {
  /** Fires the scenario's event once. */
  fire(toolName: string): Promise<Result> | undefined;
  /** Reads the result of the event. */
  read(result: Result): EventAnswer;
}

/** Prepares a contestant for a scenario; hooks run in `cwd`. */
export type OpenContestant = (scenario: EventScenario, cwd: string) => Promise<Contestant>;

/** What both engines' event results have in common. */
export interface EngineResult {
  readonly finalOutput?: { isBlockingDecision(): boolean } | undefined;
  readonly allOutputs: readonly { readonly reason?: string | undefined }[];
}

/** Reads an engine's result; there is none when its hooks are off. */
export const readEngineResult = (result: unknown): EventAnswer => {
  const { finalOutput, allOutputs = [] } = (result ?? {}) as Partial<EngineResult>;
  return {
    blocked: finalOutput?.isBlockingDecision() ?? false,
    reasons: allOutputs.flatMap(({ reason }) => reason?.trim() ?? []),
  };
};
