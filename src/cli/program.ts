import { createRequire } from 'node:module';
import { Command, type CommanderError } from 'commander';
import { isError } from '../errors.ts';

const { version, description } = createRequire(import.meta.url)('hookmachine/package.json') as {
  version: string;
  description: string;
};

const program = new Command('hookmachine')
  .description(description)
  .version(version)
  .exitOverride()
  .configureOutput({
    outputError: (text, write) => write(text.replace(/^error: /, 'hookmachine: ')),
  })
  .showHelpAfterError('(see --help)');

/** Each command in its own module: none pays for what only others need. */
const commands: Readonly<Record<string, () => Promise<(program: Command) => void>>> = {
  fire: async () => (await import('./fire-command.ts')).addFire,
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
/** Does what the command line asks for; what it does not understand is reported, with its own exit status. */
export async function runProgram(): Promise<void> {
  const asked = process.argv[2] ?? '';
  const wanted = Object.hasOwn(commands, asked) ? [commands[asked]!] : Object.values(commands);
  const loaded = await Promise.all(wanted.map((load) => load()));
  for (const add of new Set(loaded)) add(program);
  try {
    await program.parseAsync();
  } catch (error) {
    if (!isOfCommander(error)) throw error;
    process.exitCode = error.exitCode;
  }
}

const isOfCommander = (error: unknown): error is CommanderError =>
  isError(error) && String((error as { code?: unknown }).code).startsWith('commander.');
