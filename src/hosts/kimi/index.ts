import { onDemand } from '../../base/on-demand.ts';
import { tableDialect } from '../table/table-dialect.ts';
import { events } from './events.ts';

/** Kimi Code. */
export const kimi = tableDialect({
  name: 'kimi',
  events,
  places: {
    project: [],
    user: ['.kimi-code/config.toml'],
    userFolder: { variable: 'KIMI_CODE_HOME', folder: '.kimi-code' },
    signs: ['hooks'],
    guarded: ['.kimi-code/config.toml', '.kimi-code/plugins/'],
  },
  load: onDemand(() => import('./table.ts')),
});
