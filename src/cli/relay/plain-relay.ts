import type { Host } from '../../core/dialects/dialect.ts';
import { hosts } from '../../hosts/all/hosts.ts';
import { isWord } from '../parts/is-word.ts';
import type { RelayOptions } from './relay-options.ts';

/**
 * Reads the arguments after `hookmachine relay` if they are as `install` writes them; undefined for any other
 * command line.
 */
export function plainRelay(
  args: readonly string[],
):
  | { readonly host: Host; readonly event: string | undefined; readonly options: RelayOptions }
  | undefined {
  const defers = args.at(-1) === '--defer';
  const words = [...(defers ? args.slice(0, -1) : args)];
  // As the client of the warm process writes them.
  const warm = words[0] === '--warm' ? words.splice(0, 2)[1] : undefined;
  const begun = words[0] === '--begun' ? words.splice(0, 2)[1]?.split(',') : undefined;
  const [name, event, ...more] = words;
  const host = hosts.find((known) => known.name === name);
  if (host === undefined || more.length > 0) return undefined;
  if (event !== undefined && !isWord(event)) return undefined;
  const options = {
    hooks: true,
    ...(defers && { defer: true as const }),
    ...(warm !== undefined && { warm }),
    ...(begun && { begun }),
  };
  return { host, event, options };
}
