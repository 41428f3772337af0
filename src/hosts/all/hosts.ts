import type { Dialect, Host } from '../../core/dialects/dialect.ts';
import { knownDialects } from './known.ts';
import { kilo } from '../kilo/index.ts';
import { openclaw } from '../openclaw/index.ts';
import { opencode } from '../opencode/index.ts';
import { pi } from '../pi/index.ts';

/**
 * The hosts that a relay can be a hook for: the agents that have a dialect, each with the dialect of its
 * name, and those without hooks of their own that a plugin turns into a host.
 */
export const hosts: readonly Host[] = [
  ...knownDialects.filter(
    (dialect): dialect is Dialect & Host =>
      dialect.speak !== undefined &&
      dialect.install !== undefined &&
      dialect.name === dialect.family,
  ),
  opencode,
  kilo,
  pi,
  openclaw,
];
