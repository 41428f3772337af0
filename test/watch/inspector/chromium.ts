import { existsSync } from 'node:fs';

/** The path of this machine's browser; undefined if there is none. */
export const chromiumPath = [
  process.env['CHROMIUM'],
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
].find((path) => path !== undefined && existsSync(path));
