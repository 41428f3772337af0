import type { Host } from '../../core/dialects/dialect.ts';
import { hosts } from '../../hosts/all/hosts.ts';
import type { RelayOptions } from '../relay/relay-options.ts';
import { isWord } from './plain-fire.ts';

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
  const [name, event, ...more] = defers ? args.slice(0, -1) : args;
  const host = hosts.find((known) => known.name === name);
  if (host === undefined || more.length > 0) return undefined;
  return event === undefined || isWord(event)
    ? { host, event, options: { hooks: true, ...(defers && { defer: true }) } }
    : undefined;
}
