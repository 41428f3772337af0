import type { InspectObserver } from '../host/config.ts';

/** The part of a host that is observed. */
interface ObservedHost {
  readonly inspect?: InspectObserver;
  getSessionId(): string;
}

/** The observers that were added to a host besides its own. */
const added = new WeakMap<ObservedHost, Set<InspectObserver>>();

/**
 * Adds an observer of every machine that is started for this host from now on, until the returned function is
 * called.
 */
export function addObserver(config: ObservedHost, observer: InspectObserver): () => void {
  const observers = added.get(config) ?? new Set<InspectObserver>();
  // Equal functions are several observers.
  const own: InspectObserver = (event) => observer(event);
  added.set(config, observers.add(own));
  return () => {
    observers.delete(own);
  };
}

/** Whether the machines of this host are observed, and so must be actors. */
export const isObserved = (config: ObservedHost): boolean =>
  config.inspect !== undefined || (added.get(config)?.size ?? 0) > 0;

/** Returns the options that a run of this host needs for its observers. */
export function observed(config: ObservedHost): { readonly inspect?: InspectObserver } {
  if (!isObserved(config)) return {};
  const { inspect } = config;
  const observers = added.get(config);
  return {
    inspect: (event) => {
      inspect?.(event);
      for (const observer of observers ?? []) observer(event);
    },
  };
}

/** Returns the session of a run of this host; only observers need it. */
export const observedSession = (
  config: ObservedHost,
  sessionId?: string,
): { readonly sessionId?: string } =>
  isObserved(config) ? { sessionId: sessionId ?? config.getSessionId() } : {};
