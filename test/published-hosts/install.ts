import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execaSync } from 'execa';
import { hostsFolder, newerNode, programOf, published } from './installed.ts';

/** Installs a published host. Returns whether it is then installed. */
export function installHost(name: string): boolean {
  mkdirSync(hostsFolder, { recursive: true });
  const list = join(hostsFolder, 'package.json');
  if (!existsSync(list)) writeFileSync(list, '{ "private": true }\n');
  // Some ask for a newer Node than they need.
  const args = ['install', '--no-audit', '--no-fund', '--force', '--loglevel=error'];
  const { package: own, needsNode } = published[name]!;
  const packages = needsNode === undefined ? [own] : [own, `${newerNode}@${needsNode}`];
  execaSync('npm', [...args, ...packages], {
    cwd: hostsFolder,
    stdio: ['ignore', 'ignore', 'inherit'],
    reject: false,
    timeout: 180_000,
  });
  return programOf(name) !== undefined;
}
