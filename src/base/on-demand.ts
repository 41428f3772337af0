import { closeSync, openSync } from 'node:fs';
import { devNull } from 'node:os';
import { isShortage } from './errors.ts';

/** How many descriptors a module may take at once with everything that it imports. */
const needed = 32;

/**
 * Returns a function that loads a module of ours when it is first needed. Node.js never again reads a module
 * that it failed to read, so none is read during a shortage of descriptors: the next attempt succeeds then.
 *
 * The command replaces this by the loading alone, because its modules are in one file (launcher/bundle.ts).
 */
export function onDemand<Module>(load: () => Promise<Module>): () => Promise<Module> {
  let loaded: Module | undefined;
  return async () => {
    if (loaded === undefined) {
      assertDescriptors();
      loaded = await load();
    }
    return loaded;
  };
}

/** @throws the system's error while there are fewer descriptors than a module may need */
function assertDescriptors(): void {
  const opened: number[] = [];
  try {
    while (opened.length < needed) opened.push(openSync(devNull, 'r'));
  } catch (error) {
    if (isShortage(error)) throw error;
  } finally {
    for (const descriptor of opened) closeSync(descriptor);
  }
}
