import { rmSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { createConfig, type CreateConfigOptions } from '../../../src/hosts/system/create-config.ts';
import { sandbox } from '../../support/sandbox.ts';

const hooks = { BeforeTool: [{ hooks: [{ type: 'command', command: 'true' } as const] }] };

function configOf(options: CreateConfigOptions) {
  const warnings: string[] = [];
  const config = createConfig({ onWarning: (line) => warnings.push(line), ...options });
  return { config, warnings };
}

describe('the hook system of a config', () => {
  test('the hook system is undefined while hooks are off (HOOK-002, 010)', () => {
    const { config } = configOf({ cwd: '/p', settings: { hooks } });
    expect(config.getEnableHooks()).toBe(false);
    expect(config.getHookSystem()).toBeUndefined();
  });

  test('the hook system is created on first use, once per session, and is not initialised (HOOK-001, 206)', () => {
    const { config } = configOf({ cwd: '/p', settings: { enableHooks: true, hooks } });
    const system = config.getHookSystem();
    expect(system).toBeDefined();
    expect(config.getHookSystem()).toBe(system);
    expect(system?.getStatus()).toEqual({ initialized: false, totalHooks: 0 });
  });

  test('the settings files are read on the first question about hooks, not before (HOOK-206)', () => {
    const { project, files, write } = sandbox();
    const { config } = configOf({ cwd: project });
    write(files.project, { enableHooks: true, hooks });
    expect(config.getEnableHooks()).toBe(true);
    rmSync(files.project);
    expect(config.getEnableHooks()).toBe(true);
  });

  test('settings given as an option replace all files', () => {
    const { project, files, write } = sandbox();
    write(files.project, { enableHooks: false, hooks });
    write(files.user, '{');
    const { config, warnings } = configOf({ cwd: project, settings: { enableHooks: true } });
    expect(config.getEnableHooks()).toBe(true);
    expect(config.getHookSources?.()).toEqual([{ source: 'project', hooks: undefined }]);
    expect(warnings).toEqual([]);
  });
});

describe('what hooks learn about the session', () => {
  test('hooks receive the session data that the host gives (HOOK-144, 161; C-12)', () => {
    const { config } = configOf({
      cwd: '/p/../p',
      sessionId: 's-1',
      transcriptPath: '/t.json',
      settings: {},
    });
    expect(config.getWorkingDir()).toBe('/p');
    expect(config.getSessionId()).toBe('s-1');
    expect(config.getTranscriptPath?.()).toBe('/t.json');
  });

  test('a session has its own id by default, which is fit for a file name (G-13)', () => {
    const [one, other] = [1, 2].map(() => configOf({ cwd: '.', settings: {} }).config);
    expect(one?.getSessionId()).toMatch(/^[\w-]+$/);
    expect(one?.getSessionId()).toBe(one?.getSessionId());
    expect(one?.getSessionId()).not.toBe(other?.getSessionId());
    expect(one?.getWorkingDir()).toBe(process.cwd());
    expect(one?.getTranscriptPath?.()).toBeUndefined();
  });
});

describe('with hooks off', () => {
  test('a broken file is reported once and on one line while hooks are off, because it may be the cause', () => {
    const { project, files, write } = sandbox();
    write(files.project, '{ "tools": { "enableHooks": true }');
    const { config, warnings } = configOf({ cwd: project });
    for (let times = 0; times < 3; times++) {
      expect(config.getEnableHooks()).toBe(false);
      expect(config.getHookSystem()).toBeUndefined();
      config.reloadSettings?.();
    }
    expect(warnings).toEqual([
      `${files.project}:1:35: not valid JSON (a closing } is expected), so the whole file is ignored; fix the JSON there`,
    ]);
  });

  test('a switch of the wrong type is reported while hooks are off, even in settings given as an option', () => {
    const settings = { tools: { enableHooks: 'true' } } as unknown as { enableHooks: boolean };
    const { config, warnings } = configOf({ cwd: '/p', settings });
    expect(config.getEnableHooks()).toBe(false);
    expect(warnings).toEqual([
      'tools.enableHooks: is "true", so it was ignored; make it true or false',
    ]);
  });

  test('problems of hooks that will not run are not reported', () => {
    const { project, files, write } = sandbox();
    write(files.project, { hooks: { BeforeTool: [5] } });
    const { config, warnings } = configOf({ cwd: project });
    expect(config.getEnableHooks()).toBe(false);
    expect(warnings).toEqual([]);
  });
});

describe('rereading settings', () => {
  test('rereading the settings can switch hooks on and off', () => {
    const { project, files, write } = sandbox();
    const { config } = configOf({ cwd: project });
    expect(config.getHookSystem()).toBeUndefined();
    write(files.project, { enableHooks: true, hooks });
    expect(config.getHookSystem()).toBeUndefined();
    config.reloadSettings?.();
    const system = config.getHookSystem();
    expect(system).toBeDefined();
    write(files.project, { enableHooks: false, hooks });
    config.reloadSettings?.();
    expect(config.getHookSystem()).toBeUndefined();
    write(files.project, { enableHooks: true, hooks });
    config.reloadSettings?.();
    expect(config.getHookSystem()).toBe(system);
  });

  test('the settings stay as they were when a file can no longer be parsed', () => {
    const { project, files, write } = sandbox();
    const { config } = configOf({ cwd: project });
    write(files.project, { enableHooks: true, hooks });
    expect(config.getEnableHooks()).toBe(true);
    write(files.project, '{ "enableHooks": false, ');
    write(files.user, { hooksConfig: { disabled: ['true'] } });
    config.reloadSettings?.();
    expect(config.getEnableHooks()).toBe(true);
    expect(config.getDisabledHooks?.()).toContainEqual({
      source: 'user',
      file: files.user,
      names: ['true'],
    });
    expect(config.getSettingsProblems?.()).toMatchObject([
      {
        message:
          'not valid JSON (a property name in double quotes is expected), so its last valid content still counts',
      },
    ]);
  });
});
