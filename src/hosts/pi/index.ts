import { onDemand } from '../../base/on-demand.ts';
import { tableHost } from '../table/table-host.ts';
import { events } from './events.ts';

/** Pi, whose hooks are functions in extensions: an extension of ours calls the relay. */
export const pi = tableHost({
  name: 'pi',
  events,
  plainDenial: (reason) => ({ deny: reason }),
  load: onDemand(() => import('./table.ts')),
});
