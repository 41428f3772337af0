import { sampleStdin } from '../matrix/sample-stdin.ts';
import { CommandFailure } from './failure.ts';
import type { FireOptions } from './fire-options.ts';
import { print } from './print.ts';
import { printableJson } from './printable.ts';

/** Prints fields that fit an event, as `fire` takes them on stdin. */
export async function printSample(
  name: string,
  { dialect }: FireOptions,
  folder: string,
  isOnTerminal: boolean,
): Promise<void> {
  const fields = await sampleStdin(dialect, name, folder);
  if (fields === undefined)
    throw new CommandFailure(
      `there is no sample of ${name}: only the agents that ${dialect.name} names know its fields, so see their documentation`,
    );
  print(`${printableJson(fields, isOnTerminal ? 2 : undefined)}\n`);
}
