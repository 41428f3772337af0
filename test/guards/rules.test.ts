import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { judgeCall } from '../../src/guards/guard-hook.ts';
import { effectsOf } from '../../src/guards/reading/call-effects.ts';
import { findingsIn } from '../../src/guards/judge.ts';
import { allRules } from '../../src/guards/rules/all.ts';
import { guardedIn } from '../../src/hosts/guarded/find-guarded.ts';
import { commitIn, plant } from './planted.ts';

const home = mkdtempSync(join(tmpdir(), 'guards-home-'));
const project = join(home, 'project');
const place = { cwd: project, home, isGuarded: guardedIn(project) };

beforeAll(() => {
  for (const folder of ['src', 'infra', 'dist', '.claude', '.git-is-made-below'])
    mkdirSync(join(project, folder), { recursive: true });
  for (const folder of ['Documents', '.ssh', 'other-project', 'topic'])
    mkdirSync(join(home, folder), { recursive: true });
  const files = {
    'project/src/main.c': 'int main;\n',
    'project/infra/main.tf': 'a\n',
    'project/.env': 'KEY=1\n',
    'project/.gitignore': '.env\n',
    'project/.claude/settings.json': '{"hooks":{}}',
    'project/notes.txt': 'in no commit\n',
    '.ssh/id_ed25519': 'key\n',
    '.bashrc': '\n',
    'topic/notes.txt': 'a\n',
  };
  plant(home, files);
  commitIn(project, 'src', 'infra', '.gitignore');
  writeFileSync(join(project, 'src/main.c'), 'int changed;\n');
});

afterAll(() => rmSync(home, { recursive: true, force: true }));

async function rulesFor(command: string, protect: readonly string[] = []): Promise<string[]> {
  const effects = effectsOf({ commands: [command], programs: [], files: [] }, place);
  return (await findingsIn(effects, place, { strictness: {}, protect, allow: [] })).map(
    ({ rule }) => rule,
  );
}

/** What leaves a session is judged together with what the session has read: see flow.test.ts. */
const ofCommands = allRules.filter(({ id }) => !id.startsWith('flow/'));

describe.each(ofCommands)('the rule $id', ({ id, catches, lets }) => {
  test('catches its example', async () => {
    const protect = id.startsWith('paths/') ? ['infra/**'] : [];
    expect(await rulesFor(catches, protect)).toContain(id);
  });

  test('lets the harmless example through', async () => {
    expect(await rulesFor(lets)).toEqual([]);
  });
});

const payload = 'rm -rf ~/Documents';

test.each([
  ['a nested shell', `bash -c '${payload}'`],
  ['a variable', 'a="rm -rf"; b=~/Documents; $a $b'],
  ['a pipe into a shell', `echo '${payload}' | sh`],
  ['an encoded text', `echo ${Buffer.from(payload).toString('base64')} | base64 -d | sh`],
  ['a function', 'f() { rm -rf "$1"; }; f ~/Documents'],
  ['an alias that is evaluated', "alias x='rm -rf'; eval 'x ~/Documents'"],
  ['a script that it writes first', `echo '${payload}' > /tmp/x.sh; sh /tmp/x.sh`],
  ['a here-document', `bash <<'END'\n${payload}\nEND`],
  ['xargs', 'echo ~/Documents | xargs rm -rf'],
  ['xargs with a place for each item', 'echo ~/Documents | xargs -i rm -rf {}'],
  ['xargs with a long option', 'echo ~/Documents | xargs --replace=X rm -rf X'],
  ['parallel', `parallel bash -c ::: '${payload}'`],
  ['an empty environment', `env - ${payload}`],
  ['find', 'find ~/Documents -delete'],
  ['a folder that it changes to', 'cd ~ && rm -rf Documents'],
  ['a one-liner of Python', `python3 -c 'import os; os.system("${payload}")'`],
  ['a one-liner of Node.js', `node -e 'require("child_process").execSync("${payload}")'`],
  ['a recipe of make', 'printf "all:\\n\\trm -rf \\$(HOME)/Documents\\n" | make -f -'],
  ['an alias of git', `git -c alias.x='!${payload}' x`],
])('a guard sees through %s', async (_, command) => {
  expect(await rulesFor(command)).toContain('shell/delete-home');
});

/** Everywhere that a substitution may stand, here as S. */
const places = [
  'echo S',
  'echo "S"',
  'echo $"S"',
  'echo a{S,b}',
  'echo [S]',
  'echo @(a|S)',
  'S',
  '! S',
  'time S',
  'x=S',
  'x+=S',
  'x=S true',
  'a=(S)',
  'a[S]=1',
  'a=([S]=1)',
  'declare -A m=([S]=1)',
  'export X=S',
  'declare x=S',
  'f() { local y=S; }; f',
  'echo > S',
  'echo 2> S',
  'cat < S',
  'cat <<< S',
  'cat <<< "S"',
  'echo ${x:-S}',
  'echo ${x:=S}',
  'echo ${x:+S}',
  'echo ${u:?S}',
  'echo ${x#S}',
  'echo ${x%%S}',
  'echo ${x/S/b}',
  'echo ${x/a/S}',
  'echo ${x//S}',
  'echo ${x:S:1}',
  'echo ${x:0:S}',
  'echo ${a[S]}',
  'echo ${x^S}',
  'echo $((1 + S))',
  'echo $((S ? 1 : 2))',
  'echo $((a[S]))',
  '((x = S))',
  'let x=S',
  '[ S ]',
  '[[ S ]]',
  '[[ x == S ]]',
  '[[ x =~ S ]]',
  '[[ -f S && 1 ]]',
  'if S; then :; fi',
  'if :; then S; else :; fi',
  'if false; then :; elif S; then :; fi',
  'while S; do break; done',
  'until S; do break; done',
  'for i in S; do :; done',
  'for ((i = S; i < 1; i++)); do :; done',
  'for ((; i < S; i++)); do :; done',
  'for ((; ; i += S)); do break; done',
  'select i in S; do break; done',
  'case S in *) ;; esac',
  'case x in S) ;; esac',
  'case x in x) S ;; esac',
  '(S)',
  '{ S; }',
  'S | cat',
  'true | S',
  'S & wait',
  'true && S',
  'true || S',
  'cat <(S)',
  'tee >(S) < /dev/null',
  'coproc S',
  'eval S',
  'eval "S"',
  'trap S EXIT',
  '. <(S)',
  'exec 3< <(S)',
  'x=$(S)',
  'x=`S`',
  'echo "${x:-"S"}"',
  'set -- S',
  'alias y=S',
  'test S',
  'printf %s S',
  'read x <<< S',
  'mapfile a < <(S)',
  'return S',
  'exit S',
];

test.each(places)('a substitution runs in %j', async (command) => {
  const substitution = `$(${payload})`;
  expect(await rulesFor(command.replaceAll(/\bS\b/g, () => substitution))).toContain(
    'shell/delete-home',
  );
});

test.each([
  ['nested substitutions', '$('.repeat(10_000) + 'x' + ')'.repeat(10_000)],
  ['a long command', `echo ${'a'.repeat(1_000_000)}`],
  ['a long pipeline', Array.from({ length: 10_000 }, () => 'cat').join(' | ')],
  ['deeply nested braces', `echo ${'{a,'.repeat(5_000)}b${'}'.repeat(5_000)}`],
  ['patterns with many stars', `x=${'a'.repeat(20_000)}; echo \${x//*a*b*c/}`],
  ['calls that never end', `python3 -c '${'open(('.repeat(20_000)}'`],
  ['functions that call each other', 'f() { g; g; }; g() { f; f; }; f'],
])('a guard ends with %s, and lets nothing through for it', async (_, command) => {
  expect(await rulesFor(`${command}; ${payload}`)).not.toEqual([]);
});

test.each([
  ['shell/guards', 'hookmachine trust --yes'],
  ['shell/guards', 'npx -y hookmachine@latest disable guards/shell'],
  ['shell/guards', `python3 -c 'import os; os.system("hookmachine policy remove ours")'`],
  ['shell/guards', 'env -C .claude rm settings.json'],
  ['shell/guards', 'git checkout -- .claude/settings.json'],
  ['shell/delete-outside-project', 'sed -i s/a/b/ ~/topic/notes.txt'],
  ['shell/delete-outside-project', 'perl -pi -e s/a/b/ ~/topic/notes.txt'],
])('%s speaks about %s', async (rule, command) => {
  expect(await rulesFor(command)).toContain(rule);
});

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

async function heapAfter(commands: number): Promise<number> {
  for (let index = 0; index < commands; index++)
    await rulesFor(`cd src && npm test -- --shard ${index} | tee out-${index}.log`);
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

test.each([
  'find . -maxdepth 1 -exec echo -delete {} +',
  'git checkout -bfix',
  'git switch -cfix',
  'git checkout -- README.md && git status',
  'curl -X DELETE http://localhost:3000/api/items/1',
  'vault kv list secret/',
])('nothing speaks about %s', async (command) => {
  expect(await rulesFor(command)).toEqual([]);
});

test.each([
  ['infrastructure/destroy', 'curl -X DELETE https://api.example.com/items/1'],
  ['infrastructure/destroy', 'curl -XDELETE localhost:9200/_all'],
  ['infrastructure/destroy', 'nats stream purge ORDERS'],
  ['infrastructure/remote-files', 'rsync -a --delete dist/ web:/srv/www'],
  ['secrets/environment', 'vault kv get secret/app'],
])('%s speaks about %s', async (rule, command) => {
  expect(await rulesFor(command)).toContain(rule);
});

test('memory stays flat over many commands', async () => {
  const before = await heapAfter(300);
  expect((await heapAfter(900)) - before).toBeLessThan(5_000_000);
});

const endless = [
  '\n',
  ' ',
  'a',
  '(',
  '{',
  '.',
  '/',
  '$x',
  'print(',
  'Path(',
  '%x(',
  '_',
  'system(',
];
const readers =
  'python3 -c X|node -p X|perl -e X|ruby -e X|php -r X|awk X|sed X f|expect -c X|tclsh <<< X|sftp h <<< X|psql -c X|mongosh --eval X|echo X|eval X|rm X|cat < X|X() { :; }';

test.each(readers.split('|'))('a guard ends with endless code in %j', async (reader) => {
  for (const part of endless) {
    const code = `'${part.repeat(Math.ceil(20_000 / part.length))}'`;
    const command = `${reader.replace('X', () => code)}\n${payload}`;
    expect(await rulesFor(command)).not.toEqual([]);
  }
});

test('a tool that writes obeys the same rules as commands', async () => {
  const judge = (tool_name: string, tool_input: object) =>
    judgeCall(
      'shell',
      { tool_name, tool_input, cwd: project },
      { strictness: { shell: 'on' }, protect: [], allow: [] },
      place,
    );
  const settingsFile = join(project, '.claude/settings.json');
  expect(await judge('write_file', { file_path: settingsFile, content: '' })).toMatchObject({
    decision: 'deny',
  });
  expect(await judge('Edit', { file_path: '.git/hooks/pre-commit' })).toMatchObject({
    decision: 'ask',
  });
  expect(await judge('write_file', { file_path: 'src/new.c', content: '' })).toBeUndefined();
});

test.each<[string, object]>([
  ['Bash', { command: payload }],
  ['shell', { command: ['bash', '-lc', payload] }],
  ['local_shell', { command: ['rm', '-rf', '/'] }],
  ['exec_command', { cmd: payload }],
  ['unified_exec', { input: ['rm', '-rf', '/'] }],
  ['run_in_terminal', { command: payload }],
  ['terminal', { input: `${payload}\n` }],
  ['process', { action: 'write', data: `${payload}\n` }],
  ['send_keys', { keys: `${payload}\n` }],
  ['mcp__shell__run', { command: payload }],
  ['execute_code', { language: 'bash', code: payload }],
  ['python', { code: `import os; os.system("${payload}")` }],
  ['js_repl', { code: `require('child_process').execSync('${payload}')` }],
  ['mcp__fs__delete_file', { path: '/etc/passwd' }],
  ['create_file', { filePath: '/etc/passwd', content: '' }],
  ['str_replace_editor', { command: 'create', path: '/etc/passwd', file_text: '' }],
  ['MultiEdit', { file_path: '/etc/hosts', edits: [] }],
  ['NotebookEdit', { notebook_path: '.claude/settings.json', new_source: '' }],
  ['apply_patch', { input: '*** Begin Patch\n*** Delete File: .git/config\n*** End Patch' }],
  [
    'shell',
    {
      command: [
        'apply_patch',
        '*** Begin Patch\n*** Update File: .claude/settings.json\n@@\n-a\n+b\n*** End Patch',
      ],
    },
  ],
])('a guard understands the tool %s with %j', async (tool_name, tool_input) => {
  const judged = await judgeCall(
    'shell',
    { tool_name, tool_input, cwd: project },
    { strictness: { shell: 'on' }, protect: [], allow: [] },
    place,
  );
  expect(judged?.decision).toMatch(/^(?:deny|ask)$/);
});

const judgeGit = (command: string) =>
  judgeCall(
    'git',
    { tool_name: 'Bash', tool_input: { command }, cwd: project },
    {
      strictness: { git: 'on' },
      protect: [],
      allow: [{ rule: 'git/force-push', command: 'git push -f origin preview' }],
    },
    place,
  );

test('an exception lets through what it names, and says so', async () => {
  const allowed = await judgeGit('git push -f origin preview');
  expect(allowed?.decision).toBeUndefined();
  expect(allowed?.systemMessage).toContain('git/force-push');
  expect(await judgeGit('git push -f origin main')).toMatchObject({ decision: 'ask' });
});
