import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, test } from 'vitest';
import '../build.ts';
import { packed } from './packed.ts';

const root = new URL('../..', import.meta.url).pathname;
const tool = (name: string): string => join(root, 'node_modules/.bin', name);
const { tarball, project } = packed ?? { tarball: '', project: '' };

test.skipIf(packed)(
  'the packed package is not checked here: npm run package does that',
  ({ skip }) => skip(),
);

test('the package installs only where the README says that it runs', () => {
  const { os, engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    readonly os: readonly string[];
    readonly engines: { readonly node: string };
  };
  const readme = readFileSync(join(root, 'README.md'), 'utf8');
  expect(readme).toContain('It requires Linux or macOS, and Node 20.19+ or 22.12+.');
  expect([os, engines.node]).toEqual([['darwin', 'linux'], '^20.19.0 || >=22.12.0']);
});

test('the package holds what a user needs, and is no larger than it has to be', async () => {
  const packing = ['pack', '--dry-run', '--json', '--ignore-scripts'];
  const { stdout } = await execa('npm', packing, { cwd: root });
  const [{ files, size }] = JSON.parse(stdout) as [
    { readonly files: readonly { readonly path: string }[]; readonly size: number },
  ];
  const paths = files.map(({ path }) => path);
  const kinds = [
    /^(?:package\.json|README\.md|LICENSE|CHANGELOG\.md|settings\.schema\.json)$/,
    /^dist\/(?:src|machines)\/.*\.(?:js|d\.ts)$/,
    /^dist\/hookmachine(?:\.cjs|-bundle\.js|\.1)?$/,
    /^dist\/help\/[a-z -]+\.txt$/,
    /^docs\/[\w-]+\.md$/,
    /^examples\/new-host\/\w+\.ts$/,
    /^machines\/[\w-]+\.ts$/,
    /^visualizations\/[\w-]+\.svg$/,
  ];
  expect(paths.filter((path) => !kinds.some((kind) => kind.test(path)))).toEqual([]);
  expect(paths.length).toBeLessThan(1_600);
  expect(size).toBeLessThan(2_300_000);
});

describe.runIf(packed)('the packed package', () => {
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
