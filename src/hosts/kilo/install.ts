import { inPluginFile } from '../opencode/install.ts';

/** The same plugin file as OpenCode's. */
export const installation = inPluginFile('Kilo', {
  folder: 'kilo',
  programs: ['kilo', 'kilocode'],
  measured: '7.7.9',
});
