import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { tempFolder } from '../../support/temp-folder.ts';
import { runToExit } from './run-hook.ts';

const sha = (text: string): string => createHash('sha256').update(text).digest('hex');

describe('the input of a hook', () => {
  test('the input arrives unchanged, followed by its end (HOOK-061)', async () => {
    const stdin = JSON.stringify({ hook_event_name: 'BeforeTool', tool_input: { path: 'a b' } });
    expect(await runToExit('cat', { stdin })).toMatchObject({ stdout: stdin });
  });

  test('the input has no line break added', async () => {
    expect(await runToExit('wc -c; wc -l', { stdin: '{}' })).toMatchObject({ stdout: '2\n0\n' });
  });

  test('the input may be empty', async () => {
    expect(await runToExit('wc -c', { stdin: '' })).toMatchObject({ stdout: '0\n' });
  });

  test('Unicode and NUL inside strings arrive intact (T6)', async () => {
    const value = {
      text: 'naïve 日本語 🙂 \u0000 \u2028 \ufeff \\u0000 "quoted"\n\t',
      bell: '\u0007',
    };
    const { stdout } = await runToExit('cat', { stdin: JSON.stringify(value) });
    expect(JSON.parse(stdout)).toEqual(value);
  });

  test('raw NUL bytes arrive intact', async () => {
    expect(await runToExit('od -An -c', { stdin: 'a\0b' })).toMatchObject({
      stdout: '   a  \\0   b\n',
    });
  });

  test('megabytes of input arrive intact (T6)', async () => {
    const stdin = JSON.stringify({ content: 'äöü🙂'.repeat(700_000) });
    const { stdout } = await runToExit('sha256sum', { stdin });
    expect(stdout).toContain(sha(stdin));
  });

  test('the input arrives in one piece: the first read gets all of it', async () => {
    const stdin = 'x'.repeat(60_000);
    const { stdout } = await runToExit('dd bs=1M count=1 2>/dev/null | wc -c', { stdin });
    expect(Number(stdout)).toBe(60_000);
  });

  test.each([
    ['cat', 'cat /dev/stdin'],
    ['cat with the descriptor', 'cat /proc/self/fd/0'],
    ['jq', 'jq -c . /dev/stdin'],
    ['a redirection', 'cat < /dev/stdin'],
    ['Node by name', `node -p "fs.readFileSync('/dev/stdin', 'utf8')"`],
    ['Node by number', `node -p "fs.readFileSync(0, 'utf8')"`],
    ['Python by name', `python3 -c "print(open('/dev/stdin').read())"`],
  ])('the input can be opened by name: %s', async (_, command) => {
    const stdin = '{"tool_name":"write_file"}';
    const { stdout, exitCode } = await runToExit(command, { stdin });
    expect({ stdout: stdout.trim(), exitCode }).toEqual({ stdout: stdin, exitCode: 0 });
  });

  test.each([
    [
      'Node, by events',
      `node -e "let all = ''; process.stdin.setEncoding('utf8'); process.stdin.on('data', (text) => (all += text)); process.stdin.on('end', () => console.log(all))"`,
    ],
    [
      'Node, by iteration',
      `node -e "(async () => { let all = ''; for await (const text of process.stdin) all += text; console.log(all) })()"`,
    ],
    [
      'Python',
      `python3 -c "import json, sys; print(json.dumps(json.load(sys.stdin), separators=(',', ':')))"`,
    ],
    ['the shell, line by line', 'while IFS= read -r line || [ -n "$line" ]; do echo "$line"; done'],
    ['the shell, with a time limit', 'read -r -t 5 line; echo "$line"'],
  ])('the input can be read as usual: %s', async (_, command) => {
    const stdin = '{"tool_name":"write_file"}';
    expect((await runToExit(command, { stdin })).stdout.trim()).toBe(stdin);
  });

  test('the input can be read by one command after the other', async () => {
    const stdin = 'first\nsecond\nthird\n';
    const { stdout } = await runToExit('read -r one; echo "[$one]"; head -1; cat', { stdin });
    expect(stdout).toBe('[first]\nsecond\nthird\n');
  });

  test('the input need not be read, however long it is (HOOK-192, R-13, T2)', async () => {
    const command = `echo '{"decision":"deny","reason":"always"}'`;
    expect(await runToExit(command, { stdin: 'x'.repeat(5_000_000) })).toMatchObject({
      exitCode: 0,
      stdout: '{"decision":"deny","reason":"always"}\n',
    });
  });

  test('the hook may close its input at once (HOOK-192)', async () => {
    const stdin = 'x'.repeat(5_000_000);
    expect(await runToExit('exec <&-; echo no >&2; exit 2', { stdin })).toMatchObject({
      exitCode: 2,
      stderr: 'no\n',
    });
  });

  test('the hook may read only a part of its input', async () => {
    const stdin = 'x'.repeat(5_000_000);
    expect(await runToExit('head -c 10; exit 2', { stdin })).toMatchObject({
      exitCode: 2,
      stdout: 'xxxxxxxxxx',
    });
  });

  test('the input leaves no file behind that others could read', async () => {
    const cwd = tempFolder();
    const { stdout } = await runToExit('readlink /proc/self/fd/0 > where; cat where', { cwd });
    const file = stdout.trim();
    expect(file).toMatch(/ \(deleted\)$/);
    expect(readdirSync(join(file, '..')).filter((name) => name.startsWith('input'))).toEqual([]);
  });
});
