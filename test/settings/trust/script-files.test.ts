import { execFileSync } from 'node:child_process';
import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { scriptFiles } from '../../../src/settings/trust/script-files.ts';
import { project } from '../../support/project.ts';
import { tempFolder } from '../../support/temp-folder.ts';

const files = {
  'check.sh': 'exit 0',
  'check.mjs': '',
  'other.cjs': '',
  'hooks/check.sh': 'exit 0',
  'hooks/deep/check.py': '',
  'my file.sh': '',
  'audit.log': '',
};

/** The script files that are found behind a command, in a folder with a space in its name. */
const found = async (command: string, env: Record<string, string> = {}): Promise<string[]> =>
  (await scriptFiles({ command, env }, project(files))).scripts.map(({ path }) => path);

describe('the script files behind a command', () => {
  test.each([
    ['check.sh'],
    ['./check.sh'],
    ['./hooks/../check.sh --fast "$X"'],
    ['"./check.sh"'],
    ["'./check.sh'"],
    [String.raw`./ch\eck.sh`],
    ['bash -e check.sh'],
    ['X=1 sh check.sh'],
    ['$LLXPRT_PROJECT_DIR/check.sh'],
    ['"$LLXPRT_PROJECT_DIR"/check.sh'],
    ['"${CLAUDE_PROJECT_DIR}/check.sh"'],
    ['"${GEMINI_PROJECT_DIR:-.}/check.sh"'],
    ['"${UNSET_BY_ANYBODY:-.}/check.sh"'],
    ['"$PWD/check.sh"'],
    ['$(pwd)/check.sh'],
    ['"$(pwd)/check.sh"'],
    ['"$(git rev-parse --show-toplevel)/check.sh"'],
    ['$(git rev-parse --show-toplevel)/check.sh'],
    ['`git rev-parse --show-toplevel`/check.sh'],
    ["bash -c 'cd . && ./check.sh; true'"],
    [`bash -c '"$LLXPRT_PROJECT_DIR/check.sh"'`],
    [`sh -c "sh -c './check.sh'"`],
    ['true;./check.sh'],
    ['true&&./check.sh||true'],
    ['(./check.sh)'],
    ['{ ./check.sh; }'],
    ['if ./check.sh; then true; fi'],
    ['./check.sh<input'],
    ['cat <check.sh | sh'],
    ['. ./check.sh'],
    ['D=.; $D/check.sh'],
    ['HOOKS="$LLXPRT_PROJECT_DIR"; "${HOOKS}/check.sh"'],
    ['./ch\\\neck.sh'],
    ['true # nothing\n./check.sh'],
    ['curl -d @check.sh localhost'],
    ['cd hooks/deep && cd ../.. && ./check.sh'],
  ])('check.sh is found behind the command %s', async (command) => {
    expect(await found(command)).toContain('check.sh');
  });

  test.each([
    ['node check.mjs', 'check.mjs'],
    ['node -r./other.cjs --import=./check.mjs', 'check.mjs', 'other.cjs'],
    ['node -r ./other.cjs check.mjs', 'check.mjs', 'other.cjs'],
    ['cd hooks && ./deep/check.py', 'hooks/deep/check.py'],
    ['cd hooks && cd deep && ./check.py', 'hooks/deep/check.py'],
    ['(cd hooks; python3 deep/check.py)', 'hooks/deep/check.py'],
    ['"./my file.sh"', 'my file.sh'],
    [String.raw`./my\ file.sh`, 'my file.sh'],
    ['./check.sh 2>&1 >/dev/null', 'check.sh'],
  ])('the script files behind %s are found', async (command, ...paths) => {
    expect(await found(command)).toEqual(paths);
  });

  test.each([
    'exit 2',
    'npm run check',
    'hooks',
    'true # ./check.sh',
    './none.sh',
    '/bin/sh -c true',
    'echo "',
    "echo '",
    '$',
    '\\',
    '',
    '${',
    'a\0b',
  ])('no script file is found behind %j', async (command) => {
    expect(await found(command)).toEqual([]);
  });

  test('a file that the command writes to is not a script file, because it changes with every run', async () => {
    for (const command of [
      './check.sh >> audit.log',
      './check.sh > audit.log 2>&1',
      './check.sh &>audit.log',
      './check.sh | tee -a audit.log',
      'tail audit.log | ./check.sh >>"$LLXPRT_PROJECT_DIR/audit.log"',
    ])
      expect(await found(command)).not.toContain('audit.log');
  });

  test("a variable of the hook's source is known", async () => {
    expect(await found('$tools/check.sh', { tools: './hooks' })).toEqual(['hooks/check.sh']);
  });

  test('a link counts together with its target, also into the project and out of it', async () => {
    const [cwd, elsewhere] = [project(files), realpathSync(tempFolder())];
    writeFileSync(join(elsewhere, 'tool.sh'), 'exit 1');
    symlinkSync(join(elsewhere, 'tool.sh'), join(cwd, 'tool.sh'));
    symlinkSync(cwd, join(elsewhere, 'way'));
    const of = async (command: string) => (await scriptFiles({ command, env: {} }, cwd)).scripts;
    expect(await of('./tool.sh')).toMatchObject([
      { path: 'tool.sh', realPath: join(elsewhere, 'tool.sh'), size: 6 },
    ]);
    expect(await of(`'${elsewhere}/way/check.sh'`)).toMatchObject([
      { realPath: join(realpathSync(cwd), 'check.sh') },
    ]);
    expect(await of(`'${elsewhere}/tool.sh'`)).toEqual([]);
  });

  test('a file outside the project counts if a relative path leads there', async () => {
    const root = project({ 'tools/check.sh': '', 'packages/one/a': '' });
    const { scripts } = await scriptFiles(
      { command: '../../tools/check.sh', env: {} },
      join(root, 'packages/one'),
    );
    expect(scripts).toMatchObject([{ path: '../../tools/check.sh' }]);
  });

  test('the script files are the same if the project is reached through a link', async () => {
    const cwd = project(files);
    const link = join(tempFolder(), 'link');
    symlinkSync(cwd, link);
    const hook = { command: './check.sh; "$LLXPRT_PROJECT_DIR"/hooks/check.sh', env: {} };
    expect(await scriptFiles(hook, link)).toEqual(await scriptFiles(hook, cwd));
  });

  test('a pipe in place of a script keeps nobody waiting, and a folder is not a script', async () => {
    const cwd = project();
    execFileSync('mkfifo', [join(cwd, 'check.sh')]);
    mkdirSync(join(cwd, 'folder'));
    expect(await scriptFiles({ command: './check.sh ./folder', env: {} }, cwd)).toMatchObject({
      scripts: [],
      unfollowed: ['"./check.sh" may run or read any file'],
    });
  });

  test('following a command that doubles its variables over and over still ends', async () => {
    const doubling = Array.from({ length: 60 }, () => 'a="$a$a"').join('; ');
    expect(await found(`a=xxxxxxxxxx; ${doubling}; ./check.sh`)).toEqual(['check.sh']);
    expect(await found(`${'"$a'.repeat(5_000)}; ./check.sh`)).toBeDefined();
    expect(await found(`${'${a'.repeat(5_000)}; ${"'".repeat(999)}`)).toBeDefined();
  });
});
