import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

// Whoever runs the tests may have settings and keys of their own, which are no part of what is tested.
for (const name of Object.keys(process.env))
  if (/^(?:BASH_|DEBUG$|HOOKMACHINE_|KODELET_|LLXPRT_|NODE_OPTIONS$)|_API_KEY$/.test(name))
    delete process.env[name];

/** Files that need a process of their own: they count descriptors and children, or measure what code ran. */
const alone = ['agent/*-resources', 'fuzz/*', 'load/*', 'process/*'].map(
  (files) => `test/${files}.test.ts`,
);

/** Files that put other modules in the place of ours: they need modules of their own. */
const mocking = readdirSync('test', { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.test.ts') && !file.includes('node_modules'))
  .map((file) => join('test', file))
  .filter((file) => /\bvi\.(?:mock|doMock|resetModules)[(<]/.test(readFileSync(file, 'utf8')));

const isolated = [...alone, ...mocking];

/** What takes longest, most of it waiting: begun last, it would be all that is left to wait for. */
const longest = ['load/load', 'faults/faults', 'process/many'];

const rank = ({ moduleId }: TestSpecification): number => {
  const place = longest.findIndex((name) => moduleId.endsWith(`/${name}.test.ts`));
  return place === -1 ? longest.length : place;
};

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- no array has it
    const sorted = await super.sort(files);
    return sorted.toSorted((one, other) => rank(one) - rank(other));
  }
}

const shared = {
  // Hooks are processes: those that run tests have signals, a folder and a umask of their own.
  pool: 'forks',
  // Only what hangs takes so long, also on a busy machine.
  testTimeout: 240_000,
  hookTimeout: 240_000,
  expect: { poll: { timeout: 60_000 } },
} as const;

export default defineConfig({
  test: {
    // Most of these tests wait for processes most of the time.
    maxWorkers: availableParallelism() + 1,
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          ...shared,
          name: 'shared',
          include: ['test/**/*.test.ts'],
          exclude: ['**/node_modules/**', ...isolated],
          // Loading our modules anew for each file took as long as most of what the files test.
          isolate: false,
        },
      },
      {
        test: {
          ...shared,
          name: 'isolated',
          include: isolated,
        },
      },
    ],
  },
});
