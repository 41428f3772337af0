import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { delimiter, join, relative, resolve } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

// Whoever runs the tests may have their own settings and keys, which must not be part of what is tested.
for (const name of Object.keys(process.env))
  if (/^(?:BASH_|DEBUG$|HOOKMACHINE_|KODELET_|LLXPRT_|NODE_OPTIONS$)|_API_KEY$/.test(name))
    delete process.env[name];

// Extra certificates double the time that Node.js takes to start; only the long runs access the network.
if (!['FRAMEWORKS', 'HOSTS', 'PACKAGE'].some((run) => run in process.env))
  delete process.env['NODE_EXTRA_CA_CERTS'];

// Processes of the tests are ended by signals, with no time to tidy up: everything they leave behind is
// removed with this folder. Its name is short, because the length of messages and of socket addresses is
// limited.
const temporary = mkdtempSync(join(tmpdir(), 'hm-'));
// The database runs as a separate user.
chmodSync(temporary, 0o755);
process.env['TMPDIR'] = temporary;
process.once('exit', () => rmSync(temporary, { recursive: true, force: true }));

// What pyenv puts on the PATH is a script that starts forty programs before it starts Python.
const python = spawnSync('python3', ['-c', 'import sys; print(sys.executable)'], {
  encoding: 'utf8',
});
if (python.stdout?.includes('/.pyenv/')) {
  mkdirSync(join(temporary, 'bin'));
  symlinkSync(python.stdout.trim(), join(temporary, 'bin/python3'));
  process.env['PATH'] = join(temporary, 'bin') + delimiter + process.env['PATH'];
}

/**
 * Files that need a separate process: they count file descriptors and children, measure what code ran, or
 * change what all hooks of a process share.
 */
const alone = [
  'cli/warm/kept-systems',
  'core/calls/*-resources',
  'fuzz/*',
  'load/*',
  'handlers/process/fifos',
  'handlers/process/many',
  'handlers/process/prestart',
  'handlers/process/resources',
  'handlers/process/turns',
  'handlers/process/unkillable',
].map((files) => `test/${files}.test.ts`);

/** Files that replace our modules with others: they need their own module registry. */
const mocking = readdirSync('test', { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.test.ts') && !file.includes('node_modules'))
  .map((file) => join('test', file))
  .filter((file) => /\bvi\.(?:mock|doMock|resetModules)[(<]/.test(readFileSync(file, 'utf8')));

const isolated = [...alone, ...mocking];

/**
 * Files that spend most of their time waiting begin first: if they began last, they would be all that is left
 * to wait for.
 */
const first = [
  'watch/inspector/page',
  'load/load',
  'handlers/process/many',
  'faults/faults',
  'fuzz/fuzz',
  'cli/check',
  'attacks/inspector-strangers',
  'adapters/mcp/lifetime',
  'cli/launcher/bin',
  'modes/mode-independence',
  'recipes/every-agent',
  'hosts/serve/refusals',
  'hosts/serve/many',
  'handlers/live',
  'watch/stately/stately-inspector',
  'durable/',
  'settings/files/watch-',
  'hosts/kodelet/find',
  'hosts/late-denial',
];

/**
 * Files that compute and start no process come last: they fill the cores to the end, and a process that has
 * grown forks slowly.
 */
const last = [
  'streaming/chat',
  'hosts/near-misses',
  'hosts/lost-denial',
  'hosts/llxprt/merge-or',
  'machines/',
  'properties/',
  'visualizations/',
  'settings/redaction/',
  'agent/models/wire',
  'core/translate/',
  'core/protocol/',
];

const places: readonly string[] = [...first, '', ...last];

/**
 * A process that files share ends, with everything it has loaded, when the next file needs its own process:
 * files that need their own come first.
 */
const rank = ({ project, moduleId }: TestSpecification): number => {
  const name = relative(resolve('test'), moduleId);
  const place = places.findIndex((begin) => begin !== '' && name.startsWith(begin));
  return (project.config.isolate ? 0 : places.length) + (place === -1 ? first.length : place);
};

class WaitingFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- no array has it
    const sorted = await super.sort(files);
    return sorted.toSorted((one, other) => rank(one) - rank(other));
  }
}

/** What adapters import from their frameworks, as installed for the frameworks' own tests. */
const ofFrameworks = {
  '@google/adk': 'adk/node_modules/@google/adk/dist/esm/index.js',
  '@langchain/core/messages': 'langchain/node_modules/@langchain/core/dist/messages/index.js',
  '@langchain/core/singletons': 'langchain/node_modules/@langchain/core/dist/singletons/index.js',
};

const ofExamples = {
  find: 'hookmachine/dialects',
  replacement: resolve('src/entries/dialects.ts'),
};

const alias = Object.entries(ofFrameworks)
  .map(([name, file]) => ({ find: name, replacement: resolve('test/frameworks', file) }))
  .filter(({ replacement }) => existsSync(replacement))
  .concat(ofExamples);

/** Whether another order was requested: no test may depend on the order. */
const isShuffled = process.argv.some((word) => word.startsWith('--sequence.shuffle'));

const shared = {
  // Hooks are processes: those that run tests have their own signals, folder and umask.
  pool: 'forks',
  // Only a test that hangs takes this long, even on a busy machine.
  testTimeout: 240_000,
  hookTimeout: 240_000,
  expect: { poll: { timeout: 180_000 } },
  // A machine shared with strangers may stall for a second; a retry is reported.
  retry: process.env.CI === undefined ? 0 : 1,
} as const;

export default defineConfig({
  test: {
    // Most of these tests wait for processes much of the time; with more workers, they would get in each
    // other's way.
    maxWorkers: availableParallelism() * 2,
    sequence: isShuffled ? {} : { sequencer: WaitingFirst },
    projects: [
      {
        resolve: { alias },
        test: {
          ...shared,
          name: 'shared',
          include: ['test/**/*.test.ts'],
          exclude: ['**/node_modules/**', ...isolated],
          // Loading our modules again for each file took as long as most of what the files test.
          isolate: false,
          // Most code runs a few times only: with these limits V8 spends less on optimizing it and on collecting
          // garbage than it saves. That is a sixth of the processor time of the suite.
          execArgv: [
            // Newer versions do not know it.
            ...(Number.parseInt(process.versions.node) < 24 ? ['--interrupt-budget=3000000'] : []),
            '--no-flush-bytecode',
            '--min-semi-space-size=64',
            '--max-semi-space-size=128',
          ],
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
