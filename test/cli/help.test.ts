import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { join } from 'node:path';
import type { Command } from 'commander';
import { execa } from 'execa';
import { describe, expect, test } from 'vitest';
import { helpPages } from '../../src/cli/launcher/help-pages.ts';
import { wholeProgram } from '../../src/cli/program.ts';
import { inOwnProcess } from '../support/in-process.ts';
import { starter } from '../support/main.ts';
import { sandbox } from '../support/sandbox.ts';

const dist = fileURLToPath(new URL('../../dist', import.meta.url));
const program = await wholeProgram();
const pages = helpPages(program);
const has = (name: string): boolean => spawnSync(name, ['--version']).error === undefined;

describe('help', () => {
  test('was written when the command was built, and says what the program says', async () => {
    const box = sandbox();
    for (const words of ['', 'approvals', 'approvals list', 'relay']) {
      const args = words === '' ? [] : words.split(' ');
      const { stdout, exitCode } = await inOwnProcess(box, [...args, '--help'], '');
      expect([exitCode, `${stdout}\n`]).toEqual([0, pages.get(words)]);
      expect(await inOwnProcess(box, ['help', ...args], '')).toMatchObject({ stdout });
    }
    for (const [words, text] of pages)
      expect(readFileSync(join(dist, 'help', `${words || 'hookmachine'}.txt`), 'utf8')).toBe(text);
  });

  const ours = new Set(['complete', 'finish-hook', 'relay', 'version', 'warm', 'worker', '']);
  const named = ([word, ...more]: readonly string[], from = program): Command | undefined =>
    word === undefined
      ? from
      : from.commands.filter((each) => each.name() === word).map((each) => named(more, each))[0];
  const leaves = [...pages].filter(
    ([words]) => !ours.has(words) && named(words.split(' '))?.commands.length === 0,
  );

  test.each(leaves)('of %s has an example, with options that the command has', (_, text) => {
    const [, shown = ''] = /^Examples?:\n((?: {2}.*\n?)+)/m.exec(text) ?? [];
    const uses = shown.split('\n').filter((line) => line.includes('hookmachine '));
    expect(uses).not.toEqual([]);
    for (const use of uses) {
      const [, line = ''] = /.*hookmachine (.*)/.exec(use) ?? [];
      const own = line.split(' -- ')[0]!.split(/[|>]/)[0]!;
      const begin = own.split(' ');
      const command =
        named(begin.slice(0, 3)) ?? named(begin.slice(0, 2)) ?? named(begin.slice(0, 1));
      expect(command, line).toBeDefined();
      const known = command!.options.flatMap(({ long, short }) => [long, short]);
      for (const [option] of own
        .replaceAll(/"[^"]*"|'[^']*'/g, '')
        .matchAll(/(?<= )--?[a-z][a-z-]*/g))
        expect([...known, '--help'], line).toContain(option);
    }
  });

  test.each([...pages])('of %s names no folder of the machine that built it', (_, text) => {
    expect(text).not.toContain(process.cwd());
    expect(text.replaceAll(/\n +/g, ' ')).not.toContain(process.cwd());
  });

  test('of something that is no command is a mistake', async () => {
    expect(await inOwnProcess(sandbox(), ['help', 'nothing'], '')).toMatchObject({ exitCode: 1 });
  });

  test('of a command that others follow is not the help of those', async () => {
    const { stdout } = await inOwnProcess(sandbox(), ['mcp', '--', 'echo', '--help'], '');
    expect(stdout).not.toContain('Usage: hookmachine mcp');
  });

  test.runIf(has('man'))('is a manual page without mistakes', async () => {
    const { stdout, stderr } = await execa(
      'man',
      ['--warnings', '-l', join(dist, 'hookmachine.1')],
      {
        env: { MANWIDTH: '80', LC_ALL: 'C.UTF-8' },
      },
    );
    expect(stderr).toBe('');
    expect(stdout).toContain('hookmachine install [options] <host>');
  });
});

describe('completion', () => {
  test('knows commands, options and agents', async () => {
    const box = sandbox();
    const completed = async (...words: readonly string[]): Promise<string[]> => {
      const { stdout } = await inOwnProcess(box, ['complete', '--', ...words], '');
      return stdout.split('\n').map((line) => line.split('\t')[0]!);
    };
    expect(await completed('inst')).toEqual(expect.arrayContaining(['install']));
    expect(await completed('install', '')).toEqual(expect.arrayContaining(['codex', 'kimi']));
    expect(await completed('backtest', '--o')).toEqual(expect.arrayContaining(['--on']));
  });

  /** What a shell makes of `hookmachine install cod` or `hookmachine check $(touch ran)`, with our script. */
  const inShells: Readonly<Record<string, (line: string) => string>> = {
    bash: (line) => `complete() { :; }
source <(hookmachine completion bash)
COMP_WORDS=(${line}) COMP_CWORD=$((\${#COMP_WORDS[@]} - 1))
_hookmachine
echo "\${COMPREPLY[@]}"`,
    zsh: (line) => `compdef() { :; }
_describe() { print -l "\${(P@)2}"; }
_files() { :; }
source <(hookmachine completion zsh)
words=(${line}) CURRENT=$#words
_hookmachine`,
    fish: (line) => `hookmachine completion fish | source
complete -C ${line.replaceAll("'", '')}`,
  };

  describe.each(Object.entries(inShells))('in %s', (shell, script) => {
    test.runIf(has(shell))('completes agents, and runs nothing that was typed', async () => {
      const box = sandbox();
      const bin = join(box.home, 'bin');
      mkdirSync(bin);
      symlinkSync(starter, join(bin, 'hookmachine'));
      const env = { ...box.env, PATH: `${bin}:${process.env['PATH']}` };
      const run = async (line: string): Promise<string> =>
        (await execa(shell, ['-c', script(line)], { cwd: box.project, env })).stdout;
      expect(
        await run(shell === 'fish' ? '"hookmachine install cod"' : 'hookmachine install cod'),
      ).toMatch(/^codex/m);
      await run(
        shell === 'fish'
          ? '"hookmachine explain (touch ran)"'
          : "hookmachine explain '$(touch ran)'",
      );
      expect(existsSync(join(box.project, 'ran'))).toBe(false);
    });
  });
});
