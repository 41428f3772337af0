import { onDemand } from '../../base/on-demand.ts';
import type { Host } from '../../core/dialects/dialect.ts';
import { events } from '../opencode/events.ts';
import { tableHost } from '../table/table-host.ts';

/** Kilo, which is made from OpenCode: the same plugin calls the relay, in other folders. */
export const kilo: Host = tableHost({
  name: 'kilo',
  events,
  plainDenial: (reason) => ({ deny: reason }),
  load: onDemand(() => import('./table.ts')),
});
