import { onDemand } from '../../base/on-demand.ts';
import { tableDialect } from '../table/table-dialect.ts';
import { events } from './events.ts';

/** Factory's Droid, from its documentation. */
export const factory = tableDialect({
  name: 'factory',
  events,
  places: {
    project: ['.factory/hooks.json', '.factory/settings.json', '.factory/settings.local.json'],
    user: ['.factory/hooks.json', '.factory/settings.json'],
    signs: ['"hooks"', '"PreToolUse"'],
    guarded: [
      '.factory/hooks.json',
      '.factory/settings*.json',
      '.factory/hooks/',
      '.factory/plugins/',
    ],
  },
  approves: true,
  isWritable: true,
  load: onDemand(() => import('./table.ts')),
});
