import { onDemand } from '../../base/on-demand.ts';
import { tableDialect } from '../table/table-dialect.ts';
import { events } from './events.ts';

/** OpenHands, from its documentation. */
export const openhands = tableDialect({
  name: 'openhands',
  events,
  places: {
    project: ['.openhands/hooks.json'],
    user: ['.openhands/hooks.json'],
    signs: ['"hooks"', '"command"'],
    guarded: ['.openhands/hooks.json', '.openhands/hooks/'],
  },
  isWritable: true,
  load: onDemand(() => import('./table.ts')),
});
