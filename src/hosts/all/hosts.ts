import type { Dialect, Host } from '../../core/dialects/dialect.ts';
import { addDialect, knownDialects } from './known.ts';
import { kilo } from '../kilo/index.ts';
import { openclaw } from '../openclaw/index.ts';
import { opencode } from '../opencode/index.ts';
import { pi } from '../pi/index.ts';

const isHost = (dialect: Dialect): dialect is Dialect & Host =>
  dialect.speak !== undefined && dialect.install !== undefined && dialect.name === dialect.family;

const known: Host[] = [...knownDialects.filter(isHost), opencode, kilo, pi, openclaw];

/**
 * The hosts that a relay can be a hook for: the agents that have a dialect, each with the dialect of its
 * name, and those without hooks of their own that a plugin turns into a host.
 */
export const hosts: readonly Host[] = known;

/** Adds an agent that is not one of ours, with its hooks if it has any in files; before anyone reads the lists. */
export function addHost(host: Host | (Dialect & Host)): void {
  known.push(host);
  if ('find' in host) addDialect(host);
}
