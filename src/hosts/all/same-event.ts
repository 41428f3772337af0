import type { SameEvent } from '../../core/dialects/hook-site.ts';
import { knownDialects } from './known.ts';

/** Finds the event for another host's name; undefined if no host uses it or the dialect has no such event. */
export const sameEvent: SameEvent = (name, events) => {
  const theirs = knownDialects.find((dialect) => Object.hasOwn(dialect.events, name));
  if (theirs === undefined) return undefined;
  const names = Object.keys(events).filter((own) => events[own] === theirs.events[name]);
  return names.length === 0 ? undefined : { names, dialect: theirs.name };
};
