import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Packs the package as npm publishes it, and returns the file. */
export async function pack(folder: string): Promise<string> {
  await execa('npm', ['pack', '--ignore-scripts', '--pack-destination', folder], { cwd: root });
  return join(
    folder,
    readdirSync(folder).find((name) => name.endsWith('.tgz'))!,
  );
}

/** Installs a packed package into an empty project, and returns the project's folder. */
export async function installInto(folder: string, tarball: string): Promise<string> {
  const project = join(folder, 'project');
  mkdirSync(project);
  writeFileSync(join(project, 'package.json'), '{ "type": "module", "private": true }');
  writeFileSync(join(project, 'package-lock.json'), JSON.stringify(lockOfDependencies()));
  const install = (...options: string[]) =>
    execa('npm', ['install', '--no-audit', '--no-fund', ...options, tarball], { cwd: project });
  // npm has these versions in its cache from when this project was installed; else they come from the
  // registry.
  await install('--offline').catch((error: unknown) => {
    if (!String(error).includes('ENOTCACHED')) throw error;
    return install();
  });
  return project;
}

/**
 * The dependencies in the versions that this project was installed with, without anything else that it needs.
 */
function lockOfDependencies(): object {
  const { lockfileVersion, packages } = JSON.parse(
    readFileSync(join(root, 'package-lock.json'), 'utf8'),
  ) as { lockfileVersion: number; packages: Record<string, Record<string, unknown>> };
  const others = ['dev', 'peer', 'optional', 'devOptional'];
  const ours = Object.entries(packages).filter(
    ([path, entry]) => path !== '' && !others.some((kind) => entry[kind] === true),
  );
  return { lockfileVersion, packages: { '': {}, ...Object.fromEntries(ours) } };
}
