import { knownDialects } from './index.ts';

/** What an event of another host's name is here. */
interface SameEvent {
  /** The names that the dialect has for it. */
  readonly names: readonly string[];
  /** A dialect whose name for it that is. */
  readonly dialect: string;
}

/** The event that hooks of another host know by a name; undefined where none does, or the dialect has no such event. */
export function sameEvent(
  name: string,
  events: Readonly<Record<string, string>>,
): SameEvent | undefined {
  const theirs = knownDialects.find((dialect) => Object.hasOwn(dialect.events, name));
  if (theirs === undefined) return undefined;
  const names = Object.keys(events).filter((own) => events[own] === theirs.events[name]);
  return names.length === 0 ? undefined : { names, dialect: theirs.name };
}
