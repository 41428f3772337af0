import type { InspectionEvent } from 'xstate';

/** Looks at machines, and all that they start. */
export type InspectObserver = (event: InspectionEvent) => void;

/** A host, as far as it is looked at. */
interface ObservedHost {
  readonly inspect?: InspectObserver;
  getSessionId(): string;
}

/** The observers that came to a host beside its own. */
const added = new WeakMap<ObservedHost, Set<InspectObserver>>();

/** Has an observer see every machine that is started for this host from now on, until the returned function is called. */
export function addObserver(config: ObservedHost, observer: InspectObserver): () => void {
  const observers = added.get(config) ?? new Set();
  added.set(config, observers.add(observer));
  return () => {
    observers.delete(observer);
  };
}

/** Whether anybody looks at the machines of this host. */
export const isObserved = (config: ObservedHost): boolean =>
  config.inspect !== undefined || (added.get(config)?.size ?? 0) > 0;

/** What a run of this host's needs for its observers. */
export function observed(config: ObservedHost): { readonly inspect?: InspectObserver } {
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
export const observedSession = (config: ObservedHost): { readonly sessionId?: string } =>
  isObserved(config) ? { sessionId: config.getSessionId() } : {};
