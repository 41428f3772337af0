import type { Host } from '../../core/dialects/dialect.ts';
import { hosts } from '../../hosts/all/hosts.ts';
import { CommandFailure } from '../../hosts/relay/failure.ts';

/** @throws {CommandFailure} if there is no host of that name */
export function hostNamed(name: string): Host {
  const host = hosts.find((known) => known.name === name);
  if (host === undefined)
    throw new CommandFailure(
      `there is no host "${name}": use one of ${hosts.map((known) => known.name).join(', ')}`,
    );
  return host;
}
