import { linkSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { findGuarded } from '../../../src/hosts/guarded/find-guarded.ts';
import { shellWrites } from '../../../src/agent/guards/shell-writes.ts';
import { ToolScheduler } from '../../../src/agent/loop/tool-scheduler.ts';
import { builtInTools } from '../../../src/agent/tools/index.ts';
import { createConfig } from '../../../src/hosts/system/create-config.ts';
import { inProcess } from '../../support/in-process.ts';
import { sandbox, type Sandbox } from '../../support/sandbox.ts';
import { print } from '../../support/session.ts';

let box: Sandbox;

beforeEach(() => {
  box = sandbox();
  const { project, home, write } = box;
  for (const file of ['.claude/settings.json', '.claude/hooks/a.sh', '.llxprt/settings.json'])
    write(join(project, file), '{}');
  write(join(home, '.llxprt', 'settings.json'), '{}');
  write(join(project, 'src', 'a.txt'), 'a');
  linkSync(join(project, '.llxprt/settings.json'), join(project, 'src/hard'));
  symlinkSync('.claude', join(project, 'cl'));
  symlinkSync('../.claude/settings.json', join(project, 'src/soft'));
  symlinkSync('../.codex/hooks.json', join(project, 'src/dangling'));
  mkdirSync(join(project, '.codex'));
});

/** These commands are never run. */
const guardedIn = (command: string): string[] =>
  findGuarded(box.project, shellWrites(command, box.project));

describe('shell commands that write a guard', () => {
  test.each([
    'echo x > .claude/settings.json',
    'echo x >> ./.claude/../.claude/settings.json',
    'echo x >| .claude/settings.json',
    'echo x &> .claude/settings.json',
    '> .claude/settings.json',
    'echo x | tee .llxprt/settings.json',
    'cp x .claude/settings.json',
    'cp settings.json .claude',
    'cp -t .claude settings.json',
    'mv .claude x',
    'mv x .claude/settings.local.json',
    'mv .claude/settings.json{,.bak}',
    'rm -rf .claude',
    'rm -rf .',
    'rm -rf .c*',
    'rm .claude/*.json',
    'rm .claude/settings.{json,x}',
    `rm '.claude'/"settings.json"`,
    `rm $'.claude/settings.json'`,
    String.raw`\rm .claude/settings.json`,
    '/bin/rm .claude/settings.json',
    'command rm .claude/settings.json',
    'sudo -u me rm .claude/settings.json',
    'timeout 5 rm .claude/settings.json',
    'echo | xargs rm .claude/settings.json',
    'echo .claude/settings.json | xargs rm',
    'echo .claude/settings.json | xargs -r -n 1 rm -f',
    'echo .claude/settings.json | xargs -I {} sh -c "rm {}"',
    'xargs rm <<< .claude/settings.json',
    'xargs rm <<EOF\n.claude/settings.json\nEOF',
    'echo "rm .claude/settings.json" | sh',
    "printf '%s' 'rm .claude/settings.json' | bash -s",
    'cat <<EOF | sh\nrm .claude/settings.json\nEOF',
    `echo 'open(".claude/settings.json", "w")' | python3`,
    'hookmachine trust --yes',
    'hookmachine trust --revoke',
    'yes | hookmachine trust --cwd .',
    'hookmachine disable guard',
    'hookmachine enable guard',
    'hookmachine policy add evil.tgz',
    'npx hookmachine policy --help; hookmachine policy remove guards',
    `python3 -c 'import os; os.system("hookmachine policy update --to-lower")'`,
    'npx hookmachine trust --yes',
    'npx -y hookmachine@latest trust --yes',
    'node node_modules/hookmachine/bin/hookmachine.cjs trust --yes',
    'node_modules/.bin/hookmachine disable guard',
    'HOME=/tmp env hookmachine disable guard',
    `python3 -c 'import os; os.system("hookmachine trust --yes")'`,
    `node -e 'execFileSync("hookmachine", ["trust", "--yes"])'`,
    `hookmachine tool write_file --allow-guard-writes --input '{}'`,
    'env -C .claude rm settings.json',
    'sed -i s/a/b/ .claude/settings.json',
    'sed -Ei.bak s/a/b/ .llxprt/settings.json',
    'perl -pi -e s/a/b/ .claude/settings.json',
    'ln -sf evil .llxprt/settings.json',
    'ln .llxprt/settings.json alias',
    'chmod 000 .claude/hooks/a.sh',
    'chmod -R 000 .claude',
    'unlink .claude/settings.json',
    'truncate -s0 .claude/settings.json',
    'dd if=/dev/null of=.claude/settings.json',
    'curl -o .claude/settings.json http://localhost',
    'curl --output=.claude/settings.json http://localhost',
    'wget -O.claude/settings.json http://localhost',
    'touch .claude/settings.local.json',
    'echo x > src/hard',
    'echo x > cl/settings.json',
    'echo x > src/soft',
    'echo x > src/dangling',
    'cd .claude && echo x > settings.json',
    '(cd .claude; rm settings.json)',
    'cd src; echo x > ../.claude/settings.json',
    `bash -c 'rm .claude/settings.json'`,
    'eval "rm .claude/settings.json"',
    'bash <<< "rm .claude/settings.json"',
    'bash <<END\nrm .claude/settings.json\nEND',
    'cat > .claude/settings.json <<END\n{}\nEND',
    'f=.claude/settings.json; echo x > $f',
    'echo x > "$HOME/.llxprt/settings.json"',
    'echo x > ~/.hookmachine/trust.json',
    `python3 -c "open('.claude/settings.json','w')"`,
    `python3 -c "import pathlib; p = pathlib.Path('.claude') / 'settings.json'; p.write_text('x')"`,
    `node -e 'const d = ".claude"; fs.writeFileSync([d, "settings.json"].join("/"), "")'`,
    `python3 - <<END\nopen('.claude/settings.json','w')\nEND`,
    `node -e 'fs.writeFileSync(".claude/settings.json","")'`,
    'find .claude -delete',
    'find . -name settings.json -exec rm {} +',
    'git checkout -- .claude/settings.json',
    'git rm .claude/settings.json',
    'if true; then rm .claude/settings.json; fi',
    'for i in 1; do rm .claude/settings.json; done',
    'x=$(rm .claude/settings.json)',
    'echo "$(rm .claude/settings.json)"',
    'echo x > .CLAUDE/Settings.json',
    'echo x > .github/hooks/a.json',
    'echo x > .cursor/hooks.json',
    'echo x > .codex/config.toml',
    'echo x > .hookmachine/settings.json',
    'echo x > .kodelet/hooks/a',
    'echo x > .qwen/settings.json',
    'echo x > .gemini/settings.json',
    'echo x > /etc/claude-code/managed-settings.json',
    'echo x > /etc/llxprt-code/settings.json',
    `${'$('.repeat(500)}x${')'.repeat(500)}; rm .claude/settings.json`,
    `${'true; '.repeat(20_000)} rm .claude/settings.json`,
    `${Array.from({ length: 25_000 }, (_, at) => `a/${at}`).join('; ')}; rm .claude/settings.json`,
  ])('the command %j is recognised as writing a guard', (command) => {
    expect(guardedIn(command)).not.toEqual([]);
  });
});

test('a file in place of a guard folder, or an impossible file name, does not prevent writes elsewhere', () => {
  for (const name of ['.gemini', '.cursor', '.github']) box.write(join(box.project, name), '');
  symlinkSync('.qwen', join(box.project, '.qwen'));
  const paths = ['src/b.txt', 'src/a.txt/b', '.gemini/b', 'a\0b', 'x'.repeat(5_000)];
  const written = paths.map((path) => ({ path: `${box.project}/${path}` }));
  expect(findGuarded(box.project, written)).toEqual([]);
  expect(findGuarded(box.project, [{ path: `${box.project}/.claude/settings.json` }])).toHaveLength(
    1,
  );
});

describe('shell commands that write no guard', () => {
  test.each([
    'cat .claude/settings.json',
    'cat .claude/settings.json > /tmp/out',
    'head -1 < .claude/settings.json',
    'grep -r x .claude',
    'ls -la .claude',
    'cp .claude/settings.json /tmp/x',
    'git diff .claude/settings.json',
    'git add .claude/settings.json',
    'git commit -m "change .claude/settings.json"',
    'git checkout main',
    'echo .claude/settings.json',
    'echo .claude/settings.json | xargs cat',
    'echo hookmachine trust',
    'hookmachine list',
    'hookmachine trust --show',
    'hookmachine policy list',
    'hookmachine policy verify guards',
    'npx hookmachine fire BeforeTool',
    'cp src/a.txt src/hard.txt',
    'cp x src/a.txt',
    'sed -n 1p .claude/settings.json',
    'jq .hooks .claude/settings.json',
    'diff .claude/settings.json x',
    'test -f .claude/settings.json && echo yes',
    'find . -name settings.json',
    'echo x > src/settings.json',
    'echo x > claude/settings.json',
    'rm src/a.txt',
    'rm *.txt',
    'rm -rf dist node_modules',
    'cp a b',
    'mv a b',
    'npm test',
    'node build.js',
    'python3 script.py',
    'echo hi > $OUT',
    'rm -rf "$OUTPUT"',
    'cd src && echo x > a.json',
    'if [ -e x ',
  ])('the command %j is let through', (command) => {
    expect(guardedIn(command)).toEqual([]);
  });
});

const call = (
  name: string,
  input: object,
  options: Partial<ConstructorParameters<typeof ToolScheduler>[0]> = {},
  settings = {},
) =>
  new ToolScheduler({
    config: createConfig({ cwd: box.project, settings, onWarning: () => undefined }),
    tools: builtInTools(),
    ...options,
  }).schedule([{ id: '1', name, input: input as Record<string, unknown> }]);

describe('a built-in tool', () => {
  const file = '.claude/settings.json';
  const textOf = () => readFileSync(join(box.project, file), 'utf8');

  test.each<[string, object]>([
    ['write_file', { file_path: file, content: 'evil' }],
    ['write_file', { file_path: 'cl/settings.json', content: 'evil' }],
    ['write_file', { file_path: 'src/soft', content: 'evil' }],
    ['write_file', { file_path: 'src/../.claude/settings.json', content: 'evil' }],
    ['replace', { file_path: file, old_string: '{}', new_string: 'evil' }],
    ['run_shell_command', { command: `printf evil > ${file}` }],
    ['run_shell_command', { command: 'printf evil > settings.json', directory: '.claude' }],
  ])('%s %j is refused if nobody can be asked', async (name, input) => {
    const { calls } = await call(name, input);
    expect(calls[0]!.toolResult.error).toMatchObject({ type: 'guarded_path' });
    expect(calls[0]!.toolResult.error!.message).toContain('--allow-guard-writes');
    expect(textOf()).toBe('{}');
  });

  test('a built-in tool that writes a guard asks the user, with the arguments that hooks left', async () => {
    const asked: unknown[] = [];
    const rewrite = { hookSpecificOutput: { tool_input: { file_path: file } } };
    const settings = {
      tools: { enableHooks: true },
      hooks: { BeforeTool: [{ hooks: [{ type: 'command', command: print(rewrite) }] }] },
    };
    for (const answer of [false, true]) {
      const { calls } = await call(
        'write_file',
        { file_path: 'harmless.txt', content: 'new' },
        {
          confirmGuarded: ({ input }, guarded) => {
            asked.push([input['file_path'], guarded]);
            return answer;
          },
        },
        settings,
      );
      expect(calls[0]!.toolResult.error?.type).toBe(answer ? undefined : 'declined');
      expect(textOf()).toBe(answer ? 'new' : '{}');
    }
    const once = [file, [join(box.project, file)]];
    expect(asked).toEqual([once, once]);
  });

  test('a built-in tool writes a guard if the host allows it, and writes any other file freely', async () => {
    await call('write_file', { file_path: file, content: 'new' }, { allowGuardWrites: true });
    expect(textOf()).toBe('new');
    const { calls } = await call('write_file', { file_path: 'src/settings.json', content: 'x' });
    expect(calls[0]!.toolResult.error).toBeUndefined();
  });
});

test('hookmachine tool refuses to write a guard, with the exit code of a block, unless an option allows it', async () => {
  const args = [
    'tool',
    'write_file',
    '--input',
    JSON.stringify({ file_path: '.llxprt/settings.json', content: '{"x":1}' }),
  ];
  const refused = await inProcess(box, args);
  expect(refused.exitCode).toBe(2);
  expect(JSON.parse(refused.stdout)).toMatchObject({ error: { type: 'guarded_path' } });
  const allowed = await inProcess(box, [...args, '--allow-guard-writes']);
  expect(allowed.exitCode).toBe(0);
});
