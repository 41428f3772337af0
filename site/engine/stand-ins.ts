import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';

const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

/** Puts the stand-ins of this folder in the place of what a browser does not have. */
export const standIns = (): Plugin => ({
  name: 'stand-ins',
  enforce: 'pre',
  async resolveId(id, from = '') {
    if (
      !/\/(?:src|machines|engine|node_modules)\//.test(from) ||
      from.includes('/site/node_modules/')
    )
      return undefined;
    if (id === 'node:fs' || id === 'node:fs/promises') return here('disk.ts');
    if (id === 'node:path') return this.resolve('path-browserify', here('disk.ts'));
    if (id.startsWith('node:')) return here('node-modules.ts');
    if (id.endsWith('/process/index.ts') && !from.includes('/handlers/process/'))
      return here('scripts.ts');
    return undefined;
  },
});
