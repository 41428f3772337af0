import type { Host } from '../../core/dialects/dialect.ts';
import { eventTable } from '../parts/event-table.ts';
import type { LoadedHost, TableEvent, TableHost } from './host-table.ts';

/** How a host is spoken to, by its table. */
export function spoken(
  host: TableHost,
): Pick<Host, 'readCall' | 'reportCall' | 'speak' | 'install' | 'plainDenial'> {
  const ready = async (): Promise<LoadedHost> => ({ ...host, ...(await host.load()).table });
  return {
    readCall: async (event, given) =>
      (await import('./call.ts')).readCall(await ready(), event, given),
    reportCall: async (result) => (await import('./call.ts')).reportCall(await ready(), result),
    speak: async () => (await import('./speak.ts')).speakerOf(await ready()),
    install: async () => (await ready()).installation,
    ...(host.plainDenial && { plainDenial: host.plainDenial }),
  };
}

/** Makes a host that has no hooks in files: an extension of ours calls the relay. */
export const tableHost = (host: TableHost): Host => ({
  name: host.name,
  family: host.name,
  events: eventTable<string, TableEvent>(host.events).ours,
  ...spoken(host),
});
