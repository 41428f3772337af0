/**
 * `npm run frameworks [-- NAME…]`: installs the published frameworks, or those that are named, runs the
 * adapter of each with it, and checks its types. A framework that cannot be installed is skipped with a
 * message; if it was named, that is a failure.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { execaSync } from 'execa';
import { folderOf, frameworks } from './installed.ts';

const named = process.argv.slice(2);
const unknown = named.filter((name) => !frameworks.includes(name));
if (unknown.length > 0) {
  process.stderr.write(`unknown: ${unknown.join(', ')}; use ${frameworks.join(', ')}\n`); // prettier-ignore
  process.exit(1);
}

const isNamed = named.length > 0;
const wanted = isNamed ? named : frameworks;
for (const name of wanted) {
  // Some ask for a newer Node than they need.
  const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--force'];
  const { exitCode } = execaSync('npm', args, {
    cwd: folderOf(name),
    stdio: ['ignore', 'ignore', 'inherit'],
    reject: false,
    timeout: 180_000,
  });
  if (exitCode === 0) continue;
  process.stderr.write(`${name} cannot be installed${isNamed ? '' : ', so it is skipped'}\n`);
  if (isNamed) process.exit(1);
}
const unfit = wanted.filter((name) => !hasFittingTypes(name));
const { exitCode } = execaSync(
  'vitest',
  // Published packages may fail once on a busy machine.
  [
    'run',
    '--reporter=verbose',
    '--retry=1',
    ...wanted.map((name) => `test/frameworks/${name}/`),
    'test/frameworks/examples',
    // Agents of some wait for answers in a database, if `pg` is installed.
    'test/durable/agents',
  ],
  { preferLocal: true, stdio: 'inherit', env: { FRAMEWORKS: 'all' }, reject: false },
);
process.exitCode = unfit.length > 0 ? 1 : (exitCode ?? 1);

/** Whether an adapter's tests fit the published types, which the adapter itself does not know. */
function hasFittingTypes(name: string): boolean {
  const folder = folderOf(name);
  if (!existsSync(join(folder, 'tsconfig.json')) || !existsSync(join(folder, 'node_modules')))
    return true;
  const checked = execaSync('tsc', ['--project', folder], {
    preferLocal: true,
    stdio: ['ignore', process.stderr, 'inherit'],
    reject: false,
  });
  return checked.exitCode === 0;
}
