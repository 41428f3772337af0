import { onDemand } from '../../base/on-demand.ts';
import { tableDialect } from '../table/table-dialect.ts';
import { events } from './events.ts';

const names = Object.keys(events);
const below = (folder: string): string[] => names.map((name) => `${folder}/${name}`);

/** Cline, whose hooks are one executable for each event. */
export const cline = tableDialect({
  name: 'cline',
  events,
  places: {
    project: [...below('.clinerules/hooks'), ...below('.cline/hooks')],
    user: [...below('Documents/Cline/Hooks'), ...below('.cline/hooks')],
    signs: [''],
    guarded: ['.clinerules/hooks/', '.cline/hooks/', 'Cline/Hooks/'],
  },
  load: onDemand(() => import('./table.ts')),
});
