import { isHookmachineError } from '../../base/errors.ts';
import type { Installation } from '../../core/dialects/installation.ts';
import { CommandFailure } from '../../hosts/relay/failure.ts';
import { addressChanges } from '../../hosts/install/gateway-address.ts';
import { changesFile } from '../../hosts/install/change.ts';
import { replacedAddresses, keepReplaced } from '../gateway/replaced-addresses.ts';
import { diffOf, say, siteOf } from '../parts/shown-change.ts';
import { keepPort, keptPort, keptToken } from '../serve/kept-address.ts';

interface Options {
  readonly cwd: string;
  readonly dryRun?: true;
}

/** Writes the gateway's address where an agent keeps that of its provider, or takes it away again. */
export async function installGateway(
  what: 'install' | 'uninstall',
  { gateway: places = [] }: Installation,
  title: string,
  options: Options,
): Promise<void> {
  if (places.length === 0)
    throw new CommandFailure(
      `${title} keeps no address of its provider in a file: start it with "hookmachine gateway -- COMMAND"`,
    );
  const site = siteOf({ ...options, scope: 'user' });
  const port = await keptPort('gateway');
  const url = `http://127.0.0.1:${port}/${keptToken('gateway')}`;
  try {
    const changes = addressChanges(what, places, site, { url, replaced: replacedAddresses() });
    const changed = changes.filter(changesFile);
    for (const change of changed) {
      say(diffOf(change));
      if (!options.dryRun) change.carryOut();
    }
    const files = [...new Set(changes.map(({ file }) => file))].join(', ');
    if (options.dryRun) return say('Nothing was written (--dry-run).');
    keepPort(port, 'gateway');
    for (const { provider, replaced } of changes)
      if (replaced !== undefined) {
        keepReplaced(provider, replaced);
        say(`Note: the gateway asks ${replaced}, which was there before.`);
      }
    if (changed.length === 0)
      return say(what === 'install' ? `${title} asks the gateway already: ${files}` : `${title} does not ask the gateway: ${files}`); // prettier-ignore
    say(what === 'install' ? `${title} asks the gateway from now on: ${files}` : `${title} no longer asks the gateway: ${files}`); // prettier-ignore
    if (what === 'install')
      say(`To do: keep "hookmachine gateway" running; ${title} reaches no model without it.`);
  } catch (error) {
    if (isHookmachineError(error, 'SETTINGS_NOT_EDITABLE'))
      throw new CommandFailure(error.message, { cause: error });
    throw error;
  }
}
