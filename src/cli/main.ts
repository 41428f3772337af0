#!/usr/bin/env node
import { CommandFailure } from './failure.ts';
import { guardStreams } from './guard-streams.ts';

try {
  await (process.argv[2] === 'fire' ? fireOrProgram() : program());
} catch (error) {
  if (!(error instanceof CommandFailure)) throw error;
  const { oneLine } = await import('../log.ts');
  guardStreams();
  process.stderr.write(`hookmachine: ${oneLine(error.message)}\n`);
  process.exitCode = 1;
}

/** Agents start `fire` for every event, and most events have no hook: then little is loaded. */
async function fireOrProgram(): Promise<void> {
  const [{ plainFire }, { fire }] = await Promise.all([
    import('./plain-fire.ts'),
    import('./fire.ts'),
  ]);
  const asked = plainFire(process.argv.slice(3));
  return asked ? fire(asked.event, asked.options) : program();
}

async function program(): Promise<void> {
  guardStreams();
  return (await import('./program.ts')).runProgram();
}
