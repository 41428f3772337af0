import { onDemand } from '../../base/on-demand.ts';
import { tableDialect } from '../table/table-dialect.ts';
import { events } from './events.ts';

/** Antigravity CLI, from what others measured. */
export const antigravity = tableDialect({
  name: 'antigravity',
  events,
  places: {
    project: ['.agents/hooks.json'],
    user: ['.gemini/config/hooks.json'],
    signs: Object.keys(events).map((event) => `"${event}"`),
    guarded: ['.agents/hooks.json', '.gemini/config/hooks.json', '.agents/hooks/'],
  },
  load: onDemand(() => import('./table.ts')),
});
