import { plainFire } from './plain-fire.ts';
import { runCommand } from '../cli/run-command.ts';

/*
 * What the command does. Agents start `fire` for every event, so a plain one finds all it needs in the
 * one file that this module is bundled into (see src/launcher/bundle.ts). Anything else is left to
 * `cli/main.ts`, outside of the bundle, before anything of it has a state: no module runs twice.
 */

/** How many hooks a plain `fire` has run, by its end: by then V8 has compiled what it needs (see start.ts). */
export let hooksRun: number | undefined;

const asked = process.argv[2] === 'fire' ? plainFire(process.argv.slice(3)) : undefined;

void toItsEnd(
  asked
    ? runCommand(async () => {
        const { fire } = await import('../cli/fire.ts');
        hooksRun = await fire(asked.event, asked.options);
        // Unless others have work left, all that remains is to take the heap apart, which takes longest.
        process.prependOnceListener('beforeExit', () => {
          if (process.listenerCount('beforeExit') === 0) process.exit();
        });
      })
    : import('../cli/main.ts'),
);

async function toItsEnd(work: Promise<unknown>): Promise<void> {
  process.once('beforeExit', tellStuck);
  await work;
  process.off('beforeExit', tellStuck);
}

/** As at the top of a module, work that nothing can end any more has the status 13: 0 would be a yes. */
function tellStuck(): void {
  process.exitCode ??= 13;
}
