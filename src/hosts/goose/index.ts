import { onDemand } from '../../base/on-demand.ts';
import { tableDialect } from '../table/table-dialect.ts';
import { events } from './events.ts';

/** goose, from its documentation. */
export const goose = tableDialect({
  name: 'goose',
  events,
  places: {
    project: ['.agents/plugins/*/hooks/hooks.json'],
    user: ['.agents/plugins/*/hooks/hooks.json'],
    signs: ['"hooks"'],
    guarded: ['.agents/plugins/'],
  },
  isWritable: true,
  load: onDemand(() => import('./table.ts')),
});
