import type { HookSystemConfig } from '../hooks/config.ts';
import type { InspectObserver } from '../hooks/origin.ts';
import { observeAll } from '../journal/observe-all.ts';

/** The observers that came to a config by themselves, and may leave it. */
interface Guests {
  /** The host's own, which goes on. */
  readonly host: InspectObserver | undefined;
  readonly observers: Set<InspectObserver>;
  /** All of them as one: what the config has meanwhile. */
  readonly observe: InspectObserver;
}

const guestsOf = new WeakMap<HookSystemConfig, Guests>();

/**
 * Adds an observer to a config until the returned function is called. Observers leave in any order;
 * with the last of them the config has the host's own again.
 */
export function observeConfig(config: HookSystemConfig, observer: InspectObserver): () => void {
  const known = guestsOf.get(config);
  // The host may have set another one since.
  const guests = known && config.inspect === known.observe ? known : guestsWith(config.inspect);
  const { host, observers, observe } = guests;
  guestsOf.set(config, guests);
  observers.add(observer);
  config.inspect = observe;
  return () => {
    observers.delete(observer);
    if (observers.size > 0 || config.inspect !== observe) return;
    if (host) config.inspect = host;
    else delete config.inspect;
  };
}

function guestsWith(host: InspectObserver | undefined): Guests {
  const observers = new Set<InspectObserver>();
  return {
    host,
    observers,
    observe: (event, origin) => observeAll(host, ...observers)?.(event, origin),
  };
}
