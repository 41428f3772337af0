/**
 * `npm run durable`: installs `pg` beside the tests of durable calls, and runs them all. Without PostgreSQL
 * on this machine they are skipped, and said.
 */
import { execaSync } from 'execa';
import { folder } from './installed.ts';

const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund'];
const installed = execaSync('npm', args, {
  cwd: folder,
  stdio: ['ignore', 'ignore', 'inherit'],
  reject: false,
  timeout: 180_000,
});
if (installed.exitCode !== 0)
  process.stderr.write('pg cannot be installed, so durable calls are not tested\n');
const { exitCode } = execaSync('vitest', ['run', '--reporter=verbose', 'test/durable/'], {
  preferLocal: true,
  stdio: 'inherit',
  env: { DURABLE: 'all' },
  reject: false,
});
process.exitCode = exitCode ?? 1;
