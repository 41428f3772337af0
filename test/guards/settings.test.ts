import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { HooksFromSource } from '../../src/core/definitions/hooks-from-source.ts';
import { explainCommand, guard, redactSecrets } from '../../src/entries/guards.ts';
import { defineGuards } from '../../src/guards/define-guards.ts';
import { hookmachine } from '../support/hookmachine.ts';
import { tempFolder } from '../support/temp-folder.ts';

const from = (source: HooksFromSource['source'], guards: unknown): HooksFromSource => ({
  source,
  owner: 'hookmachine',
  file: `${source}.json`,
  hooks: undefined,
  guards,
});

const event = (command: string) => ({
  tool_name: 'run_shell_command',
  tool_input: { command },
  cwd: '/nowhere',
});

const judged = (definition: { readonly call?: unknown } | undefined, command: string) =>
  (definition!.call as (event: object) => Promise<{ decision?: string } | undefined>)(
    event(command),
  );

test('a guard is a hook of the level of its file, and blocks if it fails', () => {
  const { definitions, problems } = defineGuards([from('user', { shell: 'on', git: 'off' })]);
  expect(problems).toEqual([]);
  expect(definitions).toMatchObject([
    {
      name: 'guards/shell',
      source: 'user',
      event: 'BeforeTool',
      onFailure: 'block',
      file: 'user.json',
    },
  ]);
});

test('"failOpen" lets calls continue if a guard fails', () => {
  const { definitions } = defineGuards([from('user', { shell: 'on', failOpen: true })]);
  expect(definitions).toMatchObject([{ name: 'guards/shell', failsOpen: true }]);
});

test.each([
  [{ shell: 'yes' }, 'guards.shell'],
  [{ shell: 'on', paths: { protect: 1 } }, 'guards.paths.protect'],
  [{ shell: 'on', allow: [{ rule: 1 }] }, 'guards.allow[0].rule'],
  [{ shell: 'on', allow: [{ rule: 'shell/delete-home', paths: 'x' }] }, 'guards.allow[0].paths'],
  ['all', 'guards'],
])('what is wrong with %j is reported at %s, and the guard is on', async (guards, place) => {
  const { definitions, problems } = defineGuards([from('user', guards)]);
  expect(problems).toMatchObject([{ file: 'user.json', place }]);
  const shell = definitions.find(({ name }) => name === 'guards/shell');
  expect(await judged(shell, 'rm -rf ~')).toMatchObject({ decision: 'deny' });
});

test('"ask" makes a question of each denial', async () => {
  const { definitions } = defineGuards([from('user', { shell: 'ask' })]);
  expect(await judged(definitions[0], 'rm -rf ~')).toMatchObject({ decision: 'ask' });
});

test('an exception counts for its own level and weaker ones, not for stronger ones', async () => {
  const allow = [{ rule: 'publishing/publish', why: 'we publish often' }];
  const [user, project] = ['user', 'project'] as const;
  const decisions = async (strong: object, weak: object) => {
    const { definitions } = defineGuards([from(user, strong), from(project, weak)]);
    return Promise.all(
      definitions.map(async (one) => (await judged(one, 'npm publish'))?.decision),
    );
  };
  expect(await decisions({ publishing: 'on', allow }, { publishing: 'on' })).toEqual([
    undefined,
    undefined,
  ]);
  expect(await decisions({ publishing: 'on' }, { publishing: 'on', allow })).toEqual([
    'ask',
    undefined,
  ]);
});

test('a protected path may be read, but not changed', async () => {
  const paths = guard('paths', { protect: ['infra/**'] });
  expect(await paths(event('sed -i s/a/b/ infra/main.tf'))).toMatchObject({ decision: 'deny' });
  expect(await paths(event('cat infra/main.tf'))).toBeUndefined();
});

test('secrets in a result are replaced, and a result without any is left alone', async () => {
  const token = `ghp_${'a1B2'.repeat(9)}`;
  const changed = await redactSecrets({ tool_response: { llmContent: `GITHUB_TOKEN=${token}` } });
  expect(JSON.stringify(changed)).not.toContain(token);
  expect(JSON.stringify(changed)).toContain('[redacted]');
  expect(await redactSecrets({ tool_response: { llmContent: 'ok' } })).toBeUndefined();
});

test('a secret that is split over the pieces of a result is replaced', async () => {
  const token = `ghp_${'a1B2'.repeat(9)}`;
  const image = { type: 'image', data: 'aGk=' };
  for (const cut of [3, 9, 20]) {
    const pieces = [
      { type: 'text', text: `The token is ${token.slice(0, cut)}` },
      image,
      { type: 'text', text: `${token.slice(cut)}, he said` },
    ];
    const changed = await redactSecrets({ tool_response: { llmContent: pieces } });
    const shown = JSON.stringify(changed);
    expect(shown).not.toContain(token.slice(cut));
    expect(shown).toContain('he said');
    expect(shown).toContain(JSON.stringify(image));
  }
  const plain = [{ text: 'The first part' }, { text: ' and the second' }];
  expect(await redactSecrets({ tool_response: { llmContent: plain } })).toBeUndefined();
});

test('a command is explained without being run', async () => {
  const folder = tempFolder();
  const { answer, effects, findings } = await explainCommand('touch ran; rm -rf ~', folder);
  expect(answer).toBe('deny');
  expect(effects).toContainEqual(expect.stringMatching(/^deletes .* and everything in it$/));
  expect(findings).toMatchObject([{ rule: 'shell/delete-home', answer: 'deny' }]);
});

test('the built-in guards deny through the command and through a relay', async () => {
  const folder = tempFolder();
  mkdirSync(join(folder, '.hookmachine'));
  writeFileSync(join(folder, '.hookmachine/settings.json'), '{"guards":{"shell":"on"}}');
  const env = { HOME: tempFolder(), XDG_STATE_HOME: '', LLXPRT_SYSTEM_SETTINGS_PATH: '' };
  const run = (args: readonly string[], input = '') =>
    hookmachine({ project: folder, env }, args, input);
  await run(['trust', '--yes']);
  const fired = await run(['fire', 'BeforeTool'], JSON.stringify(event('rm -rf ~')));
  expect(fired.exitCode).toBe(2);
  expect(JSON.parse(fired.stdout)).toMatchObject({ decision: 'deny', blocked: true });
  const relayed = await run(
    ['relay', 'claude-code', 'PreToolUse'],
    JSON.stringify({
      session_id: 's',
      cwd: folder,
      hook_event_name: 'PreToolUse',
      tool_name: 'Bash',
      tool_input: { command: 'rm -rf ~' },
    }),
  );
  expect(JSON.parse(relayed.stdout)).toMatchObject({
    hookSpecificOutput: { permissionDecision: 'deny' },
  });
});
