import type { Dialect } from '../../core/dialects/dialect.ts';
import { presentDialects, knownDialects } from '../../hosts/all/known.ts';
import { findSame } from '../../hosts/all/known.ts';
import { mayHaveSystemHooks, systemHooksOf } from '../../hosts/relay/system-hooks-of.ts';
import { CommandFailure } from '../../hosts/relay/failure.ts';

/** The option of every command that finds hooks. */
export const dialectsOption = [
  '--dialects <names>',
  `the dialects whose hooks are used, besides the system's: ${namesOf(knownDialects)} (default: ${namesOf(presentDialects)})`,
  (names: string): readonly Dialect[] => {
    const dialects = names.split(',').map((name) => dialectNamed(name.trim()));
    const double = dialects.find((one, at) =>
      dialects.slice(0, at).some((other) => findSame(one, other)),
    );
    if (double)
      throw new CommandFailure(
        `--dialects ${names}: name only one of the ${double.family} dialects`,
      );
    const others = presentDialects.filter(
      (one) => mayHaveSystemHooks(one) && !dialects.some((own) => findSame(one, own)),
    );
    return [...dialects, ...others.map(systemHooksOf)];
  },
] as const;

/** @throws {CommandFailure} if there is no dialect of that name */
export function dialectNamed(name: string): Dialect {
  const dialect = knownDialects.find((known) => known.name === name);
  if (dialect === undefined)
    throw new CommandFailure(`there is no dialect "${name}": use one of ${namesOf(knownDialects)}`);
  return dialect;
}

function namesOf(dialects: readonly Dialect[]): string {
  return dialects.map(({ name }) => name).join(', ');
}
