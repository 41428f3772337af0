import { guardStreams } from './guard-streams.ts';
import { runCommand } from './run-command.ts';

await runCommand(
  async () => {
    guardStreams();
    return (await import('./program.ts')).runProgram();
  },
  // They deny what cannot be judged.
  !['fire', 'relay'].includes(process.argv[2] ?? ''),
);
