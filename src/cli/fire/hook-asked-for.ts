import type { UnaskedHook } from '../../core/definitions/hook-definition.ts';
import { distance } from 'fastest-levenshtein';
import type { Dialect } from '../../core/dialects/dialect.ts';
import { CommandFailure } from '../../hosts/relay/failure.ts';
import { lookAtHooks } from '../../workbench/parts/look-at-hooks.ts';

type Named = Pick<UnaskedHook, 'name' | 'command'>;

/**
 * Returns a test of whether a hook is the one that the user named, by name or command.
 *
 * @throws {CommandFailure} if there is none; the message lists the nearest names
 */
export async function hookAskedFor(
  named: string,
  folder: string,
  dialects: readonly Dialect[],
  trust?: true,
): Promise<(hook: Named) => boolean> {
  const isIt = ({ name, command }: Named): boolean => name === named || command === named;
  const { hooks, unasked } = await lookAtHooks(folder, dialects, trust);
  const all = [...hooks, ...unasked];
  if (!all.some(isIt))
    throw new CommandFailure(
      all.length === 0
        ? `there is no hook "${named}": no hooks are configured in ${folder}`
        : `there is no hook "${named}": the nearest are ${nearest(named, all)}; "hookmachine list" shows all`,
    );
  return isIt;
}

/** The three names that are most like it. */
function nearest(named: string, hooks: readonly Named[]): string {
  const away = (name: string): number =>
    name.includes(named) || named.includes(name) ? 0 : distance(name, named);
  return [...new Set(hooks.map(({ name }) => name))]
    .toSorted((one, other) => away(one) - away(other))
    .slice(0, 3)
    .map((name) => JSON.stringify(name.slice(0, 80)))
    .join(', ');
}
