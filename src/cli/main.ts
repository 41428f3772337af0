#!/usr/bin/env node
import { createRequire } from 'node:module';
import { Command, CommanderError } from 'commander';
import { oneLine } from '../log.ts';
import { CommandFailure } from './failure.ts';
import { addEnable } from './enable.ts';
import { addFire } from './fire.ts';
import { addList } from './list.ts';
import { addRun } from './run.ts';
import { addSchema } from './schema.ts';
import { addTool } from './tool.ts';
import { addTrust } from './trust.ts';

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
addFire(program);
addTool(program);
addRun(program);
addList(program);
addTrust(program);
addEnable(program);
addSchema(program);

try {
  await program.parseAsync();
} catch (error) {
  if (error instanceof CommanderError) process.exitCode = error.exitCode;
  else if (error instanceof CommandFailure) {
    process.stderr.write(`hookmachine: ${oneLine(error.message)}\n`);
    process.exitCode = 1;
  } else throw error;
}
