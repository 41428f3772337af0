import { onDemand } from '../../base/on-demand.ts';
import { tableDialect } from '../table/table-dialect.ts';
import { events } from './events.ts';

/** Crush, from its documentation. */
export const crush = tableDialect({
  name: 'crush',
  events,
  places: {
    project: ['crush.json', '.crush.json'],
    user: ['.config/crush/crush.json'],
    signs: ['"hooks"'],
    guarded: ['crush.json', '.crush.json', '.config/crush/'],
  },
  approves: true,
  isWritable: true,
  load: onDemand(() => import('./table.ts')),
});
