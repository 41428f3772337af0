import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { hookmachine } from '../support/hookmachine.ts';
import { sandbox } from '../support/sandbox.ts';

const cases: readonly (readonly [host: string, file: string, before: string, line: RegExp])[] = [
  ['claude-code', '.claude/settings.json', '{\n  // mine\n  "env": { "A": "1" }\n}\n', /"ANTHROPIC_BASE_URL": "http:\/\/127\.0\.0\.1:\d+\/[\w-]+\/anthropic"/], // prettier-ignore
  ['codex', '.codex/config.toml', 'model = "m"\n[features]\nhooks = true\n', /^openai_base_url = "http:\/\/127\.0\.0\.1:\d+\/[\w-]+\/openai"$/m], // prettier-ignore
  ['gemini-cli', '.gemini/.env', 'GEMINI_API_KEY=k\n', /^GOOGLE_GEMINI_BASE_URL=http:\/\/127\.0\.0\.1:\d+\/[\w-]+\/gemini$/m], // prettier-ignore
  ['opencode', '.config/opencode/opencode.json', '{\n  "theme": "x"\n}\n', /"baseURL": "http:\/\/127\.0\.0\.1:\d+\/[\w-]+\/anthropic\/v1"/], // prettier-ignore
];

test.each(cases)(
  'install %s --gateway writes its address, and uninstall leaves the file as it was',
  async (host, file, before, line) => {
    // prettier-ignore
    const box = sandbox();
    const path = box.write(join(box.home, file), before);
    const { stdout } = await hookmachine(box, ['install', host, '--gateway']);
    expect(stdout).toContain('asks the gateway from now on');
    const now = readFileSync(path, 'utf8');
    expect(now).toMatch(line);
    const again = await hookmachine(box, ['install', host, '--gateway']);
    expect(again.stdout).toContain('asks the gateway already');
    expect(readFileSync(path, 'utf8')).toBe(now);
    await hookmachine(box, ['uninstall', host, '--gateway']);
    expect(readFileSync(path, 'utf8')).toBe(before);
  },
);

test('an address that was there before is asked by the gateway, and comes back', async () => {
  const box = sandbox();
  const before = '{ "env": { "ANTHROPIC_BASE_URL": "https://models.example.com" } }\n';
  const path = box.write(join(box.home, '.claude/settings.json'), before);
  const { stdout } = await hookmachine(box, ['install', 'claude-code', '--gateway']);
  expect(stdout).toContain('the gateway asks https://models.example.com, which was there before');
  expect(readFileSync(path, 'utf8')).not.toContain('models.example.com');
  await hookmachine(box, ['uninstall', 'claude-code', '--gateway']);
  expect(readFileSync(path, 'utf8')).toBe(before);
});

test('a file of lines that install made is gone after uninstall', async () => {
  const box = sandbox();
  const file = join(box.home, '.gemini/.env');
  await hookmachine(box, ['install', 'gemini-cli', '--gateway']);
  expect(existsSync(file)).toBe(true);
  await hookmachine(box, ['uninstall', 'gemini-cli', '--gateway']);
  expect(existsSync(file)).toBe(false);
});

test('--dry-run writes nothing, and an agent that keeps no address says what to do', async () => {
  const box = sandbox();
  const { stdout } = await hookmachine(box, ['install', 'claude-code', '--gateway', '--dry-run']);
  expect(stdout).toContain('ANTHROPIC_BASE_URL');
  expect(existsSync(join(box.home, '.claude'))).toBe(false);
  const { stderr, exitCode } = await hookmachine(box, ['install', 'kimi', '--gateway']);
  expect([exitCode, stderr]).toEqual([
    1,
    expect.stringContaining('hookmachine gateway -- COMMAND'),
  ]);
});

test('a file that cannot be changed without harm is left alone', async () => {
  const box = sandbox();
  const toml = 'openai_base_url = "https://models.example.com"\n';
  const path = box.write(join(box.home, '.codex/config.toml'), toml);
  const { stderr, exitCode } = await hookmachine(box, ['install', 'codex', '--gateway']);
  expect([exitCode, stderr]).toEqual([1, expect.stringContaining('--provider openai=URL')]);
  expect(readFileSync(path, 'utf8')).toBe(toml);
});
