import { afterEach, beforeEach, describe, expect } from 'vitest';

/*
 * All that holds for hooks in shells that were ready holds for hooks that each start one. Whose turn it is
 * and how many run at once is settled before a hook starts in either way, and is shown once.
 */

const name = 'HOOKMACHINE_PLAIN_START';
// No stub, for tests take their stubs away, and this one would go with them.
process.env[name] = '1';
const isPlain = (): void => expect(process.env[name]).toBe('1');
beforeEach(isPlain);
afterEach(isPlain);

describe.each([
  ['background', () => import('./background.test.ts')],
  ['cancel', () => import('./cancel.test.ts')],
  ['deadline', () => import('./deadline.test.ts')],
  ['environment', () => import('./environment.test.ts')],
  ['exit', () => import('./exit.test.ts')],
  ['fallback', () => import('./fallback.test.ts')],
  ['group', () => import('./group.test.ts')],
  ['host-end', () => import('./host-end.test.ts')],
  ['output', () => import('./output.test.ts')],
  ['resources', () => import('./resources.test.ts')],
  ['stdin', () => import('./stdin.test.ts')],
])('started plainly: %s', async (_, load) => {
  await load();
});
