import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, test } from 'vitest';
import { author, bundleIn, guardFiles } from '../support/bundle.ts';
import { hasEtcOfItsOwn } from '../support/hookmachine.ts';
import { inProcess } from '../support/in-process.ts';
import { main } from '../support/main.ts';
import { sandbox, type Sandbox } from '../support/sandbox.ts';
import { waitUntil } from '../support/until.ts';

const by = author();
const hasOpenSsh = spawnSync('ssh-keygen', ['-?']).error === undefined;

/** A user who trusts an author, whose folder is beside the project. */
function user(trusted = by.line) {
  const box = sandbox();
  const folder = join(box.home, '.hookmachine');
  const bundles = join(folder, 'bundles');
  mkdirSync(folder);
  writeFileSync(join(folder, 'allowed_signers'), trusted);
  const made = (version: string, files = guardFiles()) =>
    bundleIn(join(box.folder, 'author'), by, files, { version });
  const policy = (...args: readonly string[]) => inProcess(box, ['policy', ...args]);
  return { box, bundles, made, policy };
}

const secret = JSON.stringify({ tool_name: 'write_file', tool_input: { content: 'secret' } });
const fire = async (box: Sandbox) => {
  const { stdout, stderr, exitCode } = await inProcess(box, ['fire', 'BeforeTool'], secret);
  return { ...(JSON.parse(stdout) as { reason: string | null }), stderr, exitCode };
};

test.skipIf(!hasOpenSsh)(
  'an author signs and packs a bundle with an OpenSSH key, and a user who trusts that key adds it',
  async () => {
    const { box, policy } = user('');
    const folder = bundleIn(join(box.folder, 'author'), undefined);
    const key = join(box.folder, 'key');
    spawnSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', key]);
    expect(await policy('pack', folder)).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('is not signed; sign it first'),
    });
    const tested = await policy('test', folder, '--unsigned');
    expect([tested.exitCode, tested.stdout]).toEqual([
      0,
      expect.stringContaining('2 of its tests'),
    ]);
    const signed = await policy('sign', folder, '--key', key);
    expect(signed.stdout).toMatch(/^Signed guards 1\.0\.0 \(1 hook, 3 files\) with SHA256:/);
    const packed = join(box.project, 'guards-1.0.0.tgz');
    expect((await policy('pack', folder)).stdout).toBe(`${packed} was written.`);

    const line = signed.stdout.split('\n').at(-1)!.trim().replace('NAME', 'ann');
    const refused = await policy('add', packed);
    expect(refused).toMatchObject({ exitCode: 1, stdout: '' });
    expect(refused.stderr).toContain(
      `which is not trusted here; if you know whose it is, add a line to ${box.home}/.hookmachine/allowed_signers: NAME ${line.slice(4)}`,
    );
    writeFileSync(join(box.home, '.hookmachine', 'allowed_signers'), `${line}\n`);
    expect((await policy('verify', packed, folder)).stdout).toBe(
      '✓ guards 1.0.0  signed by ann\n✓ guards 1.0.0  signed by ann',
    );
    expect((await policy('add', packed)).stdout).toBe(
      `✓ guard.hooktest.yaml: denies\n✓ guard.hooktest.yaml: lets others go on\nAdded guards 1.0.0, signed by ann; 2 of its tests passed.`,
    );
    expect(await fire(box)).toMatchObject({ reason: 'Guarded.', exitCode: 2 });

    for (const [file, content, message] of [
      ['settings.json', '{"hooks":{"BeforeTol":[]}}', 'BeforeTol'],
      ['settings.json', '{"tools":{"enableHooks":true}}', 'so this was ignored'],
      ['settings.json', '{', 'not valid JSON'],
      ['bundle.json', '{"name":"x"}', '"version" is missing'],
      ['Settings.json', '{}', 'occurs twice'],
    ] as const) {
      bundleIn(folder, undefined, { ...guardFiles(), [file]: content });
      expect(await policy('sign', folder, '--key', key)).toMatchObject({
        exitCode: 1,
        stderr: expect.stringContaining(message),
      });
      if (file === 'Settings.json') rmSync(join(folder, file));
    }
    bundleIn(folder, undefined);
    expect(await policy('sign', folder, '--key', join(box.folder, 'none'))).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('cannot be signed: '),
    });
  },
);

test('an update replaces a bundle once its own tests pass, and whatever fails leaves the old one', async () => {
  const { box, bundles, made, policy } = user();
  const from = made('1.0.0');
  expect((await policy('add', from)).exitCode).toBe(0);
  expect((await policy('update')).stdout).toBe(
    'guards 1.0.0 is installed, and there is no newer one.',
  );
  const before = readdirSync(bundles);
  const guard = guardFiles()['guard.sh']!;
  const failing = made('1.1.0', { ...guardFiles(), 'guard.sh': '#!/bin/sh\nexit 0\n' });
  const failed = await policy('update');
  expect(failed).toMatchObject({ exitCode: 1 });
  expect(failed.stdout).toContain('✗ guard.hooktest.yaml: denies');
  expect(failed.stderr).toContain(
    'the bundle "guards" fails 1 of its own tests, so it was not installed, and 1.0.0 stays',
  );
  expect((await policy('test', failing)).exitCode).toBe(1);
  expect(readdirSync(bundles)).toEqual(before);
  expect((await fire(box)).reason).toBe('Guarded.');

  made('1.2.0', { ...guardFiles(), 'guard.sh': guard.replace('Guarded.', 'Guarded anew.') });
  appendFileSync(join(from, 'guard.sh'), '#');
  expect((await policy('update', 'guards')).stderr).toContain('was changed after it was signed');
  made('1.2.0', { ...guardFiles(), 'guard.sh': guard.replace('Guarded.', 'Guarded anew.') });
  expect((await policy('update')).stdout).toContain('Updated from 1.0.0: guards 1.2.0, signed by');
  expect((await fire(box)).reason).toBe('Guarded anew.');

  made('1.1.0');
  expect(await policy('update')).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining('is version 1.1.0, which is lower than the installed 1.2.0'),
  });
  expect((await policy('update', '--to-lower')).exitCode).toBe(0);
  rmSync(from, { recursive: true });
  expect(await policy('update')).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining('cannot be read (ENOENT)'),
  });
  expect(await policy('update', 'others')).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining('the bundle "others" is not installed'),
  });
  expect((await fire(box)).reason).toBe('Guarded.');
  expect((await policy('remove', 'guards')).stdout).toBe('Removed guards.');
  expect((await policy('list')).stdout).toBe('No bundle is installed.');
  expect(await fire(box)).toMatchObject({ reason: null, stderr: '', exitCode: 0 });
});

test('list, check, policy list and verify say which bundles there are, and which of them do not run', async () => {
  const { box, bundles, made, policy } = user();
  await policy('add', made('1.0.0'));
  const folder = join(
    bundles,
    readdirSync(bundles).find((name) => name.startsWith('guards'))!,
  );
  const shown = `guards 1.0.0 (user)
  signed by  security@acme.example
  from       ${join(box.folder, 'author')}
  folder     ${folder}
  verified   its hooks run`;
  expect((await policy('list')).stdout).toBe(shown);
  const listed = (await inProcess(box, ['list'])).stdout;
  expect(listed).toContain('bundle   guards 1.0.0, signed by security@acme.example');
  expect(listed).toContain(`Bundles\n${shown.replaceAll(/^/gm, '  ')}`);
  expect(await inProcess(box, ['check'])).toMatchObject({ exitCode: 0 });
  expect(JSON.parse((await policy('list', '--json')).stdout)).toEqual({
    bundles: [
      {
        name: 'guards',
        level: 'user',
        version: '1.0.0',
        signer: 'security@acme.example',
        from: join(box.folder, 'author'),
        folder,
        runs: true,
      },
    ],
    problems: [],
  });

  appendFileSync(join(folder, 'guard.sh'), '#');
  const why = 'was changed after it was signed: guard.sh is different';
  expect((await policy('list')).stdout).toContain(`  not run    it ${why}; get it again`);
  expect((await inProcess(box, ['list'])).stdout).toContain(
    `Problems\n  ${folder}: the bundle guards ${why}, so its hooks do not run, and what they guard is denied; get it again, from its author or with hookmachine policy update`,
  );
  expect(await inProcess(box, ['check'])).toMatchObject({
    exitCode: 1,
    stdout: expect.stringContaining(why),
  });
  expect(await policy('verify')).toMatchObject({
    exitCode: 1,
    stdout: `✗ guards ${why}; get it again, from its author or with hookmachine policy update`,
  });
  const verified = await policy('verify', '--json');
  expect([verified.exitCode, JSON.parse(verified.stdout)]).toEqual([1, [{ bundle: 'guards', problem: expect.stringContaining(why) }]]); // prettier-ignore
  expect(await policy('test', 'guards')).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining(why),
  });
  expect(await fire(box)).toMatchObject({
    reason: expect.stringContaining(why),
    stderr: expect.stringContaining(why),
  });
  // An update reads the source again, and repairs what is installed.
  expect((await policy('update')).stdout).toContain('Reinstalled: guards 1.0.0');
  expect((await policy('verify', 'guards')).stdout).toBe(
    '✓ guards 1.0.0  signed by security@acme.example',
  );
  expect(JSON.parse((await policy('verify', '--json')).stdout)).toEqual([
    { bundle: 'guards', version: '1.0.0', signer: 'security@acme.example' },
  ]);
  expect(JSON.parse((await policy('test', 'guards', '--json')).stdout)).toMatchObject([
    { file: 'guard.hooktest.yaml', name: 'denies', lines: [] },
    { name: 'lets others go on', lines: [] },
  ]);
});

test('the tests of a bundle run only its own hooks, in an empty project, and may name one of them', async () => {
  const { box, made, policy } = user();
  box.write(box.own.user, {
    hooks: { BeforeTool: [{ hooks: [{ type: 'command', command: 'exit 2' }] }] },
  });
  const input =
    'event: BeforeTool\n    input: { tool_name: write_file, tool_input: { content: secret } }';
  const from = made('1.0.0', {
    'settings.json': JSON.stringify({
      hooks: {
        BeforeTool: [
          {
            hooks: [
              { type: 'command', name: 'one', command: 'ls -A | grep . && exit 2; exit 0' },
              { type: 'command', name: 'two', command: '"$bundlePath/two.sh"' },
            ],
          },
        ],
      },
    }),
    'two.sh': '#!/bin/sh\necho Two. >&2; exit 2\n',
    'tests/a.hooktest.yaml': `tests:
  - name: all
    ${input}
    expect: { decision: deny, reason: /^Two\\.$/ }
  - name: one alone
    hook: one
    ${input}
    expect: { decision: none }
  - name: a script
    hook: ../two.sh
    ${input}
    expect: { decision: deny, reason: Two }
  - name: none of that name
    hook: three
    ${input}
    expect: { decision: deny }
`,
  });
  const { stdout, exitCode } = await policy('test', from);
  expect(exitCode).toBe(1);
  expect(stdout.split('\n').filter((line) => /^[✓✗\d]/.test(line))).toEqual([
    '✓ tests/a.hooktest.yaml: all',
    '✓ tests/a.hooktest.yaml: one alone',
    '✓ tests/a.hooktest.yaml: a script',
    '✗ tests/a.hooktest.yaml: none of that name',
    '3 passed, 1 failed',
  ]);
  expect(stdout).toContain('no hook ran');
});

test('two updates at once both succeed, and one of them does the work', async () => {
  const { box, made, policy } = user();
  await policy('add', made('1.0.0'));
  made('2.0.0');
  const options = { cwd: box.project, env: box.env };
  const both = await Promise.all(
    [1, 2].map(() => execa('node', [main, 'policy', 'update'], options)),
  );
  const said = both.map(({ stdout }) => stdout.split('\n').at(-1));
  expect(said).toContain(
    'Updated from 1.0.0: guards 2.0.0, signed by security@acme.example; 2 of its tests passed.',
  );
  expect((await policy('verify')).stdout).toContain('✓ guards 2.0.0');
});

test('an update that is killed while its tests run leaves the old version, and nothing of the new one runs', async () => {
  const { box, bundles, made, policy } = user();
  await policy('add', made('1.0.0'));
  const started = join(box.folder, 'started');
  made('2.0.0', {
    ...guardFiles(),
    'guard.sh': `#!/bin/sh\necho > "${started}"; sleep 60\n`,
  });
  const update = execa('node', [main, 'policy', 'update'], {
    cwd: box.project,
    env: box.env,
    reject: false,
  });
  await waitUntil(() => existsSync(started));
  update.kill('SIGKILL');
  expect(await update).toMatchObject({ signal: 'SIGKILL' });
  expect((await policy('list')).stdout).toContain('guards 1.0.0 (user)');
  expect((await fire(box)).reason).toBe('Guarded.');
  made('2.1.0');
  expect((await policy('update')).exitCode).toBe(0);
  expect(existsSync(join(bundles, '.lock'))).toBe(false);
});

describe.skipIf(!hasEtcOfItsOwn)('on a machine with a disk and settings of its own', () => {
  test('policy add leaves nothing behind on a full disk, and says so', async () => {
    const { box, bundles, made } = user();
    const from = made('1.0.0', { ...guardFiles(), 'large.txt': 'x'.repeat(200_000) });
    mkdirSync(bundles);
    const script =
      'mount -t tmpfs -o size=100k none "$2"; node "$0" policy add "$1"; status=$?; ls -A "$2"; exit $status';
    const { exitCode, stdout, stderr } = await execa(
      'unshare',
      [
        ...(process.getuid?.() === 0 ? [] : ['--map-root-user']),
        '--mount',
        'sh',
        '-c',
        script,
        main,
        from,
        bundles,
      ],
      { cwd: box.project, env: box.env, reject: false },
    );
    expect([exitCode, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/cannot be written \(ENOSPC\)$/);
  });

  test('list shows what the administrator manages, and bundles that are missing', async () => {
    const { box } = user();
    const signer = 'security@acme.example';
    box.write(box.own.system, {
      managed: { forbid: ['--trust', '--no-hooks'], bundles: [{ name: 'guards', signer }] },
    });
    const { stdout } = await inProcess(box, ['list']);
    expect(stdout).toContain(`Bundles
  guards (system)
    required   by managed.bundles
    not run    it is not installed; install "guards" by ${signer} for this machine: hookmachine policy add --system

Managed
  /etc/hookmachine/settings.json
    forbid            --trust, --no-hooks
    bundles           [{"name":"guards","signer":"${signer}"}]

Problems
  /etc/hookmachine/bundles: the bundle guards is not installed, so its hooks do not run;`);
  });
});

test('policy add reports in one line what cannot be written', async () => {
  const { box, made, policy } = user();
  const from = made('1.0.0');
  rmSync(join(box.home, '.hookmachine', 'bundles'), { recursive: true, force: true });
  writeFileSync(join(box.home, '.hookmachine', 'bundles'), '');
  expect(await policy('add', from)).toMatchObject({
    exitCode: 1,
    stderr: expect.stringMatching(
      /\.hookmachine\/bundles cannot be written \(E(?:EXIST|NOTDIR)\)$/,
    ),
  });
});

test('a bundle may hold policies, which are tested, and judge as long as they are as they were signed', async () => {
  const { box, made, policy, bundles } = user();
  const folder = made('1.0.0', {
    'settings.json': JSON.stringify({
      hooks: {
        'tool.before': [{ hooks: [{ type: 'cedar', name: 'rules', policies: 'policies' }] }],
      },
    }),
    'policies/rules.cedar':
      '@id("no-secret") @reason("Not this.") forbid(principal, action == Action::"call_tool", resource) when { resource.hasTag("content") && resource.getTag("content") like "*secret*" };',
    'rules.hooktest.yaml': `tests:
  - name: denies
    event: BeforeTool
    input: { tool_name: write_file, tool_input: { file_path: a, content: secret } }
    expect: { decision: deny, reason: rules.cedar#no-secret }
`,
  });
  const added = await policy('add', folder);
  expect(added.stdout).toContain('Added guards 1.0.0');
  expect(await fire(box)).toMatchObject({
    reason: '`write_file`: Not this. [rules.cedar#no-secret]',
    exitCode: 2,
  });
  const [installed = ''] = readdirSync(bundles).filter((name) => name.startsWith('guards'));
  const file = join(bundles, installed, 'policies/rules.cedar');
  chmodSync(file, 0o600);
  writeFileSync(file, 'permit(principal, action, resource);');
  expect(await fire(box)).toMatchObject({ exitCode: 2 });
  expect((await fire(box)).reason).not.toContain('no-secret');
});
