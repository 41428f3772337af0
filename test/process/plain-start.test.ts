import { afterAll, beforeAll, describe, vi } from 'vitest';

/* All that holds for hooks in shells that were ready holds for hooks that each start one. */

beforeAll(() => {
  vi.stubEnv('HOOKMACHINE_PLAIN_START', '1');
});
afterAll(() => {
  vi.unstubAllEnvs();
});

describe.each([
  ['background', () => import('./background.test.ts')],
  ['cancel', () => import('./cancel.test.ts')],
  ['deadline', () => import('./deadline.test.ts')],
  ['environment', () => import('./environment.test.ts')],
  ['exit', () => import('./exit.test.ts')],
  ['fallback', () => import('./fallback.test.ts')],
  ['group', () => import('./group.test.ts')],
  ['host-end', () => import('./host-end.test.ts')],
  ['many', () => import('./many.test.ts')],
  ['output', () => import('./output.test.ts')],
  ['resources', () => import('./resources.test.ts')],
  ['stdin', () => import('./stdin.test.ts')],
  ['turns', () => import('./turns.test.ts')],
])('started plainly: %s', async (_, load) => {
  await load();
});
