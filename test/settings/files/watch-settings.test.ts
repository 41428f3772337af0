import {
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { createConfig } from '../../../src/hosts/system/create-config.ts';
import type { HookSystemConfig } from '../../../src/hosts/system/hook-system-config.ts';
import { watchSettings } from '../../../src/settings/files/watch-settings.ts';
import '../../build.ts';
import { sandbox, type Sandbox } from '../../support/sandbox.ts';
import { someFields } from '../../support/session.ts';
import { waitUntil } from '../../support/until.ts';

const nextMoment = (ms = 400) => new Promise((resolve) => setTimeout(resolve, ms));

/** Settings whose one hook denies with this reason. */
const denying = (reason: string, more: object = {}): string =>
  JSON.stringify({
    tools: { enableHooks: true },
    hooks: {
      BeforeTool: [{ hooks: [{ type: 'command', command: `echo ${reason} >&2; exit 2` }] }],
    },
    ...more,
  });

/** Counts the reported changes of a sandbox's settings. */
function watched(box: Sandbox): { changes: number; stop: () => void } {
  const seen = {
    changes: 0,
    stop: watchSettings(box.project, () => void (seen.changes += 1), box.systemFolder),
  };
  onTestFinished(seen.stop);
  return seen;
}

/** A session that watches its settings. */
async function session(box: Sandbox) {
  const warnings: string[] = [];
  const config = createConfig({
    cwd: box.project,
    systemFolder: box.systemFolder,
    watch: true,
    onWarning: (line) => warnings.push(line),
  });
  onTestFinished(() => config.stopWatchingSettings?.());
  await config.getHookSystem()?.initialize();
  return { config, warnings };
}

/** The reason why a tool is denied now. */
async function reasonIn(config: HookSystemConfig): Promise<string | undefined> {
  const system = config.getHookSystem();
  await system?.initialize();
  const result = await system?.getEventHandler().fire('BeforeTool', someFields.BeforeTool);
  return result?.finalOutput?.reason;
}

const untilDenied = (config: HookSystemConfig, reason: string | undefined) =>
  vi.waitFor(async () => expect(await reasonIn(config)).toBe(reason), {
    timeout: 60_000,
    interval: 50,
  });

describe('watched settings files', () => {
  test('a change of our own settings files takes effect too', async () => {
    const box = sandbox();
    box.write(box.own.user, denying('before'));
    const { config } = await session(box);
    expect(await reasonIn(config)).toBe('before');
    box.write(box.own.user, denying('after'));
    await untilDenied(config, 'after');
  });

  const saves: Record<string, (file: string, text: string) => void> = {
    'writes in place': writeFileSync,
    'truncates and writes': (file, text) => {
      truncateSync(file, 0);
      writeFileSync(file, text);
    },
    'puts a new file in its place': (file, text) => {
      writeFileSync(`${file}.tmp`, text);
      renameSync(`${file}.tmp`, file);
    },
    'moves the old one away first': (file, text) => {
      renameSync(file, `${file}~`);
      writeFileSync(file, text);
    },
    'deletes and writes': (file, text) => {
      unlinkSync(file);
      writeFileSync(file, text);
    },
    'replaces the whole folder': (file, text) => {
      const folder = dirname(file);
      mkdirSync(`${folder}.new`);
      writeFileSync(join(`${folder}.new`, 'settings.json'), text);
      renameSync(folder, `${folder}.old`);
      renameSync(`${folder}.new`, folder);
    },
  };

  test.each(Object.keys(saves))('every save of an editor that %s is noticed', async (how) => {
    const box = sandbox();
    box.write(box.files.project, '{}');
    const seen = watched(box);
    for (const round of [1, 2, 3]) {
      rmSync(`${dirname(box.files.project)}.old`, { recursive: true, force: true });
      saves[how]!(box.files.project, `{ "round": ${round} }`);
      await waitUntil(() => seen.changes >= round);
      await nextMoment(150);
    }
    expect(seen.changes).toBe(3);
  });

  test.each(['project', 'user', 'system'] as const)(
    "the %s's file is noticed when it appears later with its folder, and when it disappears",
    async (level) => {
      const box = sandbox();
      const seen = watched(box);
      box.write(box.files[level], '{}');
      await waitUntil(() => seen.changes === 1);
      rmSync(dirname(box.files[level]), { recursive: true });
      await waitUntil(() => seen.changes === 2);
      box.write(box.files[level], '{}');
      await waitUntil(() => seen.changes === 3);
    },
  );

  test('the file behind a symbolic link is watched, and the link too', async () => {
    const box = sandbox();
    const [one, other] = [box.write('dots/one.json', '{}'), box.write('dots/other.json', '{ }')];
    mkdirSync(dirname(box.files.user), { recursive: true });
    symlinkSync(one, box.files.user);
    const seen = watched(box);
    writeFileSync(one, '{ "a": 1 }');
    await waitUntil(() => seen.changes === 1);
    unlinkSync(box.files.user);
    symlinkSync(other, box.files.user);
    await waitUntil(() => seen.changes === 2);
  });

  test('many writes count as one change, and the same text and other files count as none', async () => {
    const box = sandbox();
    box.write(box.files.project, '{}');
    const seen = watched(box);
    for (let index = 0; index < 50; index += 1) box.write(box.files.project, `{ "n": ${index} }`);
    await waitUntil(() => seen.changes === 1);
    box.write(box.files.project, '{ "n": 49 }');
    box.write(join(dirname(box.files.project), 'other.json'), '{}');
    await nextMoment();
    expect(seen.changes).toBe(1);
  });

  test('no change is reported after the watch has ended', async () => {
    const box = sandbox();
    const seen = watched(box);
    seen.stop();
    box.write(box.files.project, '{}');
    await nextMoment();
    expect(seen.changes).toBe(0);
  });
});

describe('a session that watches its settings', () => {
  test('the next event uses the settings that were saved (C-06)', async () => {
    const box = sandbox();
    box.write(box.files.project, denying('one'));
    const { config, warnings } = await session(box);
    expect(await reasonIn(config)).toBe('one');
    box.write(box.files.project, denying('two'));
    await untilDenied(config, 'two');
    box.write(box.files.user, { hooksConfig: { disabled: ['echo two >&2; exit 2'] } });
    await untilDenied(config, undefined);
    expect(warnings).toEqual([]);
  });

  test('a broken edit keeps the guards as they were, and each one is reported with the place of the fault', async () => {
    const box = sandbox();
    box.write(box.files.project, denying('one'));
    const { config, warnings } = await session(box);
    const broken = `${box.files.project}:1:12: not valid JSON (a value is expected), so its last valid content still counts; fix the JSON there`;
    box.write(box.files.project, '{ "hooks": }');
    await waitUntil(() => warnings.length === 1);
    expect(warnings).toEqual([broken]);
    expect(await reasonIn(config)).toBe('one');
    box.write(box.files.project, denying('two'));
    await untilDenied(config, 'two');
    box.write(box.files.project, '{ "hooks": }');
    await waitUntil(() => warnings.length === 2);
    expect(warnings).toEqual([broken, broken]);
    expect(await reasonIn(config)).toBe('two');
  });

  test('hooks can be switched on when none was on, and off again (C-01)', async () => {
    const box = sandbox();
    const { config } = await session(box);
    expect(config.getHookSystem()).toBeUndefined();
    box.write(box.files.project, denying('one'));
    await untilDenied(config, 'one');
    box.write(box.files.project, denying('one', { enableHooks: false }));
    await untilDenied(config, undefined);
    expect(config.getHookSystem()).toBeUndefined();
  });

  test('a plan that is running while settings are replaced completes as it was (G-09)', async () => {
    const box = sandbox();
    const go = join(box.folder, 'go');
    const wait = `until [ -e '${go}' ]; do sleep 0.02; done;`;
    box.write(box.files.project, denying('old').replace('echo', `${wait} echo`));
    const { config } = await session(box);
    const running = reasonIn(config);
    box.write(box.files.project, denying('new'));
    await waitUntil(() =>
      config.getHookSystem()!.getRegistry().getAllHooks()[0]!.command.includes('new'),
    );
    expect(await reasonIn(config)).toBe('new');
    writeFileSync(go, '');
    expect(await running).toBe('old');
  });

  test('dispose ends the watch of settings', async () => {
    const box = sandbox();
    box.write(box.files.project, denying('one'));
    const { config } = await session(box);
    config.getHookSystem()!.dispose();
    box.write(box.files.project, denying('two', { enableHooks: false }));
    await nextMoment();
    expect(config.getEnableHooks()).toBe(true);
  });

  test('watching settings keeps no process alive', async () => {
    const box = sandbox();
    box.write(box.files.project, denying('one'));
    const source = new URL('../../../dist/src/hosts/system/create-config.js', import.meta.url).href;
    const program = `
      const { createConfig } = await import(${JSON.stringify(source)});
      const config = createConfig({ cwd: process.cwd(), watch: true });
      await config.getHookSystem().initialize();
      console.log('ready');`;
    const { stdout } = await execa('node', ['--input-type=module', '-e', program], {
      cwd: box.project,
      env: box.env,
      timeout: 120_000,
    });
    expect(stdout).toBe('ready');
  });
});
