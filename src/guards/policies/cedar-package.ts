import type * as Cedar from '@cedar-policy/cedar-wasm/nodejs';
import { isNotInstalled, loadPackage } from '../../base/optional-package.ts';

const name = '@cedar-policy/cedar-wasm/nodejs';

let loaded: typeof Cedar | undefined;

/** @throws an error that says which package to install */
export async function loadCedar(): Promise<typeof Cedar> {
  if (loaded !== undefined) return loaded;
  try {
    const given = (await loadPackage(name)) as { readonly default?: typeof Cedar };
    loaded = given.default ?? (given as unknown as typeof Cedar);
    return loaded;
  } catch (cause) {
    if (!isNotInstalled(cause, name) && !isNotInstalled(cause, '@cedar-policy/cedar-wasm'))
      throw cause;
    throw new Error(
      '@cedar-policy/cedar-wasm is not installed; install it where hookmachine is installed: npm i @cedar-policy/cedar-wasm',
      { cause },
    );
  }
}
