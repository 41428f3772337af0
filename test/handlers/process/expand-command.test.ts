import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { describe, expect, test, vi } from 'vitest';
import { expandCommand } from '../../../src/handlers/process/programs.ts';
import { tempFolder } from '../../support/temp-folder.ts';
import { runToExit } from './run-hook.ts';
import { cpuTime } from '../../support/cpu-time.ts';

const folders = [
  '/plain',
  "/my  project's",
  '/a"b$HOME $(touch pwned)`touch pwned`; touch pwned #',
  '/a\\b\\\\ \n!{1,2}?* ümläut 🙂 <x>&y\\',
  '/\'"`$\\',
];

/**
 * Commands that print something, with `$X` for a project variable, and what they print, with `@` for its
 * value.
 */
const both: [string, string, string][] = [
  ['unquoted', 'printf %s $X/a', '@/a'],
  ['in braces', 'printf %s ${X}a', '@a'],
  ['in double quotes', 'printf %s "$X/a ${X}"', '@/a @'],
  ['in single quotes', "printf %s '$X'", '$X'],
  ['between quotes', `printf %s "a"$X'b'`, 'a@b'],
  ['used twice', 'printf %s $X$X', '@@'],
  ['escaped', String.raw`printf %s \$X`, '$X'],
  ['after a backslash', String.raw`printf %s \\$X`, String.raw`\@`],
  ['that begins a longer name', 'printf %s "[$XECTORY]" [$XECTORY] $X', '[][]@'],
  ['with a default', 'printf %s "${X:-none}"', '@'],
  ['as a default', 'printf %s ${NONE:-$X}', '@'],
  ['as a quoted default', 'printf %s "${NONE:-$X}" "${NONE:-"$X"}" ${NONE:-"$X"}', '@@@'],
  ['in an assignment', 'D=$X; printf %s "$D"', '@'],
  ['in a loop', 'for d in $X; do printf "<%s>" "$d"; done', '<@>'],
  ['in a test', '[ $X = "$X" ] && printf yes', 'yes'],
  ['in a case', 'case $X in $X) printf %s $X;; esac', '@'],
  ['in a function', 'f() { printf %s "$1"; }; f $X', '@'],
  ['in a subshell', '(printf %s $X; (printf %s $X))', '@@'],
  ['in a substitution', 'x=$(printf %s $X); printf %s "$x"', '@'],
  ['in a quoted substitution', 'printf %s "$(printf %s $X)-$(printf %s "$X")"', '@-@'],
  ['in nested substitutions', 'printf %s "$(printf %s "$(printf %s $X)")" $X', '@@'],
  ['in backticks', 'x=`printf %s $X`; printf %s "$x" $X', '@@'],
  ['quoted in backticks', 'x=`printf %s "$X"`; printf %s "$x" $X', '@@'],
  ['in quoted backticks', 'printf %s "`printf %s "$X"`" $X', '@@'],
  ['escaped in quoted backticks', 'printf %s "`printf %s \\"$X\\"`" $X', '@@'],
  ['in a case in a substitution', 'printf %s "$(case a in a) printf %s "$X";; esac)"', '@'],
  ['in a here-document', 'cat <<EOF\n$X "$X" it\'s\nEOF\nprintf %s $X', '@ "@" it\'s\n@'],
  ['in a quoted here-document', `cat <<'E F'\n$X it's\nE F\nprintf %s $X`, "$X it's\n@"],
  ['in a here-document with tabs', 'cat <<-E\n\t$X"\n\tE\nprintf %s $X', '@"\n@'],
  [
    'in two here-documents',
    'cat <<A - /dev/null; cat <<"B"\n$X"\nA\n$X"\nB\nprintf %s $X',
    '@"\n$X"\n@',
  ],
  ['beside a here-document', 'cat <<A - && printf %s $X\n"\nA\n', '"\n@'],
  ['after a shift', 'printf %s $((1 << 2)) $X', '4@'],
  ['after a comment', '# it\'s\nprintf %s $X # and "this\n', '@'],
  ['after what is not a comment', 'set -- a b; printf %s a#b $# ${#} $X', 'a#b22@'],
  ['after an operator and a comment', "true;# don't\nprintf %s $X", '@'],
  ['after a trimmed value', `v='a #b'; printf %s "\${v# x}" \${v% #*} $X`, 'a #ba@'],
  ['on a continued line', 'printf %s \\\n  $X', '@'],
  [
    'under all three names',
    'printf %s $LLXPRT_PROJECT_DIR $GEMINI_PROJECT_DIR ${CLAUDE_PROJECT_DIR}',
    '@@@',
  ],
];

const bashOnly: [string, string, string][] = [
  ['after ANSI quotes', String.raw`printf %s $'it\'s' $"x" $X`, "it'sx@"],
  ['in a here-string', 'cat <<<$X; cat <<< "$X"; printf %s $X', '@\n@\n@'],
  ['in an array', 'a=($X b); printf %s ${#a[@]} "${a[0]}" $X', '2@@'],
  ['in a condition', '[[ $X == $X* && $X != "$X"? ]] && printf %s $X', '@'],
  ['in a process substitution', 'cat <(printf %s $X) > >(cat); wait $!; printf %s $X', '@@'],
  ['after an arithmetic command', '(( a = 1 << 3 )); printf %s $a $X', '8@'],
  ['after a replacement', 'v=\'a #b\'; printf %s "${v/ #/}" ${v/ #/_} $X', 'aba_b@'],
];

const names = ['LLXPRT_PROJECT_DIR', 'GEMINI_PROJECT_DIR', 'CLAUDE_PROJECT_DIR'];
const environment = (folder: string) => Object.fromEntries(names.map((name) => [name, folder]));

/** Replaces `X` by the first of the names. */
const named = (text: string): string => text.replaceAll(/(?<=\$\{?)X/g, names[0]!);

describe.each([
  ['bash', [...both, ...bashOnly]],
  ['sh', both],
])('a project variable, in %s (HOOK-188, C-14)', (shell, cases) => {
  test.each(cases)('a project variable %s expands as it must', async (_, command, printed) => {
    const cwd = tempFolder();
    const values = folders.map(async (folder) => {
      const env = environment(folder);
      if (shell === 'bash') return (await runToExit(named(command), { cwd, env })).stdout;
      return execFileSync('/bin/sh', ['-c', expandCommand(named(command), env)], {
        cwd,
        env: { ...process.env, ...env },
        encoding: 'utf8',
      });
    });
    expect(await Promise.all(values)).toEqual(
      folders.map((folder) => named(printed).split('@').join(folder)),
    );
    expect(readdirSync(cwd)).toEqual([]);
  });
});

test("an extension's own folder is one word too (E1)", async () => {
  const env = { extensionPath: '/my extensions/x' };
  const { stdout } = await runToExit('printf "<%s>" ${extensionPath}/hook.sh', { env });
  expect(stdout).toBe('</my extensions/x/hook.sh>');
});

describe('what is left alone', () => {
  test.each([
    'echo $HOME $1 $$ ${HOME}',
    'LLXPRT_PROJECT_DIR=x; echo LLXPRT_PROJECT_DIR',
    'echo $OTHER_PROJECT_DIR',
    'echo \'$LLXPRT_PROJECT_DIR\' "$LLXPRT_PROJECT_DIR"',
  ])('a command without project variables outside quotes is left alone: %s', (command) => {
    expect(expandCommand(command, environment('/a b'))).toBe(command);
  });

  test('the shell splits a variable of the host as usual', async () => {
    vi.stubEnv('FLAGS', '-a -b');
    const { stdout } = await runToExit('printf "<%s>" $FLAGS');
    vi.unstubAllEnvs();
    expect(stdout).toBe('<-a><-b>');
  });

  test.each([
    'echo "$LLXPRT_PROJECT_DIR',
    "echo '",
    'echo $(',
    '${',
    '`',
    'cat <<',
    'cat <<EOF\nx',
    '\\',
    '$',
  ])('%j, which is not a command, does not confuse the expansion', (command) => {
    const expanded = expandCommand(`${command} $`, environment('/a b'));
    expect(expanded).toContain(command);
  });

  test('a long command takes no time to expand', () => {
    const command = `echo ${'a#b $(x) `y` "z" '.repeat(20_000)} $LLXPRT_PROJECT_DIR`;
    const startedAt = cpuTime();
    expandCommand(command, environment('/a b'));
    expect(cpuTime() - startedAt).toBeLessThan(1000);
  });
});
