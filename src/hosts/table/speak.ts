import type { Speaker } from '../../core/dialects/speaker.ts';
import type { LoadedHost } from './host-table.ts';

/** How a host is answered as one hook of its own that stands for all of ours. */
export function speakerOf(of: LoadedHost): Speaker {
  const { title, names, asks = [], projectIn, silence, waits, answers } = of;
  return {
    title,
    eventIn: (given) => given[names.event],
    sessionIn: (given) => given[names.session],
    projectIn: projectIn ?? ((given) => [given[names.folder]]),
    asks: (event) => asks.includes(event),
    timeoutAt: () => waits,
    ...(silence && { silence }),
    write: (event, outcome, wishes) => answers(event, wishes, outcome),
  };
}
