/**
 * `npm run durable` installs `pg` beside the tests of durable calls, and the frameworks whose agents make
 * such calls, and runs all these tests. Without PostgreSQL on this machine they are skipped, with a message.
 */
import { execaSync } from 'execa';
import { folderOf } from '../frameworks/installed.ts';
import { folder } from './installed.ts';

const agents = ['ai-sdk-6', 'ai-sdk-7', 'claude-agent-sdk', 'langchain', 'openai-agents'];
// Some packages demand a newer Node.js than they need.
const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--force'];
for (const cwd of [folder, ...agents.map(folderOf)]) {
  const { exitCode } = execaSync('npm', args, {
    cwd,
    stdio: ['ignore', 'ignore', 'inherit'],
    reject: false,
    timeout: 180_000,
  });
  if (exitCode !== 0) process.stderr.write(`nothing of ${cwd} is tested: it cannot be installed\n`);
}
/** Runs these tests, with calls that hosts keep in the database themselves or have kept by a hub. */
function run(store: 'database' | 'hub', ...files: readonly string[]): number {
  const { exitCode } = execaSync('vitest', ['run', '--reporter=verbose', ...files], {
    preferLocal: true,
    stdio: 'inherit',
    env: { DURABLE: 'all', DURABLE_STORE: store },
    reject: false,
  });
  return exitCode ?? 1;
}

process.exitCode = run('database', 'test/durable/') || run('hub', 'test/durable/durable.test.ts');
