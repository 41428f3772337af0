import {
  appendFileSync,
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { execFileSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, test } from 'vitest';
import { executeToolWithHooks } from '../../src/core/calls/run-tool-call.ts';
import { readFolder } from '../../src/settings/bundles/files.ts';
import { install, remove } from '../../src/settings/bundles/install.ts';
import { folderOf, readIndex } from '../../src/settings/bundles/installed.ts';
import { lookAtBundles } from '../../src/settings/bundles/look-at-bundles.ts';
import { readSigners } from '../../src/settings/bundles/signers.ts';
import { verifyBundle } from '../../src/settings/bundles/verify.ts';
import { presentDialects } from '../../src/hosts/all/known.ts';
import { createConfig, type CreateConfigOptions } from '../../src/hosts/system/create-config.ts';
import { bundlePlaces } from '../../src/settings/files/levels.ts';
import { author, bundleIn, guardFiles, signIn } from '../support/bundle.ts';
import { sandbox, type Sandbox } from '../support/sandbox.ts';
import { waitUntil } from '../support/until.ts';

type Level = 'user' | 'system';

const passes = (): Promise<void> => Promise.resolve();

/** A machine on which a bundle of guards is installed at a level. */
async function machine(level: Level, files = guardFiles(), about: object = {}) {
  const box = sandbox();
  const place = bundlePlaces(box.systemFolder).find(({ source }) => source === level)!;
  const by = author();
  mkdirSync(join(place.folder, '..'), { recursive: true });
  writeFileSync(place.signers, by.line);
  const from = bundleIn(join(box.folder, 'author'), by, files, about);
  const add = (folder = from) => {
    const read = readFolder(folder);
    const verified = verifyBundle(read, readSigners(place.trusts), place.signers);
    return install(place, { ...verified, files: read, from: folder }, { tryOut: passes });
  };
  await add();
  const folder = folderOf(place, readIndex(place).get('guards')!);
  return { box, by, place, from, folder, add, at: (name: string) => join(folder, name) };
}

/**
 * Writes with a tool in a separate agent. Returns whether the tool ran, what the model reads, and the
 * warnings to the user.
 */
async function call(box: Sandbox, options: Partial<CreateConfigOptions> = {}) {
  const warnings: string[] = [];
  const config = createConfig({
    cwd: box.project,
    systemFolder: box.systemFolder,
    dialects: presentDialects,
    isTrustedFolder: () => true,
    onWarning: (line) => warnings.push(line),
    ...options,
  });
  const write = async () => {
    let ran = false;
    const { llmContent } = await executeToolWithHooks(
      config,
      'write_file',
      { content: 'secret' },
      () => {
        ran = true;
        return Promise.resolve({ llmContent: 'done', returnDisplay: 'done' });
      },
    );
    return { ran, said: JSON.stringify(llmContent), warnings };
  };
  const came = await write();
  return { ...came, again: write, end: () => config.getHookSystem()?.dispose() };
}

test.each<Level>(['user', 'system'])(
  'hooks of a bundle at the level of the %s have its authority',
  async (level) => {
    const { box, by } = await machine(level);
    expect(await call(box)).toMatchObject({ ran: false, warnings: [] });
    // The administrator's signers may sign for users too, but not the other way round.
    const [user, system] = ['user', 'system'].map(
      (source) => bundlePlaces(box.systemFolder).find((one) => one.source === source)!.signers,
    );
    rmSync(user!, { force: true });
    mkdirSync(dirname(system!), { recursive: true });
    writeFileSync(system!, by.line);
    expect(await call(box)).toMatchObject({ ran: false, warnings: [] });
    rmSync(system!);
    mkdirSync(dirname(user!), { recursive: true });
    writeFileSync(user!, by.line);
    const { ran, said } = await call(box);
    expect([ran, said.includes('Guarded.')]).toEqual([false, level === 'user']);
    writeFileSync(system!, by.line);

    const off = { hooksConfig: { enabled: false, disabled: ['guard'] } };
    box.write(box.own.project, off);
    expect((await call(box)).ran).toBe(false);
    box.write(box.own.user, off);
    const isUsers = level === 'user';
    expect((await call(box)).ran).toBe(isUsers);
    rmSync(box.own.user);
    box.write(box.own.system, { managed: { onlyManagedHooks: true } });
    const managed = await call(box);
    expect(managed.ran).toBe(isUsers);
    if (isUsers) expect(managed.warnings.join()).toContain('bundles');
    expect((await call(box, { enableHooks: 'system' })).ran).toBe(isUsers);
  },
);

type Machine = Awaited<ReturnType<typeof machine>>;

interface Guards {
  readonly hooks: { readonly 'tool.before': readonly object[] };
}

const changes: Record<string, readonly [(box: Machine) => void, said: string]> = {
  'a script that was changed': [
    ({ at }) => appendFileSync(at('guard.sh'), '#'),
    'guard.sh is different',
  ],
  'a script that lets everything pass': [
    ({ at }) => writeFileSync(at('guard.sh'), '#!/bin/sh\nexit 0\n'),
    'guard.sh is different',
  ],
  'a script that is gone': [({ at }) => rmSync(at('guard.sh')), 'guard.sh is gone'],
  'a script that is no longer executable': [
    ({ at }) => chmodSync(at('guard.sh'), 0o644),
    'no longer a program',
  ],
  'a test that has become executable': [
    ({ at }) => chmodSync(at('guard.hooktest.yaml'), 0o755),
    'now a program',
  ],
  'a file that was added': [({ at }) => writeFileSync(at('json.py'), ''), '"json.py" was added'],
  'a hidden file that was added': [({ at }) => writeFileSync(at('.env'), ''), '".env" was added'],
  'settings that were changed': [
    ({ at }) => writeFileSync(at('settings.json'), '{}'),
    'settings.json is different',
  ],
  'a manifest that was changed': [
    ({ at }) => {
      const text = readFileSync(at('bundle.json'), 'utf8');
      writeFileSync(at('bundle.json'), text.replace('1.0.0', '9.0.0'));
    },
    'its signature does not match its manifest',
  ],
  'no signature': [({ at }) => rmSync(at('bundle.json.sig')), 'is not signed'],
  'an invalid signature': [({ at }) => writeFileSync(at('bundle.json.sig'), 'x'), 'cannot be read'],
  'a signature of somebody else': [
    ({ folder }) => signIn(folder, author('mallory')),
    'which is not trusted here',
  ],
  'files and a manifest of somebody else': [
    ({ folder }) => {
      rmSync(folder, { recursive: true });
      bundleIn(folder, author('mallory'), { 'settings.json': '{"hooks":{}}' });
    },
    'which is not trusted here',
  ],
  'another version that the same author signed': [
    ({ folder, by }) => bundleIn(folder, by, guardFiles(), { version: '0.9.0' }),
    'is not what was installed, but guards 0.9.0',
  ],
  'a required version that does not exist yet': [
    ({ folder, by }) => void bundleIn(folder, by, guardFiles(), { requireVersion: '99.0.0' }),
    'requires hookmachine 99.0.0',
  ],
  'a signer who is no longer trusted': [
    ({ place }) => writeFileSync(place.signers, ''),
    'is not trusted',
  ],
  'a list of signers that others can write': [
    ({ place }) => chmodSync(place.signers, 0o666),
    'so nobody in it is trusted',
  ],
  'a link in place of a script': [
    ({ at, from }) => {
      rmSync(at('guard.sh'));
      symlinkSync(join(from, 'guard.sh'), at('guard.sh'));
    },
    'is a link or something else',
  ],
  'a link in place of its folder': [
    ({ folder, box }) => {
      renameSync(folder, join(box.folder, 'elsewhere'));
      symlinkSync(join(box.folder, 'elsewhere'), folder);
    },
    'is a link or something else',
  ],
  'a script that others can write': [
    ({ at }) => chmodSync(at('guard.sh'), 0o757),
    'can be written by others (guard.sh)',
  ],
  'a folder that others can write': [
    ({ folder }) => chmodSync(folder, 0o775),
    'can be written by others',
  ],
  'no folder': [({ folder }) => rmSync(folder, { recursive: true }), 'cannot be read (ENOENT)'],
  'an invalid list of bundles': [
    ({ place }) => writeFileSync(place.index, '{'),
    'is not a list of bundles',
  ],
  'a list of bundles that leads elsewhere': [
    ({ place }) => {
      const text = readFileSync(place.index, 'utf8');
      writeFileSync(place.index, text.replace('1.0.0', '../..'));
    },
    'is not a list of bundles',
  ],
  'a list of bundles that is a folder': [
    ({ place }) => {
      rmSync(place.index);
      mkdirSync(place.index);
    },
    'is not a file',
  ],
  'a list of bundles that others can write': [
    ({ place }) => chmodSync(place.index, 0o666),
    'can be written by others',
  ],
  'a folder of bundles that a group can write': [
    ({ place }) => chmodSync(place.folder, 0o775),
    'can be written by others',
  ],
  'a folder around all bundles that a group can write': [
    ({ place }) => chmodSync(dirname(place.folder), 0o775),
    'can be written by others',
  ],
  'a truncated signature': [({ at }) => truncateSync(at('bundle.json.sig'), 100), 'cannot be read'],
  'a truncated manifest': [
    ({ at }) => truncateSync(at('bundle.json'), 20),
    'its signature does not match its manifest',
  ],
  'no manifest': [({ at }) => rmSync(at('bundle.json')), 'it has no bundle.json'],
  'a pipe in place of a script': [
    ({ at }) => {
      rmSync(at('guard.sh'));
      execFileSync('mkfifo', [at('guard.sh')]);
    },
    'is a link or something else',
  ],
  'a pipe in place of the list of bundles': [
    ({ place }) => {
      rmSync(place.index);
      execFileSync('mkfifo', [place.index]);
    },
    'is not a file',
  ],
  'a key that has expired': [
    ({ place, by }) =>
      writeFileSync(place.signers, by.line.replace(' ', ' valid-before="20200101" ')),
    'whose key is not valid at this time',
  ],
  'no list of signers': [({ place }) => rmSync(place.signers), 'is not trusted'],
  'another name of its folder': [
    ({ folder }) => renameSync(folder, `${folder}0`),
    'cannot be read (ENOENT)',
  ],
  'an older version in the place of its folder': [
    ({ folder, by }) => {
      rmSync(folder, { recursive: true });
      bundleIn(folder, by, { 'settings.json': '{"hooks":{}}' }, { version: '0.9.0' });
    },
    'is not what was installed, but guards 0.9.0',
  ],
  'no entry in the list of bundles': [
    ({ place }) => writeFileSync(place.index, '{"bundles":{}}'),
    'is not in the list of installed bundles',
  ],
  'no list of bundles': [
    ({ place }) => rmSync(place.index),
    'is not in the list of installed bundles',
  ],
  'a broken link in place of the folder of bundles': [
    ({ place }) => {
      rmSync(place.folder, { recursive: true });
      symlinkSync('/proc/nowhere', place.folder);
    },
    'is in a folder that is a broken link',
  ],
  'a changed script and no record of what it guards': [
    ({ at, place }) => {
      writeFileSync(at('guard.sh'), '');
      recorded(place, undefined);
    },
    'guard.sh is different',
  ],
  'a changed script and a damaged record of what it guards': [
    ({ at, place }) => {
      writeFileSync(at('guard.sh'), '');
      recorded(place, [{ event: 'SessionEnd' }]);
    },
    'guard.sh is different',
  ],
};

/** Replaces what is recorded about what the bundle guards. */
function recorded({ index }: Machine['place'], guards: unknown): void {
  const { bundles } = JSON.parse(readFileSync(index, 'utf8')) as { bundles: { guards: object } };
  writeFileSync(index, JSON.stringify({ bundles: { guards: { ...bundles.guards, guards } } }));
}

const about = (warnings: readonly string[], said: string): readonly string[] =>
  warnings.filter((line) => line.includes(said) && !line.includes('failed and blocks'));

describe.each<Level>(['user', 'system'])('a changed bundle at the level of the %s', (level) => {
  test.each(Object.entries(changes))(
    'no hook of a bundle with %s runs, which is reported once and denies what it guards',
    async (_, [change, said]) => {
      const made = await machine(level);
      change(made);
      const session = await call(made.box);
      expect(session.ran).toBe(false);
      expect(session.said).not.toContain('Guarded.');
      expect(about(session.warnings, said)).toHaveLength(1);
      expect((await session.again()).ran).toBe(false);
      expect(about(session.warnings, said)).toHaveLength(1);
      session.end();
    },
  );

  test.each<[string, object, boolean]>([
    ['tools that its matcher matches', { matcher: 'write_file' }, false],
    ['no other tools', { matcher: 'read_file' }, true],
  ])('a changed bundle denies %s', async (_, more, runs) => {
    const settings = JSON.parse(guardFiles()['settings.json']!) as Guards;
    Object.assign(settings.hooks['tool.before'][0]!, more);
    const { box, at } = await machine(level, {
      ...guardFiles(),
      'settings.json': JSON.stringify(settings),
    });
    writeFileSync(at('guard.sh'), '');
    expect((await call(box)).ran).toBe(runs);
  });

  test('a changed bundle denies nothing if its author let calls go on, unless failures deny', async () => {
    const { box, at } = await machine(level, guardFiles({ onFailure: 'allow' }));
    writeFileSync(at('guard.sh'), '');
    expect((await call(box)).ran).toBe(true);
    box.write(level === 'user' ? box.own.user : box.own.system, { defaultOnFailure: 'block' });
    expect((await call(box)).ran).toBe(false);
  });

  test('a bundle that is changed after it was found denies what it guards', async () => {
    const { box, at } = await machine(level);
    const session = await call(box);
    expect(session.said).toContain('Guarded.');
    writeFileSync(at('guard.sh'), '#!/bin/sh\nexit 0\n');
    const changed = await session.again();
    expect([changed.ran, changed.said.includes('Guarded.')]).toEqual([false, false]);
    session.end();
  });
});

test('a session that watches its settings runs an update from the next event on, and no longer runs a removed bundle', async () => {
  const { add, box, by, from, place } = await machine('user');
  const session = await call(box, { watch: true });
  expect(session.said).toContain('Guarded.');
  const guard = guardFiles()['guard.sh']!.replace('Guarded.', 'Guarded anew.');
  bundleIn(from, by, { ...guardFiles(), 'guard.sh': guard }, { version: '1.1.0' });
  await add();
  await waitUntil(async () => (await session.again()).said.includes('Guarded anew.'));
  expect(session.warnings).toEqual([]);
  remove(place, 'guards');
  await waitUntil(async () => (await session.again()).ran);
  session.end();
});

test('a bundle that the list lost still denies when another one is added, until it is added again', async () => {
  const { add, box, by, place } = await machine('user');
  writeFileSync(place.index, '{"bundles":{}}');
  await add(bundleIn(join(box.folder, 'other'), by, guardFiles(), { name: 'others' }));
  expect((await call(box)).said).toContain('guards is not in the list of installed bundles');
  await add();
  expect(await call(box)).toMatchObject({ ran: false, warnings: [] });
});

test('an event while a bundle is being installed waits for the list to name it', async () => {
  const { box, place } = await machine('user');
  const later = `${place.index}.later`;
  renameSync(place.index, later);
  const lock = join(place.folder, '.lock');
  writeFileSync(lock, '');
  const installing = execa('sh', ['-c', 'sleep 0.3; mv "$1" "$2"; rm "$3"', 'sh', later, place.index, lock]); // prettier-ignore
  expect(lookAtBundles(bundlePlaces(box.systemFolder)).states).toMatchObject([
    { name: 'guards', verified: {} },
  ]);
  await installing;
});

test('a hook that runs while its bundle is updated goes on with its own files, and the next event takes the new ones', async () => {
  const waits = '#!/bin/sh\ntouch started; until [ -e go ]; do sleep 0.02; done\n';
  const files = (text: string) => ({
    ...guardFiles(),
    'guard.sh': `${waits}cat "$bundlePath/text" >&2; exit 2\n`,
    text,
  });
  const { add, box, by, from } = await machine('user', files('old'));
  const running = call(box);
  await waitUntil(() => existsSync(join(box.project, 'started')));
  bundleIn(from, by, files('new'), { version: '1.1.0' });
  await add();
  writeFileSync(join(box.project, 'go'), '');
  expect(await running).toMatchObject({ ran: false, said: expect.stringContaining('old') });
  expect(await call(box)).toMatchObject({ ran: false, said: expect.stringContaining('new') });
});

test.skipIf(process.getuid?.() !== 0)(
  'a bundle in the hands of another user does not run',
  async () => {
    const { at, box } = await machine('user');
    chownSync(at('guard.sh'), 12_345, 12_345);
    const { ran, warnings } = await call(box);
    expect([ran, warnings.join()]).toEqual([false, expect.stringContaining('uid 12345')]);
  },
);

test('a guard whose failure denies does so if its bundle was changed, before or after it was found', async () => {
  const { at, box, folder, from, add } = await machine('user', guardFiles({ onFailure: 'block' }));
  const session = await call(box);
  expect(session.said).toContain('Guarded.');
  appendFileSync(at('guard.sh'), '#');
  const changed = await session.again();
  expect(changed).toMatchObject({
    ran: false,
    said: expect.stringContaining('its bundle is not as it was signed'),
  });
  expect(changed.warnings.join()).toContain(
    'hook "guard" (tool.before) may not run, so it blocks: its bundle guards was changed after it was signed: guard.sh is different; get it again, from its author or with hookmachine policy update',
  );
  expect(await call(box)).toMatchObject({ ran: false });
  // Installing the same bundle again repairs it, even for sessions that already run it.
  expect(await add(from)).toMatchObject({ isSame: false });
  expect(existsSync(folder)).toBe(true);
  expect(await session.again()).toMatchObject({
    ran: false,
    said: expect.stringContaining('Guarded.'),
  });
});

describe('managed.bundles', () => {
  const demand = { name: 'guards', signer: 'security@acme.example' };
  const demanding = (box: Sandbox, more: object = {}, managed: object = {}) =>
    void box.write(box.own.system, { managed: { bundles: [{ ...demand, ...more }], ...managed } });

  test('managed.bundles is met by a system bundle of that signer with that version or a higher one', async () => {
    const { box } = await machine('system');
    demanding(box, { version: '1.0.0', onFailure: 'block' });
    expect(await call(box)).toMatchObject({
      said: expect.stringContaining('Guarded.'),
      warnings: [],
    });
  });

  test.each<[string, object, Level | undefined, string]>([
    ['a missing bundle', {}, undefined, 'is not installed'],
    ['a bundle that only a user has', {}, 'user', 'is not installed'],
    ['a bundle of another signer', { signer: 'bob' }, 'system', 'requires bob'],
    ['a bundle that is too old', { version: '1.0.1' }, 'system', 'is lower than 1.0.1'],
  ])('managed.bundles reports %s, and denies if told to', async (_, more, level, said) => {
    const box = level ? (await machine(level)).box : sandbox();
    demanding(box, more);
    const told = await call(box);
    expect(about(told.warnings, said)).toHaveLength(1);
    // A user's own guard runs whatever is required, and what is installed guards even if it is the wrong one.
    expect(told.ran).toBe(level === undefined);
    for (const [own, managed] of [
      [{ onFailure: 'block' }, {}],
      [{}, { defaultOnFailure: 'block' }],
    ]) {
      demanding(box, { ...more, ...own }, managed);
      const { ran, said: reason } = await call(box);
      expect([ran, reason]).toEqual([false, expect.stringContaining(said)]);
    }
    // The entry's own `onFailure` takes precedence over the default, and no file takes back what another one
    // says.
    demanding(box, { ...more, onFailure: 'allow' }, { defaultOnFailure: 'block' });
    expect((await call(box)).said).not.toContain(said);
    const other = { ...demand, ...more, onFailure: 'block' };
    box.write(join(box.systemFolder, 'hookmachine/settings.d/1.json'), {
      managed: { bundles: [other] },
    });
    expect(await call(box)).toMatchObject({ ran: false, said: expect.stringContaining(said) });
  });

  test.each([
    'guards',
    {},
    ['guards'],
    [{ name: 'guards' }],
    [{ ...demand, version: '1' }],
    [{ ...demand, onFailure: 'deny' }],
  ])('managed.bundles denies if it cannot be understood: %j', async (bundles) => {
    const box = sandbox();
    box.write(box.own.system, { managed: { bundles } });
    const { ran, said } = await call(box);
    expect([ran, said]).toEqual([false, expect.stringContaining('managed.bundles')]);
  });
});

test('settings of a bundle other than hooks are ignored and reported', async () => {
  const { box } = await machine('user', {
    ...guardFiles(),
    'settings.json': JSON.stringify({
      hooksConfig: { enabled: false },
      enableHooks: false,
      managed: { audit: true },
      hooks: {
        disabled: ['x'],
        'tool.before': [{ hooks: [{ type: 'command', command: 'exit 2' }] }],
      },
    }),
  });
  const { ran, warnings } = await call(box);
  expect(ran).toBe(false);
  expect(warnings.map((line) => /settings\.json:\S+ (\S+):/.exec(line)?.[1])).toEqual([
    'hooksConfig',
    'enableHooks',
    'managed',
    'hooks.disabled',
  ]);
});

test('bundled hooks of every kind find their files, and the folder is in no command line', async () => {
  const say = 'export default () => ({ decision: "deny", reason: "by module" });';
  const kinds: Record<string, object> = {
    'by shell': { type: 'command', command: '"$bundlePath/deny.sh" "by shell"' },
    'by program': { type: 'command', command: '${bundlePath}/deny.sh', args: ['by program', 'x'] },
    'by arguments': {
      type: 'command',
      command: 'sh',
      args: ['${bundlePath}/deny.sh', 'by arguments'],
    },
    'by module': { type: 'module', module: '$bundlePath/deny.mjs' },
  };
  const { box } = await machine('user', {
    'settings.json': JSON.stringify({
      hooks: { 'tool.before': [{ hooks: Object.values(kinds) }] },
    }),
    'deny.sh': '#!/bin/sh\necho "$1" >&2; exit 2\n',
    'deny.mjs': say,
  });
  const { said, end } = await call(box);
  for (const name of Object.keys(kinds)) expect(said).toContain(name);
  end();
});
