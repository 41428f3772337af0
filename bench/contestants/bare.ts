import type { EventAnswer, EventScenario } from '../scenario.ts';
import { toolInput } from '../scenario.ts';
import type { Contestant } from './contestant.ts';

/** What a command printed, and how it exited. */
export interface Ended {
  readonly exitCode?: number | null | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs one command, with its input, until it ends. */
export type RunCommand = (command: string, input: string, cwd: string) => Promise<Ended>;

/** The minimum that a self-made engine would do around a way to run commands. */
export function bare(
  run: RunCommand,
  { groups, event }: EventScenario,
  cwd: string,
): Contestant<Ended[]> {
  const commands = groups.flatMap(({ hooks }) => hooks.map(({ command }) => command));
  const isChain = groups.some(({ sequential }) => sequential);
  return {
    async fire(toolName) {
      const input = JSON.stringify({
        session_id: 'bench',
        transcript_path: '',
        cwd,
        hook_event_name: event,
        timestamp: new Date().toISOString(),
        tool_name: toolName,
        tool_input: toolInput,
      });
      if (!isChain) return Promise.all(commands.map((command) => run(command, input, cwd)));
      const ended: Ended[] = [];
      for (const command of commands) ended.push(await run(command, input, cwd));
      return ended;
    },
    read: (results): EventAnswer => ({
      blocked: results.some(({ exitCode }) => exitCode === 2),
      reasons: results.map(({ exitCode, stdout, stderr }) =>
        exitCode === 2 ? stderr.trim() : (JSON.parse(stdout) as { reason: string }).reason,
      ),
    }),
  };
}
