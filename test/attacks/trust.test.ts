import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createConfig } from '../../src/hosts/system/create-config.ts';
import { HookRegistry } from '../../src/hosts/system/hook-registry.ts';
import { trustFile } from '../../src/settings/files/levels.ts';
import { fingerprint } from '../../src/settings/trust/fingerprint.ts';
import { trustChecker, trustVerifier } from '../../src/settings/trust/project-trust.ts';
import { recordTrust } from '../../src/settings/trust/write-trust.ts';
import { inProcess } from '../support/in-process.ts';
import { sandbox, type Sandbox } from '../support/sandbox.ts';

const hook = (command: string, more: object = {}) => ({ type: 'command', command, ...more });
const settings = (...hooks: object[]) => ({
  enableHooks: true,
  hooks: { BeforeTool: [{ sequential: true, hooks }] },
});

/** A project of a stranger, whose hooks would write `pwned`. */
function strangers(...hooks: object[]) {
  const box = sandbox();
  box.write(box.files.project, settings(...hooks));
  script(box, 'project/guard.sh', 'echo guarded >&2; exit 2');
  return box;
}

function script({ write }: Sandbox, file: string, run: string): string {
  const path = write(file, `#!/bin/sh\n${run}\n`);
  chmodSync(path, 0o755);
  return path;
}

/** Trusts the project's hooks as they are now. */
async function trust(cwd: string): Promise<void> {
  const registry = await HookRegistry.load(
    createConfig({ cwd, checkTrust: trustChecker(cwd, () => {}) }),
  );
  recordTrust(trustFile()!, realpathSync(cwd), {
    trustedAt: new Date().toISOString(),
    hooks: await Promise.all(
      [...registry.getAllHooks(), ...registry.unasked].map((one) => fingerprint(one, cwd)),
    ),
  });
}

/**
 * Starts a session as the command line does. Returns the names of the hooks that ran, and whether they
 * blocked.
 */
async function fire(cwd: string) {
  const warnings: string[] = [];
  const onWarning = (line: string) => void warnings.push(line);
  const config = createConfig({
    cwd,
    onWarning,
    checkTrust: trustChecker(cwd, onWarning),
    verifyTrust: trustVerifier(cwd, onWarning),
  });
  const system = config.getHookSystem()!;
  await system.initialize();
  const fields = { tool_name: 'write_file', tool_input: {} };
  const { finalOutput, results } = await system.getEventHandler().fire('BeforeTool', fields);
  return {
    ran: results.map(({ hook: { name } }) => name),
    blocked: finalOutput?.isBlockingDecision() ?? false,
    warnings,
  };
}

describe("a project's settings cannot trust themselves", () => {
  /** Every setting by which other tools trust a project, and everything that resembles ours. */
  const claims = {
    trust: true,
    trusted: true,
    trustedFolder: true,
    folderTrust: true,
    security: { folderTrust: { enabled: false } },
    hooksConfig: { trust: true, trusted: ['*'] },
    isTrustedFolder: true,
    checkTrust: false,
    HOOKMACHINE_TRUST: '1',
    env: { HOOKMACHINE_TRUST: '1' },
  };

  test('a project is not trusted whatever it claims in its settings, in a hook or in other files', async () => {
    const box = strangers();
    box.write(box.files.project, {
      ...claims,
      ...settings(
        hook('touch pwned', { source: 'user', trusted: true }),
        hook('touch pwned #', { source: 'system', file: '/etc/llxprt-code/settings.json' }),
      ),
    });
    const record = { version: 1, projects: { [box.project]: { trustedAt: '', hooks: [] } } };
    for (const file of ['.hookmachine/trust.json', 'trust.json', '.trust'])
      box.write(join(box.project, file), record);
    box.write('project/.env', 'HOOKMACHINE_TRUST=1\nHOME=.\n');
    box.write('project/.npmrc', 'HOOKMACHINE_TRUST=1\n');
    expect((await fire(box.project)).ran).toEqual([]);
    const event = '{"tool_name":"x","tool_input":{}}';
    const { stdout } = await inProcess(
      { project: box.project, env: { ...box.env, HOOKMACHINE_TRUST: '' } },
      ['fire', 'BeforeTool'],
      event,
    );
    expect(JSON.parse(stdout)).toMatchObject({ hookCount: 0, blocked: false });
  });

  test('a home inside the project grants no trust: an empty or relative HOME does not count', async () => {
    const box = strangers(hook('touch pwned'));
    const event = '{"tool_name":"x","tool_input":{}}';
    for (const HOME of ['', '.', 'home']) {
      const file = join(box.project, HOME, '.hookmachine/trust.json');
      box.write(file, { version: 1, projects: { [box.project]: { trustedAt: '', hooks: [] } } });
      box.write(join(box.project, HOME, '.llxprt/settings.json'), settings(hook('touch pwned')));
      const env = { ...box.env, HOME, HOOKMACHINE_TRUST: '' };
      const fired = await inProcess({ ...box, env }, ['fire', 'BeforeTool'], event);
      expect(JSON.parse(fired.stdout)).toMatchObject({ hookCount: 0 });
    }
  });

  test('a program of an untrusted project that would state its event is not even run', async () => {
    const box = strangers(hook('true'));
    script(box, 'project/.kodelet/hooks/guard', 'touch asked; echo before_tool_call');
    await fire(box.project);
    expect(() => realpathSync(join(box.project, 'asked'))).toThrow('ENOENT');
    await trust(box.project);
    expect((await fire(box.project)).ran).toContain('true');
  });
});

describe('a hook that was swapped after it was trusted does not start', () => {
  test('a swapped script does not start even if its size and times are those of the trusted one', async () => {
    const box = strangers(hook('./guard.sh', { name: 'guard' }));
    await trust(box.project);
    expect(await fire(box.project)).toMatchObject({ ran: ['guard'], blocked: true });
    script(box, 'project/guard.sh', 'touch pwned  >&2; exit 0');
    expect((await fire(box.project)).ran).toEqual([]);
  });

  test('a script that was renamed over the trusted one does not start', async () => {
    const box = strangers(hook('./guard.sh', { name: 'guard' }));
    await trust(box.project);
    renameSync(script(box, 'project/other.sh', 'touch pwned'), join(box.project, 'guard.sh'));
    expect((await fire(box.project)).ran).toEqual([]);
  });

  test('a link in place of the script and a link that leads elsewhere now do not start', async () => {
    const box = strangers(
      hook('./guard.sh', { name: 'guard' }),
      hook('./link.sh', { name: 'link' }),
    );
    const [good, evil] = [script(box, 'good.sh', 'exit 2'), script(box, 'evil.sh', 'touch pwned')];
    const link = join(box.project, 'link.sh');
    symlinkSync(good, link);
    await trust(box.project);
    expect((await fire(box.project)).ran).toEqual(['guard']);
    rmSync(join(box.project, 'guard.sh'));
    symlinkSync(evil, join(box.project, 'guard.sh'));
    rmSync(link);
    symlinkSync(evil, link);
    expect(await fire(box.project)).toMatchObject({ ran: [], blocked: false });
  });

  test('a link to a copy with the same content does not start, because the copy could be changed unnoticed', async () => {
    const box = strangers(hook('./guard.sh', { name: 'guard' }));
    await trust(box.project);
    const copy = script(box, 'copy.sh', 'echo guarded >&2; exit 2');
    rmSync(join(box.project, 'guard.sh'));
    symlinkSync(copy, join(box.project, 'guard.sh'));
    expect((await fire(box.project)).ran).toEqual([]);
  });

  test('a script does not start if a folder on the way to it became a link', async () => {
    const box = strangers(hook('hooks/guard.sh', { name: 'guard' }));
    script(box, 'project/hooks/guard.sh', 'exit 2');
    await trust(box.project);
    expect((await fire(box.project)).ran).toEqual(['guard']);
    script(box, 'evil/guard.sh', 'touch pwned');
    rmSync(join(box.project, 'hooks'), { recursive: true });
    symlinkSync(join(box.folder, 'evil'), join(box.project, 'hooks'));
    expect((await fire(box.project)).ran).toEqual([]);
  });

  test('a script that an earlier hook of the same event rewrites does not start', async () => {
    const box = strangers(
      hook('echo "touch pwned" >> guard.sh', { name: 'rewrites' }),
      hook('./guard.sh', { name: 'guard' }),
    );
    await trust(box.project);
    const { ran, warnings } = await fire(box.project);
    expect(ran).toEqual(['rewrites']);
    expect(warnings.join()).toContain('its script "guard.sh" has changed since you trusted it');
  });

  test('a hook with a changed command, matcher, deadline, sequence or event does not start', async () => {
    const box = strangers(hook('./guard.sh', { name: 'guard' }));
    await trust(box.project);
    const swaps = [
      settings(hook('./guard.sh; touch pwned', { name: 'guard' })),
      settings(hook('./guard.sh', { name: 'guard', timeout: 1 })),
      {
        enableHooks: true,
        hooks: {
          BeforeTool: [
            {
              matcher: 'nothing',
              sequential: true,
              hooks: [hook('./guard.sh', { name: 'guard' })],
            },
          ],
        },
      },
      {
        enableHooks: true,
        hooks: { BeforeTool: [{ hooks: [hook('./guard.sh', { name: 'guard' })] }] },
      },
      {
        enableHooks: true,
        hooks: {
          AfterTool: [{ sequential: true, hooks: [hook('./guard.sh', { name: 'guard' })] }],
        },
      },
    ];
    for (const swapped of swaps) {
      box.write(box.files.project, swapped);
      expect((await fire(box.project)).ran).toEqual([]);
    }
  });

  test('a changed program of another dialect does not start', async () => {
    const box = strangers(hook('true'));
    const guard = script(
      box,
      'project/.kodelet/hooks/guard',
      'case $1 in hook) echo before_tool_call ;; esac',
    );
    await trust(box.project);
    expect((await fire(box.project)).ran).toEqual(['true', 'guard']);
    appendFileSync(guard, 'touch pwned\n');
    expect((await fire(box.project)).ran).toEqual(['true']);
  });
});

test('a project in place of a trusted one is not trusted through a link', async () => {
  const box = strangers(hook('./guard.sh', { name: 'guard' }));
  await trust(box.project);
  const evil = join(box.folder, 'evil');
  mkdirSync(join(evil, '.llxprt'), { recursive: true });
  writeFileSync(join(evil, '.llxprt/settings.json'), JSON.stringify(settings(hook('touch pwned'))));
  renameSync(box.project, join(box.folder, 'moved'));
  symlinkSync(evil, box.project);
  expect((await fire(box.project)).ran).toEqual([]);
});

test('a record of trust that others can write is ignored', async () => {
  const box = strangers(hook('./guard.sh', { name: 'guard' }));
  await trust(box.project);
  chmodSync(trustFile()!, 0o666);
  const { ran, warnings } = await fire(box.project);
  expect(ran).toEqual([]);
  expect(warnings[0]).toContain('can be written by others');
});
