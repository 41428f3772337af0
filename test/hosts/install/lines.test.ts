import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { inProcess } from '../../support/in-process.ts';
import { sandbox } from '../../support/sandbox.ts';

const own = '# mine\ndefault_model = "m"\n\n[[hooks]]\nevent = "Stop"\ncommand = "true"\n';

/** A user of Kimi Code, whose hooks are lines of a TOML file. */
function user(text?: string) {
  const box = sandbox();
  const file = join(box.home, '.kimi-code', 'config.toml');
  if (text !== undefined) box.write(file, text);
  const run = (...args: string[]) => inProcess(box, args);
  return { ...box, file, run, text: () => readFileSync(file, 'utf8') };
}

describe('lines in a TOML file', () => {
  test('are added at its end, once, and taken out again byte for byte', async () => {
    for (const before of [own, own.trimEnd()]) {
      const { run, text } = user(before);
      expect((await run('install', 'kimi')).exitCode).toBe(0);
      const after = text();
      expect(after.startsWith(before)).toBe(true);
      expect(after).toContain('event = "PreToolUse"');
      await run('install', 'kimi');
      expect(text()).toBe(after);
      await run('uninstall', 'kimi');
      expect(text()).toBe(before);
    }
  });

  test('stay where they are if others write behind them, and count once although both scopes have one file', async () => {
    const box = user(own);
    await box.run('install', 'kimi');
    const after = `${box.text()}[[hooks]]\nevent = "SessionEnd"\ncommand = "true"\n`;
    writeFileSync(box.file, after);
    await box.run('install', 'kimi');
    expect(box.text()).toBe(after);
    const { stdout } = await box.run('doctor', '--json');
    const { findings } = JSON.parse(stdout) as { findings: { agent?: string; code: string }[] };
    const codes = findings.filter(({ agent }) => agent === 'kimi').map(({ code }) => code);
    expect(codes.filter((code) => code.startsWith('entries'))).toEqual([]);
    await box.run('uninstall', 'kimi');
    expect(box.text()).toBe(`${own}[[hooks]]\nevent = "SessionEnd"\ncommand = "true"\n`);
  });

  test('of which the last is gone are left alone, which is said', async () => {
    const box = user(own);
    await box.run('install', 'kimi');
    const cut = box.text().replace(/# The end.*\n/, '');
    writeFileSync(box.file, cut);
    const { stderr, exitCode } = await box.run('install', 'kimi');
    expect([exitCode, box.text()]).toEqual([1, cut]);
    expect(stderr).toContain('remove by hand');
  });

  test('make a file that goes away with them', async () => {
    const { run, file } = user();
    await run('install', 'kimi');
    expect(existsSync(file)).toBe(true);
    await run('uninstall', 'kimi');
    expect(existsSync(file)).toBe(false);
  });

  test('are not added where the file would no longer be valid', async () => {
    const { run, text } = user('hooks = []\n');
    const { stderr, exitCode } = await run('install', 'kimi');
    expect(exitCode).toBe(1);
    expect(stderr).toContain('config.toml');
    expect(stderr).toContain('[[hooks]]');
    expect(text()).toBe('hooks = []\n');
  });

  test('are the same whatever command calls us, and doctor sees when one is missing', async () => {
    const box = user(own);
    await box.run('install', 'kimi', '--command', '/opt/bin/hookmachine');
    const codes = async (): Promise<readonly string[]> => {
      const { stdout } = await box.run('doctor', '--json');
      const { findings } = JSON.parse(stdout) as { findings: { agent?: string; code: string }[] };
      return findings.filter(({ agent }) => agent === 'kimi').map(({ code }) => code);
    };
    expect(await codes()).not.toContain('entries-missing');
    writeFileSync(box.file, box.text().replace('event = "PreToolUse"', 'event = "PreToolUze"'));
    expect(await codes()).toContain('entries-missing');
  });
});
