import { createRequire } from 'node:module';
import { join } from 'node:path';

/**
 * Fails if the framework whose adapter is imported is not installed.
 *
 * @throws an error that says what to install
 */
export function assertInstalled(adapter: string, module: string, install: string): void {
  const { url = '' } = import.meta as { readonly url?: string };
  // A bundle contains the framework and has nothing beside it; tests of the sources have it in a folder of
  // their own.
  if (!url.endsWith('/dist/src/adapters/parts/assert-installed.js')) return;
  // A linked package does not lie beside its users, so the program and the working folder are tried too.
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
    // Any other failure means that the package is there.
    return (cause as NodeJS.ErrnoException).code !== 'MODULE_NOT_FOUND';
  }
}
