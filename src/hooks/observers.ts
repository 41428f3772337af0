import type { HookHost } from './config.ts';
import type { InspectObserver } from './inspect-observer.ts';

/** The observers that came to a host beside its own. */
const added = new WeakMap<HookHost, Set<InspectObserver>>();

/** Has an observer see every machine that is started for this host from now on, until the returned function is called. */
export function addObserver(config: HookHost, observer: InspectObserver): () => void {
  const observers = added.get(config) ?? new Set();
  added.set(config, observers.add(observer));
  return () => {
    observers.delete(observer);
  };
}

/** Whether anybody looks at the machines of this host. */
export const isObserved = (config: HookHost): boolean =>
  config.inspect !== undefined || (added.get(config)?.size ?? 0) > 0;

/** What a run of this host's needs for its observers. */
export function observed(config: HookHost): { readonly inspect?: InspectObserver } {
  if (!isObserved(config)) return {};
  const { inspect } = config;
  const observers = added.get(config) ?? [];
  return {
    inspect: (event) => {
      inspect?.(event);
      for (const observer of observers) observer(event);
    },
  };
}

/** The session of a run of this host's; only an observer asks. */
export const observedSession = (config: HookHost): { readonly sessionId?: string } =>
  isObserved(config) ? { sessionId: config.getSessionId() } : {};
