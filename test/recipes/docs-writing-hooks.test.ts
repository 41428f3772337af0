import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { last, shown } from '../support/chat.ts';
import { inParallel } from '../support/session.ts';
import { ranFor, recipe, statuses, switchedOn, toolResults } from './recipe.ts';

const write = { file_path: 'a.txt', content: 'x' };
const written = 'Successfully created and wrote to new file: a.txt.';

test('W1, a logger’s plain text is a message for the model, not for the user (HOOK-159, 201, C-18, C-54)', async () => {
  const { call } = recipe({ fixture: 'W1-log-tools' });
  const { modelReads, userSees } = await call('write_file', write);
  expect(modelReads).toBe(`${written}\n\n[System] Logged: write_file`);
  expect(userSees).not.toContain('Logged');
});

test('W2, writes into /etc are denied by JSON (HOOK-016a)', async () => {
  const { call } = recipe({ fixture: 'W2-block-sensitive-writes' });
  const { status, modelReads } = await call('write_file', { ...write, file_path: '/etc/hosts' });
  expect([status, modelReads]).toEqual([
    'blocked',
    'Writing to /etc is prohibited by security policy',
  ]);
});

test('W3, exit 2 blocks with stderr as the reason (HOOK-066, 189)', async () => {
  const { call, has } = recipe({ fixture: 'W3-secret-scanner' });
  const { status, modelReads } = await call('write_file', { ...write, content: 'api_key = 1' });
  expect([status, modelReads]).toEqual(['blocked', 'Potential secret detected']);
  expect(has('a.txt')).toBe(false);
  expect((await call('write_file', write)).status).toBe('done');
});

test('W4, a silent audit changes nothing', async () => {
  const { call, read } = recipe({ fixture: 'W4-audit-log' });
  const { modelReads } = await call('write_file', write);
  expect(modelReads).toBe(written);
  expect(read('.llxprt/logs/tools.log')).toMatch(/ write_file\n$/);
});

test('W5, rm runs as rm -i, and the arguments that the hook did not name are kept (HOOK-018, 024, C-43)', async () => {
  const { session, put, has } = recipe({ fixture: 'W5-safe-shell' });
  put('sub/notes.txt', 'text');
  const { run, chat } = session([
    {
      calls: [
        {
          name: 'run_shell_command',
          args: { command: 'rm notes.txt', description: 'Tidy', dir_path: 'sub' },
        },
        { name: 'run_shell_command', args: { command: 'echo rm' } },
      ],
    },
    { text: 'Done.' },
  ]);
  expect(statuses(await run())).toEqual(['done', 'done']);
  const [asked, other] = toolResults(chat.history);
  expect(asked).toContain('Command: rm -i notes.txt\nDirectory: sub\n');
  expect(other).toContain('Command: echo rm\n');
  // Without input, rm -i removes nothing.
  expect(has('sub/notes.txt')).toBe(true);
  // The conversation keeps what the model asked for.
  expect(JSON.stringify(chat.history[1])).toContain('"rm notes.txt"');
});

describe('W6, restricted tools by cwd (HOOK-055, 057)', () => {
  test.each([
    ['production/app', 'refused'],
    ['prod/app', 'refused'],
    ['staging/app', 'done'],
  ])('W6, in %s a call of write_file is %s', async (folder, status) => {
    const { session, has } = recipe({ fixture: 'W6-restrict-tools' }, folder);
    const { run, requests } = session([
      { calls: [{ name: 'write_file', args: write }] },
      { text: 'Done.' },
    ]);
    expect(statuses(await run())).toEqual([status]);
    expect(has('a.txt')).toBe(status === 'done');
    const sent = requests[0]?.config?.toolConfig?.functionCallingConfig;
    expect(sent?.mode).toBe(status === 'done' ? undefined : 'AUTO');
  });
});

test('W7, the eleventh model call within a minute ends the turn, and the user reads how long to wait (HOOK-040)', async () => {
  const { session } = recipe({ fixture: 'W7-rate-limit' });
  const { run, requests } = session(Array.from({ length: 10 }, () => ({ text: 'Yes.' })));
  for (let asked = 1; asked <= 10; asked++)
    expect(last(await run())).toMatchObject({ type: 'finalAnswer' });
  expect(last(await run())).toMatchObject({
    type: 'stop',
    by: 'hook',
    reason: expect.stringMatching(/^Rate limit exceeded\. Please wait \d+ seconds\.$/),
  });
  expect(requests.length).toBe(10);
});

test('W8, context of BeforeAgent is appended to the prompt, and a literal \\n stays as it is (C-05, R-10)', async () => {
  const { session } = recipe({ fixture: 'W8-git-context' });
  const { run, requests } = session([{ text: 'On it.' }]);
  const events = await run('Tidy up.');
  expect(requests[0]?.contents).toEqual([
    { role: 'user', parts: [{ text: 'Tidy up.\n\nBranch: topic\nStatus:\\nclean' }] },
  ]);
  expect(shown(events)).toBe('On it.');
});

describe('W9, tests after each change (C-62)', () => {
  test.each([
    ['pass', 'echo 3 passed', 'Tests passed: 3 passed'],
    ['fail', 'echo 1 failed >&2; exit 1', 'Tests failed: 1 failed'],
  ])(
    'W9, tests that %s are reported to the model, and the result is kept',
    async (_, runner, reported) => {
      const { call, put, has } = recipe({ fixture: 'W9-auto-test' });
      put('run-tests.sh', runner);
      const { status, modelReads, events } = await call('write_file', write);
      expect([status, modelReads]).toEqual(['done', `${written}\n\n[System] ${reported}`]);
      expect(has('a.txt')).toBe(true);
      expect(last(events)).toMatchObject({ type: 'finalAnswer' });
    },
  );
});

test('W10, each tool runs the hooks of its groups, and the one without a matcher (HOOK-087, 088)', async () => {
  const { session, read } = recipe({ fixture: 'W10-several-groups' });
  const { run } = session([
    {
      calls: [
        { name: 'write_file', args: write },
        { name: 'run_shell_command', args: { command: 'git clean -f' } },
        { name: 'glob', args: { pattern: '*' } },
      ],
    },
    { text: 'Done.' },
  ]);
  const events = await run();
  expect(
    events.flatMap((event) =>
      event.type === 'hookDecision'
        ? [event.hooks.map(({ name }) => name.replace('.llxprt/hooks/', ''))]
        : [],
    ),
  ).toEqual([
    ['scan-secrets.py', 'log-line.sh'],
    ['dangerous-commands.sh', 'log-line.sh'],
    ['log-line.sh'],
  ]);
  expect(statuses(events)).toEqual(['done', 'blocked', 'done']);
  expect(read('.llxprt/logs/tools.log').split('\n').length - 1).toBe(3);
});

test('W11, the second BeforeAgent hook sees the prompt with the first’s context, and the model reads both (HOOK-104, C-05)', async () => {
  const { session } = recipe({ fixture: 'W11-memories' });
  const { run, requests } = session([{ text: 'Yes.' }]);
  const events = await run('Tidy up.');
  expect(ranFor(events, 'BeforeAgent').length).toBe(2);
  const [prompt] = requests[0]!.contents;
  expect(prompt?.parts?.[0]?.text).toMatch(
    /^Tidy up\.\n\nMemory: prefers tabs\.\s+Sentiment of 1 memories: calm\.$/,
  );
});

test('W12, each lifecycle event fires at its point, once (C-05, C-20)', async () => {
  const { session, read } = recipe({ fixture: 'W12-lifecycle' });
  const { run, chat } = session([
    { calls: [{ name: 'write_file', args: write }] },
    { text: 'Done.' },
    { text: 'Done again.' },
  ]);
  await run('Write.');
  await run('Again.');
  await chat.end('exit');
  await chat.end('exit');
  expect(read('.llxprt/lifecycle.log').trim().split('\n')).toEqual([
    'SessionStart startup',
    'BeforeAgent Write.',
    'BeforeToolSelection',
    'BeforeTool write_file',
    'AfterTool write_file',
    'BeforeToolSelection',
    'BeforeAgent Again.',
    'BeforeToolSelection',
    'SessionEnd exit',
  ]);
});

test('W12, matchers of session events are exact (C-20)', async () => {
  const { session, has } = recipe({ fixture: 'W12-lifecycle' });
  const { fire } = session();
  await fire('SessionStart', { source: 'resume' });
  await fire('SessionEnd', { reason: 'prompt_input_exit' });
  expect(has('.llxprt/lifecycle.log')).toBe(false);
});

test('W13, allowed by default: a tool that no rule names is run', async () => {
  const { call } = recipe({ fixture: 'W13-allow-by-default' });
  expect((await call('write_file', write)).status).toBe('done');
  expect((await call('run_shell_command', { command: 'git clean -f' })).status).toBe('blocked');
});

test('W14, denied by default: a tool that no rule names is not run', async () => {
  const { call, has } = recipe({ fixture: 'W14-deny-by-default' });
  const { status, modelReads } = await call('write_file', write);
  expect([status, modelReads, has('a.txt')]).toEqual(['blocked', 'Tool not in allowlist', false]);
  expect((await call('glob', { pattern: '*' })).status).toBe('done');
});

describe('W15, troubleshooting: why a hook does not run', () => {
  const denying = { BeforeTool: inParallel('echo "Denied" >&2; exit 2') };

  test('W15, a hook does not run if its name is in hooksConfig.disabled (C-04)', async () => {
    const named = [
      { hooks: [{ type: 'command', name: 'guard', command: 'echo "Denied" >&2; exit 2' }] },
    ];
    const { call } = recipe(
      switchedOn({ BeforeTool: named }, { hooksConfig: { disabled: ['guard'] } }),
    );
    expect((await call('write_file', write)).status).toBe('done');
  });

  test('W15, a hook does not run if the settings are not valid JSON, and the position of the fault is reported', async () => {
    const { text } = switchedOn(denying);
    const { call } = recipe({ text: text.replace('"hooks": {', '"hooks": {,') });
    const { status, warnings } = await call('write_file', write);
    expect(status).toBe('done');
    expect(warnings.join('\n')).toMatch(/settings\.json:4:\d+.*not valid JSON/);
  });

  test('W15, a hook does not run if its script is not executable, and exit 126 is reported with the fix (C-29)', async () => {
    const { call, project } = recipe({ fixture: 'W3-secret-scanner' });
    chmodSync(join(project, '.llxprt/hooks/exit-2-on-secret.sh'), 0o644);
    const { status, warnings } = await call('write_file', { ...write, content: 'password' });
    expect(status).toBe('done');
    expect(warnings.join('\n')).toMatch(/code 126 .*chmod \+x/);
  });

  test('W15, a hook that takes too long is reported as timed out, and the call goes on (HOOK-069, 000 s7.7)', async () => {
    const slow = [{ hooks: [{ type: 'command', command: 'sleep 30; exit 2', timeout: 200 }] }];
    const { call } = recipe(switchedOn({ BeforeTool: slow }));
    const { status, warnings } = await call('write_file', write);
    expect(status).toBe('done');
    expect(warnings.join('\n')).toContain('200ms');
  });
});
