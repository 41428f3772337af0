#!/usr/bin/env node
import { createRequire } from 'node:module';
import { Command, CommanderError } from 'commander';
import { oneLine } from '../log.ts';
import { CommandFailure } from './failure.ts';

const { version, description } = createRequire(import.meta.url)('hookmachine/package.json') as {
  version: string;
  description: string;
};

// A reader may have left, or a disk be full: what was decided still stands in the exit status.
process.stderr.on('error', () => undefined);
process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
  process.exit(process.exitCode || (code === 'EPIPE' ? 0 : 1));
});

const program = new Command('hookmachine')
  .description(description)
  .version(version)
  .exitOverride()
  .configureOutput({
    outputError: (text, write) => write(text.replace(/^error: /, 'hookmachine: ')),
  })
  .showHelpAfterError('(see --help)');

/** Each command in its own module: `fire` is started for every event of an agent, and loads only itself. */
const commands: Readonly<Record<string, () => Promise<(program: Command) => void>>> = {
  fire: async () => (await import('./fire.ts')).addFire,
  tool: async () => (await import('./tool.ts')).addTool,
  run: async () => (await import('./run.ts')).addRun,
  explain: async () => (await import('./explain.ts')).addExplain,
  inspect: async () => (await import('./inspect.ts')).addInspect,
  list: async () => (await import('./list.ts')).addList,
  trust: async () => (await import('./trust.ts')).addTrust,
  enable: async () => (await import('./enable.ts')).addEnable,
  disable: async () => (await import('./enable.ts')).addEnable,
  schema: async () => (await import('./schema.ts')).addSchema,
};
const asked = process.argv[2] ?? '';
const wanted = Object.hasOwn(commands, asked) ? [commands[asked]!] : Object.values(commands);
const loaded = await Promise.all(wanted.map((load) => load()));
for (const add of new Set(loaded)) add(program);

try {
  await program.parseAsync();
} catch (error) {
  if (error instanceof CommanderError) process.exitCode = error.exitCode;
  else if (error instanceof CommandFailure) {
    process.stderr.write(`hookmachine: ${oneLine(error.message)}\n`);
    process.exitCode = 1;
  } else throw error;
}
