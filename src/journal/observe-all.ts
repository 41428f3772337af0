import { debugChannel } from '../log.ts';
import { messageOf } from '../message-of.ts';
import type { InspectObserver } from '../telemetry.ts';

const debug = debugChannel('system');

/**
 * Several observers as one; none at all when there is none, so that nobody watching costs nothing.
 * One that throws costs the others nothing.
 *
 * @example
 * createConfig({ cwd, inspect: observeAll(recording.observe, inspector.observe) });
 */
export function observeAll(
  ...observers: readonly (InspectObserver | undefined)[]
): InspectObserver | undefined {
  const present = observers.filter((observer) => observer !== undefined);
  if (present.length < 2) return present[0];
  return (event) => {
    for (const observer of present)
      try {
        observer(event);
      } catch (error) {
        debug('an observer threw: %s', messageOf(error));
      }
  };
}
