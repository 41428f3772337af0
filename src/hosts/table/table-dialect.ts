import { onDemand } from '../../base/on-demand.ts';
import type { Dialect, Host } from '../../core/dialects/dialect.ts';
import { settingsAtFirstSight } from '../../settings/files/read-files.ts';
import { eventTable } from '../parts/event-table.ts';
import { hostDialect } from '../parts/host-dialect.ts';
import { mayHold, projectSight } from '../parts/host-places.ts';
import type { TableDialect, TableEvent } from './host-table.ts';
import { filesOf } from './places.ts';

const loadRoom = onDemand(() => import('./room.ts'));

/** Makes the dialect of a host of which everything stands in a table. */
export function tableDialect(host: TableDialect): Dialect & Host {
  const { name, events, places, load, approves, isWritable, plainDenial } = host;
  return hostDialect(
    {
      name,
      events: eventTable<string, TableEvent>(events).ours,
      ...(approves && { approves }),
      ...(isWritable && { isWritable }),
      ...(plainDenial && { plainDenial }),
      guarded: places.guarded,
      mayBeIn: (cwd, counts = () => true) =>
        filesOf(places, cwd).some(
          ({ source, file }) => counts(source) && mayHold(settingsAtFirstSight(file, places.signs)),
        ),
      atFirstSight: (cwd) => projectSight(filesOf(places, cwd), places.signs),
    },
    async () => {
      const [{ table }, { roomOf }] = await Promise.all([load(), loadRoom()]);
      return roomOf({ ...host, ...table });
    },
  );
}
