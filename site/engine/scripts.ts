import type { HookCommand, ProcessReport } from '../../machines/hook-process.ts';
import { errorOf } from '../../src/base/message-of.ts';
import type { RunHook } from '../../src/core/host/handlers.ts';

/*
 * What stands in for `src/handlers/process/`: hooks that are commands answer what the reader of the page says they do.
 */

/** How a hook's process ends. */
export interface ScriptAnswer {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A command that was run, with what it got on stdin. */
export interface RunScript {
  readonly command: string;
  readonly stdin: string;
}

/** A hook that has no opinion. */
export const silent: ScriptAnswer = { exitCode: 0, stdout: '', stderr: '' };

let answers: (command: string) => ScriptAnswer = () => silent;
let onRun: (script: RunScript) => void = () => undefined;

/** Sets how commands answer from now on, and what is called with each one that runs. */
export function useAnswers(give: typeof answers, tell: typeof onRun): void {
  answers = give;
  onRun = tell;
}

export const runHookCommand: RunHook = ({ input, sendBack }) => {
  const report: (what: ProcessReport) => void = sendBack;
  const start = performance.now();
  const run = async (): Promise<void> => {
    const admitted: HookCommand = (await input.admit?.()) ?? input;
    const { command, args = [], stdin } = admitted;
    const line = [command, ...args].join(' ');
    onRun({ command: line, stdin: stdin() });
    report({ type: 'process.started' });
    const exit = { ...answers(line), signal: null, truncated: [] };
    report({
      type: 'process.closed',
      exit: { ...exit, durationMs: performance.now() - start },
    });
  };
  run().catch((error: unknown) => report({ type: 'process.failed', error: errorOf(error) }));
};

export const answerLimit = 1024 * 1024;
export const commandOutputLimit = 64 * 1024;
export const commandProcess = runHookCommand;
export const endWaiting = (): void => undefined;
export const faultBehind = (): undefined => undefined;
export const scriptFault = (): undefined => undefined;
export const withoutStacks = (text: string): string => text;
export const environmentOf = (): object => ({});
export const identitiesOf = (): readonly string[] => [];
export const coarse = (): number => 0;
export const isGroupAlive = (): boolean => false;
export const statOf = (): undefined => undefined;
export const orderFifos = (): void => undefined;
export const loadLive = (): Promise<never> => Promise.reject(new Error('no process runs here'));
export const loadCallerWatch = loadLive;
