import { execa } from 'execa';
import { describe, expect, test } from 'vitest';
import { isWhole, packageOf } from '../installed.ts';
import { cases } from './agents.ts';

/** The package requires Node 22.13. */
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
const runsHere = major > 22 || (major === 22 && minor >= 13);
const isThere = packageOf('mastra', '@mastra/core') !== undefined;

if (!isThere) process.stderr.write('Mastra is not installed, so its tests are skipped\n');

describe.skipIf(!isThere)('an agent of Mastra', () => {
  if (runsHere) cases();
  else
    test.skipIf(!isWhole)('an agent of Mastra passes all cases with a newer Node', async () => {
      const vitest = 'node_modules/vitest/vitest.mjs';
      const args = ['-y', '--ignore-scripts=false', 'node@24', vitest, 'run'];
      const { exitCode, all } = await execa('npx', [...args, 'test/frameworks/mastra/'], {
        all: true,
        reject: false,
        env: { VITEST: '', VITEST_POOL_ID: '', VITEST_WORKER_ID: '' },
      });
      expect(exitCode, all).toBe(0);
    });
});
