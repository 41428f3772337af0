import { knownDialects } from './index.ts';

/** An event of this dialect, found by another host's name for it. */
interface SameEvent {
  /** The dialect's own names for it. */
  readonly names: readonly string[];
  /** The dialect that uses the other name. */
  readonly dialect: string;
}

/** Finds the event for another host's name; undefined if no host uses it or the dialect has no such event. */
export function sameEvent(
  name: string,
  events: Readonly<Record<string, string>>,
): SameEvent | undefined {
  const theirs = knownDialects.find((dialect) => Object.hasOwn(dialect.events, name));
  if (theirs === undefined) return undefined;
  const names = Object.keys(events).filter((own) => events[own] === theirs.events[name]);
  return names.length === 0 ? undefined : { names, dialect: theirs.name };
}
