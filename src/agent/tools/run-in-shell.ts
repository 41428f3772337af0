import { createActor, fromCallback, toPromise } from 'xstate';
import {
  type HookCommand,
  hookProcessMachine,
  type ProcessOrder,
  type ProcessReport,
} from '../../../machines/hook-process.ts';
import { commandProcess, isGroupAlive } from '../../handlers/process/index.ts';

/** How a shell command ended. */
export type CommandRun =
  | { readonly kind: 'notStarted'; readonly reason: string }
  | {
      readonly kind: 'exited' | 'cancelled';
      readonly exitCode: number | null;
      readonly signal: string | null;
      readonly stdout: string;
      readonly stderr: string;
      /** The process group, if a part of it is still running in the background. */
      readonly group: number | undefined;
    };

/**
 * Runs a command in a shell that leads its own process group, with an empty stdin and no deadline.
 *
 * It is supervised like a hook: it settles on the shell's exit plus a short drain, and whatever it leaves in
 * the background keeps running. When the signal is aborted, the whole group is killed; anything that does not
 * end is not waited for.
 */
export async function runInShell(
  command: string,
  cwd: string,
  signal: AbortSignal,
): Promise<CommandRun> {
  let group: number | undefined;
  const process = fromCallback<ProcessOrder, HookCommand>(({ sendBack, ...rest }) =>
    commandProcess({
      ...rest,
      sendBack: (event) => {
        const report = event as ProcessReport;
        if (report.type === 'process.started') group = report.pid;
        sendBack(event);
      },
    }),
  );
  const actor = createActor(hookProcessMachine.provide({ actors: { process } }), {
    input: {
      name: 'command',
      timeout: Infinity,
      leftBehind: 'leave',
      command: { command, cwd, env: {}, stdin: () => '' },
    },
  });
  const ended = toPromise(actor);
  const cancel = (): void => actor.send({ type: 'cancel', reason: 'aborted' });
  signal.addEventListener('abort', cancel, { once: true });
  actor.start();
  const outcome = await ended.finally(() => signal.removeEventListener('abort', cancel));
  if (outcome.status === 'failed') return { kind: 'notStarted', reason: outcome.error.message };
  const { exitCode = null, signal: by = null, stdout = '', stderr = '' } = outcome.exit ?? {};
  return {
    kind: outcome.status === 'exited' ? 'exited' : 'cancelled',
    exitCode,
    signal: by,
    stdout,
    stderr,
    group: group !== undefined && isGroupAlive(group) ? group : undefined,
  };
}
