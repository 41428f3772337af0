import { guardStreams } from '../hosts/relay/guard-streams.ts';
import { agentFolders, ignoredAgentFolders } from '../hosts/added/folders.ts';
import { warnAtOnce } from './parts/print.ts';
import { runCommand } from './parts/run-command.ts';

await runCommand(
  async () => {
    guardStreams();
    if (agentFolders().length + ignoredAgentFolders().length > 0) await withAgents();
    return (await import('./program.ts')).runProgram();
  },
  // They deny what cannot be judged.
  !['fire', 'relay'].includes(process.argv[2] ?? ''),
);

/** Loads the agents that are not ours; `check` lists what is wrong with them among the rest. */
async function withAgents(): Promise<void> {
  const added = await import('../hosts/added/load-agents.ts');
  await added.loadAgents(import.meta.url);
  if (process.argv[2] === 'check') return;
  for (const problem of added.agentProblems) warnAtOnce(added.agentLine(problem));
}
