import { debugChannel } from '../../base/log.ts';
import { messageOf } from '../../base/message-of.ts';
import type { InspectObserver } from '../../core/host/config.ts';

const debug = debugChannel('system');

/**
 * Combines several observers into one; returns undefined if there are none, so that not observing has no
 * cost. An observer that throws does not affect the others.
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
