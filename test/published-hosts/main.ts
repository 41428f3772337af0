/**
 * `npm run hosts [-- HOST…]`: installs the published hosts, or those that are named, and runs the relay in
 * each. A host that cannot be installed is skipped with a message.
 */
import { execaSync } from 'execa';
import { installHost } from './install.ts';
import { published } from './installed.ts';

const named = process.argv.slice(2);
const unknown = named.filter((name) => !(name in published));
if (unknown.length > 0) {
  process.stderr.write(`unknown: ${unknown.join(', ')}; use ${Object.keys(published).join(', ')}\n`); // prettier-ignore
  process.exit(1);
}

const hosts = named.length > 0 ? named : Object.keys(published);
for (const host of hosts)
  if (!installHost(host)) process.stderr.write(`${host} cannot be installed, so it is skipped\n`);
const { exitCode } = execaSync(
  'vitest',
  // Published hosts may fail once on a busy machine.
  [
    'run',
    '--reporter=verbose',
    '--retry=1',
    ...[...hosts, 'gateway', 'plugins'].map((name) => `test/published-hosts/${name}.test.ts`),
  ],
  {
    preferLocal: true,
    stdio: 'inherit',
    env: { HOSTS: 'all', GATEWAY_HOSTS: hosts.join(' '), PLUGIN_HOSTS: hosts.join(' ') },
    reject: false,
  },
);
process.exitCode = exitCode ?? 1;
