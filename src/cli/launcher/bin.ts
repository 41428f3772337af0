import { agentFolders } from '../../hosts/added/folders.ts';
import { plainFire } from './plain-fire.ts';
import { plainRelay } from '../relay/plain-relay.ts';
import { runCommand } from '../parts/run-command.ts';

/*
 * What the command does. Agents start `fire` or `relay` for every event, so a plain one finds everything it
 * needs in the one file that this module is bundled into (see src/cli/launcher/bundle.ts). Anything else is left
 * to `cli/main.ts`, outside the bundle, before anything in the bundle has state: no module runs twice.
 */

/**
 * How many hooks a plain `fire` or `relay` has run when it ends: by then V8 has compiled what it needs (see
 * start.ts).
 */
export let hooksRun: number | undefined;

const [command, ...args] = process.argv.slice(2);
// Agents that are not ours import our modules, which must then be the same as those of the command.
const asked =
  agentFolders().length > 0
    ? undefined
    : command === 'fire'
      ? plainlyFired()
      : command === 'relay'
        ? plainlyRelayed()
        : undefined;

void toItsEnd(
  asked
    ? runCommand(async () => {
        hooksRun = await asked();
        // Unless others have work left, all that remains is tearing down the heap, which takes the longest.
        process.prependOnceListener('beforeExit', () => {
          if (process.listenerCount('beforeExit') === 0) process.exit();
        });
      }, false)
    : import('../main.ts'),
);

function plainlyFired(): (() => Promise<number>) | undefined {
  const plain = plainFire(args);
  return plain && (async () => (await import('../fire/fire.ts')).fire(plain.event, plain.options));
}

function plainlyRelayed(): (() => Promise<number>) | undefined {
  const plain = plainRelay(args);
  return (
    plain &&
    (async () => (await import('../relay/relay.ts')).relay(plain.host, plain.event, plain.options))
  );
}

async function toItsEnd(work: Promise<unknown>): Promise<void> {
  process.once('beforeExit', tellStuck);
  await work;
  process.off('beforeExit', tellStuck);
}

/** As at the top level of a module, work that can never finish ends with status 13: 0 would mean yes. */
function tellStuck(): void {
  process.exitCode ??= 13;
}
