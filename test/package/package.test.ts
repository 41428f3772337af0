import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import '../build.ts';

const root = new URL('../..', import.meta.url).pathname;
const tool = (name: string): string => join(root, 'node_modules/.bin', name);
let folder: string;
let tarball: string;

/**
 * Set by `npm run package`: the packed package is checked when it is published, and by CI, not in each test
 * run.
 */
const isAsked = process.env['PACKAGE'] !== undefined;

beforeAll(async () => {
  if (!isAsked) return;
  folder = mkdtempSync(join(tmpdir(), 'hookmachine-package-'));
  await execa('npm', ['pack', '--ignore-scripts', '--pack-destination', folder], { cwd: root });
  tarball = join(
    folder,
    readdirSync(folder).find((name) => name.endsWith('.tgz'))!,
  );
});
afterAll(() => {
  if (isAsked) rmSync(folder, { recursive: true, force: true });
});

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

test.skipIf(isAsked)(
  'the packed package is not checked here: npm run package does that',
  ({ skip }) => skip(),
);

describe.runIf(isAsked)('the packed package', () => {
  test('the packed package passes publint', async () => {
    const { stdout } = await execa(tool('publint'), ['run', tarball, '--strict'], { cwd: root });
    expect(stdout).toMatch(/All good/);
  });

  test('the packed package has types that resolve for ESM users', async () => {
    const { exitCode } = await execa(tool('attw'), [tarball, '--profile', 'esm-only'], {
      cwd: root,
      reject: false,
    });
    expect(exitCode).toBe(0);
  });

  test('the packed package installs into an empty project, imports and runs', async () => {
    const project = join(folder, 'project');
    await execa('mkdir', [project]);
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
    writeFileSync(
      join(project, 'use.js'),
      `import { createConfig, executeToolWithHooks } from 'hookmachine';
       import { toolCallMachine } from 'hookmachine/machines';
       const hook = { type: 'command', command: 'echo "not here" >&2; exit 2' };
       const config = createConfig({
         cwd: process.cwd(),
         settings: { tools: { enableHooks: true }, hooks: { BeforeTool: [{ hooks: [hook] }] } },
       });
       const result = await executeToolWithHooks(config, 'read_file', {}, async () => { throw new Error('ran') });
       console.log(toolCallMachine.id, result.llmContent);`,
    );
    const used = await execa('node', ['use.js'], { cwd: project });
    expect(used.stdout).toBe('toolCall not here');
    const listed = await execa('npx', ['--no-install', 'hookmachine', 'list'], { cwd: project });
    const command = join(project, 'node_modules/.bin/hookmachine');
    expect(listed.stdout).toContain('No hooks are configured.');
    const schema = await execa(command, ['schema'], { cwd: project });
    expect(JSON.parse(schema.stdout)).toHaveProperty('properties.hooks');
    const fired = await execa(command, ['fire', 'SessionEnd'], {
      cwd: project,
      input: '{"reason":"exit"}',
    });
    expect(JSON.parse(fired.stdout)).toMatchObject({ event: 'SessionEnd', hookCount: 0 });
  });
});
