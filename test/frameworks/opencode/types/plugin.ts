import type { Plugin } from '@opencode-ai/plugin';
import { HookmachinePlugin } from '../../../../src/entries/opencode.ts';

/** What OpenCode accepts as a plugin. */
export const plugin: Plugin = HookmachinePlugin;

/** With options of its own. */
export const aliased: Plugin = (input) =>
  HookmachinePlugin(input, { tools: { alias: { write: 'write_file' } } });
