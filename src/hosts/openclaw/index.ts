import { onDemand } from '../../base/on-demand.ts';
import { tableHost } from '../table/table-host.ts';
import { events } from './events.ts';

/** OpenClaw, whose hooks are functions in plugins: a plugin of ours calls the relay. */
export const openclaw = tableHost({
  name: 'openclaw',
  events,
  plainDenial: (reason) => ({ deny: reason }),
  load: onDemand(() => import('./table.ts')),
});
