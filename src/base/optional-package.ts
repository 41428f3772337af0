import { messageOf } from './message-of.ts';

/**
 * Loads a package that need not be installed. Its name is not a literal, so that no bundler tries to resolve
 * it.
 */
export const loadPackage = (name: string): Promise<unknown> => import(name);

/** Whether loading a package failed because it is not installed, rather than because of its content. */
export function isNotInstalled(error: unknown, name: string): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return (
    (code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND') &&
    messageOf(error).includes(`'${name}'`)
  );
}
