import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { inProcess } from '../../support/in-process.ts';
import { sandbox } from '../../support/sandbox.ts';

type Entry = Readonly<Record<string, unknown>>;

/** The file of each host in a project, and an entry that it must have. */
const hosts = [
  ['claude-code', '.claude/settings.json', 'PreToolUse', { hooks: [{ type: 'command' }] }],
  [
    'gemini-cli',
    '.gemini/settings.json',
    'BeforeTool',
    { hooks: [{ type: 'command', timeout: 600_000 }] },
  ],
  [
    'qwen-code',
    '.qwen/settings.json',
    'UserPromptSubmit',
    { hooks: [{ type: 'command', timeout: 60 }] },
  ],
  ['codex', '.codex/hooks.json', 'SessionEnd', { hooks: [{ type: 'command', timeout: 3 }] }],
  ['cursor', '.cursor/hooks.json', 'preToolUse', { timeout: 600 }],
  ['copilot', '.github/hooks/hookmachine.json', 'preToolUse', { type: 'command', timeoutSec: 600 }],
] as const;

describe.each(hosts)('%s', (host, name, event, entry) => {
  const made = () => {
    const box = sandbox();
    return {
      ...box,
      file: join(box.project, name),
      run: (what: string) => inProcess(box, [what, host, '--command', 'hookmachine']),
    };
  };

  test('install writes entries that call the relay of the host, within the time that it gives', async () => {
    const { run, file } = made();
    await run('install');
    const { hooks } = JSON.parse(readFileSync(file, 'utf8')) as { hooks: Record<string, Entry[]> };
    expect(hooks[event]).toHaveLength(1);
    expect(hooks[event]![0]).toMatchObject(entry);
    expect(JSON.stringify(hooks[event])).toContain(`"hookmachine relay ${host}`);
  });

  test('install keeps what is in the file of the host in its place, and uninstall loses nothing of it', async () => {
    const { run, file, write } = made();
    const text = `{\n  "version": 1,\n  "hooks": {\n    "${event}": [\n      { "command": "mine" }\n    ]\n  }\n}\n`;
    write(file, text);
    await run('install');
    const { hooks } = JSON.parse(readFileSync(file, 'utf8')) as { hooks: Record<string, Entry[]> };
    expect(hooks[event]![0]).toEqual({ command: 'mine' });
    expect(hooks[event]).toHaveLength(2);
    const once = readFileSync(file, 'utf8');
    await run('install');
    expect(readFileSync(file, 'utf8')).toBe(once);
    await run('uninstall');
    expect(readFileSync(file, 'utf8')).toBe(text);
  });

  test('uninstall removes the file of the host if install made it', async () => {
    const { run, file } = made();
    await run('install');
    await run('uninstall');
    expect(existsSync(file)).toBe(false);
  });
});
