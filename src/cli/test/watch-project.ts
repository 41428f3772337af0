import { once } from 'node:events';
import { watch } from 'node:fs';
import { setTimeout } from 'node:timers/promises';

/** How long a folder must be quiet, in ms: editors write a file in several steps. */
const quiet = 150;

/**
 * Does work each time something in a folder has changed, until the process ends; changes that the work itself
 * makes do not count.
 */
export async function watchProject(folder: string, work: () => Promise<void>): Promise<never> {
  let isChanged = false;
  const watcher = watch(folder, { recursive: true });
  watcher.on('change', (_, name) => {
    isChanged ||= !/(^|[/\\])(node_modules|\.git)([/\\]|$)/.test(String(name));
  });
  for (;;) {
    await once(watcher, 'change');
    if (!isChanged) continue;
    await setTimeout(quiet);
    await work();
    await setTimeout(quiet);
    isChanged = false;
  }
}
