import { createHash } from 'node:crypto';
import { appendFileSync, chmodSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { hookmachine } from '../support/hookmachine.ts';
import { sandbox, type Sandbox } from '../support/sandbox.ts';

const hook = (command: string, more: object = {}) => ({ type: 'command', command, ...more });
const guardScript = '#!/bin/sh\necho no >&2; exit 2\n';
const guard = hook('./guard.sh', { name: 'guard' });

/** Settings of BeforeTool hooks. */
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
  return { ...box, env, script, trustFile: join(box.home, '.llxprt', 'hookmachine-trust.json') };
}

const sha256 = createHash('sha256').update(guardScript).digest('hex');
/** A session in which the model writes a file. */
const script = `
- calls: [{ name: write_file, args: { file_path: b.txt, content: hello } }]
- text: Done.
`;
const event = JSON.stringify({ tool_name: 'write_file', tool_input: {} });

/** Fires BeforeTool: what came of it, and what was said. */
async function fire(box: Pick<Sandbox, 'project' | 'env'>, ...options: string[]) {
  const { stdout, stderr } = await hookmachine(box, ['fire', 'BeforeTool', ...options], event);
  const { hookCount, blocked } = JSON.parse(stdout) as { hookCount: number; blocked: boolean };
  return { hookCount, blocked, warnings: stderr === '' ? [] : stderr.split('\n') };
}

const trust = (box: Pick<Sandbox, 'project' | 'env'>, ...options: string[]) =>
  hookmachine(box, ['trust', ...options]);

const allowIt = 'look at what it runs, then allow it: hookmachine trust';
const skipped = (why: string, more = '') => ({
  hookCount: 0,
  blocked: false,
  warnings: [`hookmachine: hook "guard" (BeforeTool) was skipped: ${why}; ${allowIt}${more}`],
});
const denied = { hookCount: 1, blocked: true, warnings: [] };
const untrusted = 'this folder is not trusted';
const changed = 'its script "guard.sh" has changed since you trusted it';

describe('a project that the user has not trusted', () => {
  test('has no hook run by fire, tool or run, and each is told (C-104)', async () => {
    const box = guarded(hook('./guard.sh; touch ran', { name: 'guard' }));
    expect(await fire(box)).toEqual(skipped(untrusted));
    const input = JSON.stringify({ file_path: 'a.txt', content: 'hello' });
    const tool = await hookmachine(box, ['tool', 'write_file', '--input', input]);
    expect([tool.exitCode, tool.stderr]).toEqual([0, skipped(untrusted).warnings[0]]);
    const model = box.write('session.yaml', script);
    const run = await hookmachine(box, ['run', 'Hi', '--model', `scripted:${model}`]);
    expect([run.exitCode, run.stderr]).toEqual([0, skipped(untrusted).warnings[0]]);
    expect(() => readFileSync(join(box.project, 'ran'))).toThrow('ENOENT');
  });

  test('has them run with --trust, by fire, tool and run', async () => {
    const box = guarded();
    expect(await fire(box, '--trust')).toEqual(denied);
    const input = JSON.stringify({ file_path: 'a.txt', content: 'hello' });
    const tool = await hookmachine(box, ['tool', 'write_file', '--input', input, '--trust']);
    expect([tool.exitCode, tool.stderr]).toEqual([2, '']);
    const model = box.write('session.yaml', script);
    const run = await hookmachine(box, ['run', 'Hi', '--model', `scripted:${model}`, '--trust']);
    expect(run.stderr).toBe('');
    expect(run.stdout).toContain('no');
    expect(await fire(box)).toEqual(skipped(untrusted));
  });

  test.each(['1', 'true'])('has them run with HOOKMACHINE_TRUST=%s', async (value) => {
    const box = guarded();
    expect(await fire({ ...box, env: { ...box.env, HOOKMACHINE_TRUST: value } })).toEqual(denied);
  });

  test.each(['0', 'false', ''])('has none run with HOOKMACHINE_TRUST=%j', async (value) => {
    const box = guarded();
    const env = { ...box.env, HOOKMACHINE_TRUST: value };
    expect(await fire({ ...box, env })).toEqual(skipped(untrusted));
  });

  test('cannot trust itself by its settings, nor by a trust file of its own', async () => {
    const box = guarded();
    const more = { trust: true, trusted: true, hooksConfig: { trust: true }, security: {} };
    box.write(box.files.project, { ...settings(guard), ...more });
    box.write('project/.llxprt/hookmachine-trust.json', { version: 1, projects: {} });
    box.write('project/.env', 'HOOKMACHINE_TRUST=1');
    expect(await fire(box)).toEqual(skipped(untrusted));
  });

  test("has the user's, the system's and the extensions' hooks run (C-10)", async () => {
    const box = guarded();
    box.write(box.files.user, settings(hook('exit 2')));
    box.write(box.files.system, settings(hook('true')));
    box.write('home/.llxprt/extensions/one/hooks/hooks.json', settings(hook('true; true')));
    expect(await fire(box)).toEqual({ ...skipped(untrusted), hookCount: 3, blocked: true });
  });

  test("cannot displace a user's hook of the same command", async () => {
    const box = guarded();
    box.write(box.files.user, settings(guard));
    expect(await fire(box)).toEqual({ ...skipped(untrusted), hookCount: 1, blocked: true });
  });

  test('is listed with its hooks as not trusted', async () => {
    const box = guarded();
    const { stdout } = await hookmachine(box, ['list']);
    expect(stdout).toContain('  guard (not trusted)\n');
    expect(stdout).toContain(`\n    skipped  ${untrusted}; ${allowIt}`);
    const json = await hookmachine(box, ['list', '--json']);
    expect(JSON.parse(json.stdout)).toMatchObject({
      hooks: [{ name: 'guard', untrusted: { why: untrusted, mend: allowIt } }],
    });
    await trust(box);
    expect((await hookmachine(box, ['list'])).stdout).not.toMatch(/trust|skipped/);
  });
});

describe('hookmachine trust', () => {
  test('shows what would run with the scripts behind it, and records it', async () => {
    const box = guarded(guard, hook('true'));
    const { stdout, stderr, exitCode } = await trust(box);
    expect(stdout).toBe(`BeforeTool
  guard
    command  ./guard.sh
    matcher  *
    script   guard.sh  30 bytes  sha256 ${sha256.slice(0, 12)}
    before   this folder is not trusted
  true
    matcher  *
    script   none in the project: the command is all there is
    before   this folder is not trusted

Trusted as they are now: 2 hooks of ${box.project}`);
    expect([stderr, exitCode]).toEqual(['', 0]);
    expect(await fire(box)).toEqual({ ...denied, hookCount: 2 });
  });

  test('--show records nothing; --revoke forgets', async () => {
    const box = guarded();
    const shown = await trust(box, '--show');
    expect(shown.stdout).toContain('    skipped  this folder is not trusted\n');
    expect(shown.stdout).toContain('Not trusted: 1 of 1 hook of ');
    expect(await fire(box)).toEqual(skipped(untrusted));
    await trust(box);
    expect((await trust(box, '--show')).stdout).toContain('\n\nTrusted: 1 hook of ');
    expect((await trust(box, '--revoke')).stdout).toBe(`Not trusted any more: ${box.project}`);
    expect(await fire(box)).toEqual(skipped(untrusted));
    expect((await trust(box, '--revoke', '--show')).exitCode).not.toBe(0);
  });

  test('--json', async () => {
    const box = guarded();
    const shown = {
      event: 'BeforeTool',
      name: 'guard',
      command: './guard.sh',
      place: 'hooks.BeforeTool[0].hooks[0]',
      enabled: true,
      scripts: [{ path: 'guard.sh', realPath: box.script, size: 30, sha256 }],
    };
    const around = { project: box.project, file: box.trustFile, revoked: false };
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

  test('takes another folder; a skipped hook names it', async () => {
    const box = guarded();
    const elsewhere = { ...box, project: box.home };
    const more = ` --cwd ${JSON.stringify(box.project)}`;
    expect(await fire(elsewhere, '--cwd', '../project')).toEqual(skipped(untrusted, more));
    await trust(elsewhere, '--cwd', '../project');
    expect(await fire(elsewhere, '--cwd', '../project')).toEqual(denied);
    expect(await trust(box, '--cwd', 'nowhere')).toMatchObject({
      exitCode: 1,
      stderr: 'hookmachine: --cwd nowhere: there is no such folder',
    });
  });

  test('says that there is nothing to trust, that hooks are off, and what is discarded', async () => {
    const box = sandbox();
    expect((await trust(box)).stdout).toBe(`This project configures no hooks: ${box.project}`);
    box.write(box.files.project, { hooks: { BeforeTool: [{ hooks: [{}, guard] }] } });
    const { stderr, stdout } = await trust(box);
    expect(stderr).toContain('hooks are off here');
    expect(stderr).toContain('hooks.BeforeTool[0].hooks[0].type: is missing');
    expect(stdout).toContain('Trusted as they are now: 1 hook of ');
  });

  test("keeps a stranger's settings from playing tricks on the terminal", async () => {
    const box = guarded(hook('echo harmless #\u001B[2K\r\nrm -rf . \u202E\u009B31m'));
    const { stdout } = await trust(box, '--show');
    expect(stdout).toContain('  echo harmless #\\u{1b}[2K\\u{d}\\nrm -rf . \\u{202e}\\u{9b}31m\n');
  });

  test('many at once lose none of each other', async () => {
    const box = guarded();
    const folders = Array.from({ length: 6 }, (_, index) => {
      box.write(`many/${index}/.llxprt/settings.json`, settings(guard));
      return join(box.folder, 'many', String(index));
    });
    await Promise.all(folders.map((folder) => trust(box, '--cwd', folder)));
    const { projects } = JSON.parse(readFileSync(box.trustFile, 'utf8')) as { projects: object };
    expect(Object.keys(projects).toSorted()).toEqual(folders);
  });
});

describe('after the user trusted a project', () => {
  test('a changed script is skipped until it is trusted again, and the others run', async () => {
    const box = guarded(guard, hook('true'));
    await trust(box);
    appendFileSync(box.script, '# more\n');
    expect(await fire(box)).toEqual({ ...skipped(changed), hookCount: 1 });
    expect((await trust(box)).stdout).toContain(`    before   ${changed}\n`);
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
  test('and is corrupt trusts nothing, is told with its mend, and is kept', async () => {
    const box = guarded();
    await trust(box);
    box.write(box.trustFile, '{"version":1,');
    const { hookCount, warnings } = await fire(box);
    expect([hookCount, warnings]).toEqual([
      0,
      [
        `hookmachine: nothing is trusted: the trust file ${box.trustFile} is corrupt; trust your projects anew: hookmachine trust`,
        ...skipped(untrusted).warnings,
      ],
    ]);
    const { exitCode, stderr } = await trust(box);
    expect(exitCode).toBe(0);
    expect(stderr).toContain(`it is kept as ${box.trustFile}.bak`);
    expect(readFileSync(`${box.trustFile}.bak`, 'utf8')).toBe('{"version":1,');
    expect(await fire(box)).toEqual(denied);
  });

  test('and is newer trusts nothing, and nothing replaces it', async () => {
    const box = guarded();
    box.write(box.trustFile, '{"version":7}');
    const message = `the trust file ${box.trustFile} was written by a newer hookmachine (version 7); update hookmachine, or move the file away`;
    expect((await fire(box)).warnings[0]).toBe(`hookmachine: nothing is trusted: ${message}`);
    const { exitCode, stderr } = await trust(box);
    expect(exitCode).toBe(1);
    expect(stderr).toContain(`hookmachine: ${message}`);
    expect(readFileSync(box.trustFile, 'utf8')).toBe('{"version":7}');
  });

  test('because there is no home: nothing is trusted, said once; --trust helps', async () => {
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
