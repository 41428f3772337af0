import { createRequire } from 'node:module';
import { join } from 'node:path';

/**
 * Fails where a framework is not installed whose adapter is imported.
 *
 * @throws what to install
 */
export function assertInstalled(adapter: string, module: string, install: string): void {
  const { url = '' } = import.meta as { readonly url?: string };
  // A bundle has the framework in it, and nothing beside it; tests of the sources have it in a folder of theirs.
  if (!url.endsWith('/dist/src/adapters/assert-installed.js')) return;
  // Linked packages are not beside their users: there the program and its folder know more.
  const places = [url, process.argv[1], join(process.cwd(), 'program.js')];
  if (!places.some((place) => place !== undefined && isThere(module, place)))
    throw new Error(
      `${adapter} needs packages that are not installed; install them: npm i ${install}`,
    );
}

function isThere(module: string, place: string): boolean {
  try {
    createRequire(place).resolve(module);
    return true;
  } catch (cause) {
    // Any other failure is of a package that is there.
    return (cause as NodeJS.ErrnoException).code !== 'MODULE_NOT_FOUND';
  }
}
