import { onDemand } from '../../base/on-demand.ts';
import { tableDialect } from '../table/table-dialect.ts';
import { events } from './events.ts';

/** Cline, whose hooks are one executable for each event. */
export const cline = tableDialect({
  name: 'cline',
  events,
  plainDenial: (reason) => ({ cancel: true, errorMessage: reason }),
  places: {
    project: ['.clinerules/hooks', '.cline/hooks'],
    user: ['Documents/Cline/Hooks', '.cline/hooks'],
    names: Object.keys(events),
    signs: [''],
    guarded: ['.clinerules/hooks/', '.cline/hooks/', 'Cline/Hooks/'],
  },
  load: onDemand(() => import('./table.ts')),
});
