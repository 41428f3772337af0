import { tableDialect } from 'hookmachine/dialects';
import { events } from './events.ts';

/** Otter, an agent that does not exist: what must be known before any hook of it is found. */
export const otter = tableDialect({
  name: 'otter',
  events,
  places: {
    project: ['.otter/hooks.json'],
    user: ['.otter/hooks.json'],
    signs: ['"hooks"'],
    guarded: ['.otter/hooks.json', '.otter/hooks/'],
  },
  load: () => import('./table.ts'),
});
