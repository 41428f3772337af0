import { guardStreams } from '../hosts/relay/guard-streams.ts';
import { runCommand } from './parts/run-command.ts';

await runCommand(
  async () => {
    guardStreams();
    return (await import('./program.ts')).runProgram();
  },
  // They deny what cannot be judged.
  !['fire', 'relay'].includes(process.argv[2] ?? ''),
);
