import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createConfig } from '../../../src/hosts/system/create-config.ts';
import { HookRegistry } from '../../../src/hosts/system/hook-registry.ts';
import { trustFile } from '../../../src/settings/files/levels.ts';
import { fingerprint } from '../../../src/settings/trust/fingerprint.ts';
import { trustChecker, trustVerifier } from '../../../src/settings/trust/project-trust.ts';
import { recordTrust } from '../../../src/settings/trust/write-trust.ts';
import { sandbox } from '../../support/sandbox.ts';
import { someFields } from '../../support/session.ts';

const hook = (command: string, more: object = {}) => ({ type: 'command', command, ...more });
const guard = hook('./guard.sh', { name: 'guard' });

/** Settings of BeforeTool hooks. */
const settings = (...hooks: object[]) => ({
  enableHooks: true,
  hooks: { BeforeTool: [{ hooks }] },
});

/** A sandbox whose project has these hooks, and a guard that denies. */
function guarded(...hooks: object[]) {
  const box = sandbox();
  box.write(box.files.project, settings(...(hooks.length > 0 ? hooks : [guard])));
  const script = box.write('project/guard.sh', '#!/bin/sh\necho no >&2; exit 2\n');
  chmodSync(script, 0o755);
  return { ...box, script };
}

/** Trusts the hooks of a project as they are. */
async function trust(cwd: string): Promise<void> {
  const hooks = (await HookRegistry.load(createConfig({ cwd }))).getAllHooks();
  recordTrust(trustFile()!, realpathSync(cwd), {
    trustedAt: new Date().toISOString(),
    hooks: await Promise.all(hooks.map((one) => fingerprint(one, cwd))),
  });
}

/**
 * Starts a session in a project. The returned function fires BeforeTool and returns the result and the
 * warnings.
 */
function startSession(cwd: string) {
  const warnings: string[] = [];
  const onWarning = (line: string) => void warnings.push(line);
  const config = createConfig({
    cwd,
    onWarning,
    checkTrust: trustChecker(cwd, onWarning),
    verifyTrust: trustVerifier(cwd, onWarning),
  });
  const system = config.getHookSystem()!;
  return async () => {
    await system.initialize();
    const result = await system.getEventHandler().fire('BeforeTool', someFields.BeforeTool);
    return {
      hookCount: result.results.length,
      blocked: result.finalOutput?.isBlockingDecision() ?? false,
      warnings: warnings.splice(0),
    };
  };
}

const fire = (cwd: string) => startSession(cwd)();

const skipped = (why: string, name = 'guard') => ({
  hookCount: 0,
  blocked: false,
  warnings: [
    expect.stringContaining(
      `hook "${name}" (BeforeTool) was skipped: ${why}; look at what it runs`,
    ),
  ],
});
const denied = { hookCount: 1, blocked: true, warnings: [] };
const untrusted = 'this folder is not trusted';
const changed = 'its script "guard.sh" has changed since you trusted it';
const redefined = 'its definition has changed since you trusted it';

describe('after the user trusted a project', () => {
  test.each([
    { ...guard, command: './guard.sh --soft' },
    { ...guard, timeout: 1_000 },
    { ...guard, name: 'other' },
  ])('a hook with a changed definition is skipped: %j', async (other) => {
    const box = guarded();
    await trust(box.project);
    box.write(box.files.project, settings(other));
    expect(await fire(box.project)).toEqual(
      skipped(redefined, 'name' in other ? other.name : undefined),
    );
  });

  test('a changed "onFailure" counts as a changed definition, and a hook that blocks on failure then blocks', async () => {
    const strict = { ...guard, onFailure: 'block' };
    const box = guarded(strict);
    await trust(box.project);
    expect(await fire(box.project)).toEqual(denied);
    box.write(box.files.project, settings(guard));
    expect(await fire(box.project)).toEqual(skipped(redefined));
    await trust(box.project);
    box.write(box.files.project, settings(strict));
    expect(await fire(box.project)).toEqual({
      hookCount: 1,
      blocked: true,
      warnings: [
        expect.stringContaining(
          `hook "guard" (BeforeTool) may not run, so it blocks: ${redefined}`,
        ),
      ],
    });
  });

  test('a new hook is skipped and the known ones run, wherever they are in the settings', async () => {
    const box = guarded(hook('true'), guard);
    await trust(box.project);
    box.write(box.files.project, {
      enableHooks: true,
      hooks: { BeforeTool: [{ hooks: [guard] }, { hooks: [hook('true'), hook('echo new')] }] },
    });
    const why = 'it is new since you trusted this folder';
    expect(await fire(box.project)).toEqual({
      ...skipped(why, 'echo new'),
      hookCount: 2,
      blocked: true,
    });
  });

  test('a changed matcher or "sequential" counts as a changed definition', async () => {
    const box = guarded();
    await trust(box.project);
    for (const more of [{ matcher: 'write_file' }, { sequential: true }]) {
      const hooks = { BeforeTool: [{ ...more, hooks: [guard] }] };
      box.write(box.files.project, { enableHooks: true, hooks });
      expect(await fire(box.project)).toEqual(skipped(redefined));
    }
  });

  test('a changed comment or description or a removed hook leaves the other hooks trusted', async () => {
    const box = guarded(hook('true'), guard);
    await trust(box.project);
    const text = JSON.stringify(settings({ ...guard, description: 'Denies.' }));
    box.write(box.files.project, `// Guards\n${text}`);
    expect(await fire(box.project)).toEqual(denied);
  });

  test('a link to a script that now leads elsewhere is noticed', async () => {
    const box = guarded();
    const content = readFileSync(box.script, 'utf8');
    for (const name of ['one.sh', 'two.sh'])
      chmodSync(box.write(`project/${name}`, content), 0o755);
    rmSync(box.script);
    symlinkSync('one.sh', box.script);
    await trust(box.project);
    expect(await fire(box.project)).toEqual(denied);
    rmSync(box.script);
    symlinkSync('two.sh', box.script);
    expect(await fire(box.project)).toEqual(
      skipped('its script "guard.sh" points to a different file than when you trusted it'),
    );
    appendFileSync(join(box.project, 'two.sh'), '# more\n');
    expect(await fire(box.project)).toEqual(skipped(changed));
    rmSync(box.script);
    expect(await fire(box.project)).toEqual(skipped('its script "guard.sh" is gone'));
  });

  test('a script that appeared after the user trusted the project is noticed', async () => {
    const box = guarded(hook('[ -x ./late.sh ] && ./late.sh; true', { name: 'guard' }));
    await trust(box.project);
    expect(await fire(box.project)).toMatchObject({ hookCount: 1, warnings: [] });
    box.write('project/late.sh', 'exit 2');
    expect(await fire(box.project)).toEqual(skipped('"late.sh" is new since you trusted it'));
  });

  test('a link to a trusted project is trusted too, but not once it leads elsewhere', async () => {
    const box = guarded();
    await trust(box.project);
    const link = join(box.folder, 'link');
    symlinkSync(box.project, link);
    expect(await fire(link)).toEqual(denied);
    const other = join(box.folder, 'other');
    box.write('other/.llxprt/settings.json', settings(guard));
    rmSync(link);
    symlinkSync(other, link);
    expect(await fire(link)).toMatchObject({
      hookCount: 0,
      warnings: [expect.stringContaining(untrusted)],
    });
  });

  test('a project that was moved must be trusted again', async () => {
    const box = guarded();
    await trust(box.project);
    const moved = join(box.folder, 'moved');
    renameSync(box.project, moved);
    mkdirSync(box.project);
    expect(await fire(moved)).toEqual(skipped(untrusted));
  });

  test('a log that the command of a hook writes does not invalidate its trust', async () => {
    const box = guarded(
      hook('echo x >> audit.log; ./guard.sh 2>&1 | tee out.log', { name: 'guard' }),
    );
    await trust(box.project);
    for (let round = 0; round < 2; round++)
      expect(await fire(box.project)).toMatchObject({ hookCount: 1, warnings: [] });
  });

  test('changes behind a trusted hook are noticed within a session too, and each is reported once', async () => {
    const box = guarded();
    await trust(box.project);
    const again = startSession(box.project);
    expect(await again()).toEqual(denied);
    const [content, { atime, mtime }] = [readFileSync(box.script, 'utf8'), statSync(box.script)];
    // Neither its size nor its time reveals the change.
    writeFileSync(box.script, content.replace('exit 2', 'exit 0'));
    utimesSync(box.script, atime, mtime);
    expect(await again()).toEqual(skipped(changed));
    expect(await again()).toEqual({ ...skipped(changed), warnings: [] });
    writeFileSync(box.script, content);
    expect(await again()).toEqual(denied);
    recordTrust(trustFile()!, box.project, undefined);
    expect(await again()).toEqual(skipped(untrusted));
    await trust(box.project);
    expect(await again()).toEqual(denied);
    writeFileSync(trustFile()!, '{');
    expect((await again()).warnings).toEqual([expect.stringContaining('is corrupt')]);
    expect((await again()).hookCount).toBe(0);
  });

  test('a large script is read again even if its size and times are unchanged, and its change is noticed', async () => {
    const box = guarded(hook('sh ./guard.sh', { name: 'guard' }));
    appendFileSync(box.script, `#${'x'.repeat(1_000_000)}\n`);
    await trust(box.project);
    const again = startSession(box.project);
    expect(await again()).toMatchObject({ hookCount: 1 });
    expect(await again()).toMatchObject({ hookCount: 1 });
    const { atime, mtime } = statSync(box.script);
    const text = readFileSync(box.script, 'utf8');
    writeFileSync(box.script, `${text.slice(0, -2)}y\n`);
    utimesSync(box.script, atime, mtime);
    expect(await again()).toEqual(skipped(changed));
  });
});
