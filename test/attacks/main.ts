import { fileURLToPath } from 'node:url';

/** The built command. */
export const main = fileURLToPath(new URL('../../dist/src/cli/main.js', import.meta.url));
