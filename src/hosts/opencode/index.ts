import { onDemand } from '../../base/on-demand.ts';
import type { Host } from '../../core/dialects/dialect.ts';
import { tableHost } from '../table/table-host.ts';
import { events } from './events.ts';

/** OpenCode, whose hooks are functions in plugins: a plugin file calls the relay; no scripts are found. */
export const opencode: Host = tableHost({
  name: 'opencode',
  events,
  plainDenial: (reason) => ({ deny: reason }),
  load: onDemand(() => import('./table.ts')),
});
