import { homedir } from 'node:os';
import { resolve } from 'node:path';

/**
 * Returns the absolute path that a tool's argument means: `~` is the user's home folder, as most agents have
 * it (also before several slashes), and any other path is relative to `folder`.
 */
export const wholePath = (path: string, folder: string): string =>
  path === '~' || path.startsWith('~/')
    ? resolve(homedir(), `.${path.slice(1)}`)
    : resolve(folder, path);
