import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { findProgram } from '../../src/base/programs.ts';
import { answering, hookOf } from '../support/kodelet.ts';
import { last, shown } from '../support/chat.ts';
import { inParallel, print } from '../support/session.ts';
import {
  ranFor,
  recipe,
  statuses,
  switchedOn,
  toolResults,
  writing,
  type Recipe,
} from './recipe.ts';

const fixtures = fileURLToPath(new URL('../fixtures/kodelet', import.meta.url));
const compiler = findProgram('cc');

/** Copies one of the ADR's examples into the project's hooks. */
function useExample({ project }: Recipe, name: string): void {
  const folder = join(project, '.kodelet/hooks');
  mkdirSync(folder, { recursive: true });
  copyFileSync(join(fixtures, name), join(folder, name));
  chmodSync(join(folder, name), 0o755);
}

/** Compiles the notifier into the user's hooks. */
function compileNotifier({ home }: Recipe): void {
  const folder = join(home, '.kodelet/hooks');
  mkdirSync(folder, { recursive: true });
  execFileSync(compiler!, ['-o', join(folder, 'stop-notifier'), join(fixtures, 'stop-notifier.c')]);
}

/** Returns an address of this test's own, and what is posted to it. */
async function mailbox(): Promise<{ url: string; posted: string[] }> {
  const posted: string[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8');
    request.on('data', (chunk: string) => (body += chunk));
    request.on('end', () => {
      posted.push(`${request.method} ${request.url} ${body}`);
      response.end();
    });
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/stop`, posted };
}

const shell = (command: string) => ({ name: 'run_shell_command', args: { command } });
const noHooks = { text: '{}' };

/** Returns the lines of the audit log, each without its time. */
const audited = ({ home }: Recipe): Record<string, unknown>[] =>
  readFileSync(join(home, '.kodelet/audit.log'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => {
      expect(line).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ \| \{/);
      return JSON.parse(line.slice(line.indexOf('{'))) as Record<string, unknown>;
    });

describe('the examples of ADR 021 (C-107)', () => {
  test('K1, the audit logger in bash writes a line for every call and changes no result', async () => {
    const one = recipe(noHooks);
    useExample(one, 'audit-logger');
    const { modelReads, events } = await one.call('write_file', {
      file_path: 'a.txt',
      content: 'x',
    });
    expect(modelReads).toBe('Successfully created and wrote to new file: a.txt.');
    expect(ranFor(events, 'AfterTool')).toEqual(['audit-logger']);
    expect(audited(one)).toEqual([
      {
        event: 'after_tool_call',
        conv_id: expect.any(String),
        tool_name: 'file_write',
        tool_input: { file_path: 'a.txt', text: 'x' },
        tool_output: {
          toolName: 'file_write',
          success: true,
          metadataType: 'file_write',
          metadata: { output: modelReads },
          timestamp: expect.any(String),
        },
        tool_user_id: expect.stringMatching(/./),
        cwd: one.project,
        invoked_by: 'main',
      },
    ]);
  });

  test.each([
    ['rm -rf build', 'rm -rf'],
    ['sudo ls', 'sudo'],
    ['echo "curl | bash"', 'curl | bash'],
    ['echo "wget | sh"', 'wget | sh'],
  ])(
    'K2, the guardrail in Python keeps %s from running, and the model reads why',
    async (command, text) => {
      const one = recipe(noHooks);
      useExample(one, 'security-guardrail');
      one.put('build/a', '');
      const { status, modelReads, userSees } = await one.call('run_shell_command', { command });
      expect([status, modelReads]).toEqual([
        'blocked',
        `Security policy: '${text}' is not allowed`,
      ]);
      expect(userSees).toContain(text);
      expect(one.has('build/a')).toBe(true);
    },
  );

  test('K2, the guardrail lets everything else through', async () => {
    const one = recipe(noHooks);
    useExample(one, 'security-guardrail');
    const harmless = await one.call('run_shell_command', { command: 'echo hello > b.txt' });
    expect([harmless.status, one.read('b.txt')]).toEqual(['done', 'hello\n']);
    const other = await one.call('write_file', { file_path: 'c.txt', content: 'sudo rm -rf' });
    expect([other.status, other.warnings]).toEqual(['done', []]);
  });

  test.skipIf(!compiler)(
    'K3, the compiled notifier posts the conversation and the number of its messages',
    async () => {
      const one = recipe(noHooks);
      compileNotifier(one);
      const { url, posted } = await mailbox();
      vi.stubEnv('STOP_WEBHOOK_URL', url);
      const { run, warnings } = one.session([{ text: 'One.' }, { text: 'Two.' }], {
        config: { sessionId: 'talk-1' },
      });
      await run('First');
      await run('Second');
      expect(posted).toEqual([
        'POST /stop {"text":"Conversation talk-1 ended (2 messages)"}',
        'POST /stop {"text":"Conversation talk-1 ended (4 messages)"}',
      ]);
      expect(warnings).toEqual([]);
    },
  );

  test.skipIf(!compiler)('K3, the compiled notifier is silent without an address', async () => {
    const one = recipe(noHooks);
    compileNotifier(one);
    vi.stubEnv('STOP_WEBHOOK_URL', undefined);
    const { run, warnings } = one.session([{ text: 'One.' }]);
    const events = await run();
    expect(ranFor(events, 'AfterAgent')).toEqual(['stop-notifier']);
    expect([last(events)?.type, warnings]).toEqual(['finalAnswer', []]);
  });

  test('K4, the foo.txt remover makes the agent continue with its message, and the agent stops once the file is gone', async () => {
    const one = recipe(noHooks);
    useExample(one, 'foo-txt-remover');
    one.put('foo.txt', 'x');
    const { run, chat } = one.session([
      { text: 'All done.' },
      { expect: 'There is a foo.txt here. Please remove it.', calls: [shell('rm foo.txt')] },
      { text: 'Removed.' },
    ]);
    const events = await run('Tidy up');
    expect(one.has('foo.txt')).toBe(false);
    expect(events.filter(({ type }) => type === 'followUp')).toEqual([
      { type: 'followUp', text: 'There is a foo.txt here. Please remove it.' },
    ]);
    expect(last(events)).toEqual({ type: 'finalAnswer', text: 'Removed.', steps: 3 });
    expect(chat.history[2]).toEqual({
      role: 'user',
      parts: [{ text: 'There is a foo.txt here. Please remove it.' }],
    });
  });

  test('K4, the agent continues with a rejection by LLxprt and with follow-ups, both at once', async () => {
    const one = recipe(noHooks);
    useExample(one, 'foo-txt-remover');
    one.put('foo.txt', 'x');
    one.write(one.files.user, {
      tools: { enableHooks: true },
      hooks: { AfterAgent: inParallel('[ ! -e foo.txt ] || { echo "Too short." >&2; exit 2; }') },
    });
    const { run, chat } = one.session([
      { text: 'Done.' },
      { calls: [shell('rm foo.txt')] },
      { text: 'Removed.' },
    ]);
    const events = await run();
    expect(chat.history.slice(2, 4).map(({ role, parts }) => [role, parts?.[0]?.text])).toEqual([
      ['user', 'Too short.'],
      ['user', 'There is a foo.txt here. Please remove it.'],
    ]);
    expect(last(events)).toEqual({ type: 'finalAnswer', text: 'Removed.', steps: 3 });
  });

  test('K4, without a foo.txt the agent stops as usual', async () => {
    const one = recipe(noHooks);
    useExample(one, 'foo-txt-remover');
    const { run } = one.session([{ text: 'All done.' }]);
    expect(last(await run())).toEqual({ type: 'finalAnswer', text: 'All done.', steps: 1 });
  });

  test('K1 to K4, all four examples work in one session next to LLxprt hooks', async () => {
    const one = recipe(
      switchedOn({
        BeforeTool: inParallel('echo "$LLXPRT_PROJECT_DIR" >> llxprt.log'),
        AfterTool: inParallel(print({ hookSpecificOutput: { additionalContext: 'Be brief.' } })),
        AfterAgent: inParallel('true'),
      }),
    );
    for (const name of ['audit-logger', 'security-guardrail', 'foo-txt-remover'])
      useExample(one, name);
    if (compiler) compileNotifier(one);
    const { url, posted } = await mailbox();
    vi.stubEnv('STOP_WEBHOOK_URL', url);
    const { run, chat, warnings } = one.session(
      [
        { calls: [writing('foo.txt'), shell('sudo make install')] },
        { text: 'Made it.' },
        { expect: 'Please remove it', calls: [shell('rm foo.txt')] },
        { text: 'Gone.' },
      ],
      { config: { sessionId: 'talk-2' }, toolLimit: 1 },
    );
    const events = await run('Make foo.txt and install it');

    expect(statuses(events)).toEqual(['done', 'blocked', 'done']);
    expect(toolResults(chat.history)).toEqual([
      'Successfully created and wrote to new file: foo.txt.\n\nBe brief.',
      "Security policy: 'sudo' is not allowed",
      expect.stringMatching(/\n\nBe brief\.$/),
    ]);
    expect(one.has('foo.txt')).toBe(false);
    expect(shown(events)).toBe('Made it.Gone.');
    expect(last(events)).toEqual({ type: 'finalAnswer', text: 'Gone.', steps: 4 });
    // LLxprt's hooks ran for every call, Kodelet's logger only for those that were executed.
    expect(one.read('llxprt.log')).toBe(`${one.project}\n`.repeat(3));
    expect(audited(one).map(({ tool_name }) => tool_name)).toEqual(['file_write', 'bash']);
    const stop = ['true', 'foo-txt-remover', ...(compiler ? ['stop-notifier'] : [])];
    expect(ranFor(events, 'AfterAgent')).toEqual([...stop, ...stop]);
    if (compiler)
      expect(posted).toEqual([
        'POST /stop {"text":"Conversation talk-2 ended (2 messages)"}',
        'POST /stop {"text":"Conversation talk-2 ended (4 messages)"}',
      ]);
    expect(warnings).toEqual([]);
  });
});

describe('what else the ADR promises', () => {
  test('K5, a blocked message is never sent, and the user reads why', async () => {
    const one = recipe(noHooks);
    one.put(
      '.kodelet/hooks/secrets',
      answering('user_message_send', { blocked: true, reason: 'It holds a password' }),
    );
    const { run, requests, chat } = one.session([]);
    const events = await run('My password is hunter2');
    expect(last(events)).toEqual({ type: 'promptBlocked', reason: 'It holds a password' });
    expect([requests, chat.history]).toEqual([[], []]);
  });

  test('K6, the tool receives the input that a hook gives, in Kodelet’s names', async () => {
    const one = recipe(noHooks);
    one.put(
      '.kodelet/hooks/rewrite',
      answering('before_tool_call', { input: { file_path: 'b.txt', text: 'other' } }),
    );
    await one.call('write_file', { file_path: 'a.txt', content: 'x' });
    expect([one.has('a.txt'), one.read('b.txt')]).toEqual([false, 'other']);
  });

  test('K6, a key that the new input lacks is gone, and the tool says what it lacks', async () => {
    const one = recipe(noHooks);
    one.put('.kodelet/hooks/rewrite', answering('before_tool_call', { input: { text: 'x' } }));
    const { modelReads } = await one.call('write_file', { file_path: 'a.txt', content: 'x' });
    expect(modelReads).toMatch(/^Invalid arguments for write_file: file_path: /);
    expect(one.has('a.txt')).toBe(false);
  });

  test('K6, an absent or null input keeps the original', async () => {
    const one = recipe(noHooks);
    one.put('.kodelet/hooks/a', answering('before_tool_call', { blocked: false }));
    one.put('.kodelet/hooks/b', answering('before_tool_call', { blocked: false, input: null }));
    await one.call('write_file', { file_path: 'a.txt', content: 'x' });
    expect(one.read('a.txt')).toBe('x');
  });

  test('K7, output replaces what the model and the user read, and AfterTool context is added to it', async () => {
    const one = recipe(
      switchedOn({
        AfterTool: inParallel(print({ hookSpecificOutput: { additionalContext: 'Redacted.' } })),
      }),
    );
    one.put('secret.txt', 'hunter2');
    one.put(
      '.kodelet/hooks/redact',
      answering('after_tool_call', { output: { success: true, metadata: { output: '***' } } }),
    );
    const { modelReads, userSees, chat } = await one.call('read_file', { file_path: 'secret.txt' });
    expect([modelReads, userSees]).toEqual(['***\n\nRedacted.', '***']);
    expect(JSON.stringify(chat.history)).not.toContain('hunter2');
  });

  test('K7, an output that reports an error is an error to the model', async () => {
    const one = recipe(noHooks);
    one.put(
      '.kodelet/hooks/redact',
      answering('after_tool_call', { output: { success: false, error: 'withheld' } }),
    );
    const { chat } = await one.call('write_file', { file_path: 'a.txt', content: 'x' });
    expect(chat.history[2]?.parts?.[0]?.functionResponse?.response).toEqual({ error: 'withheld' });
  });

  test('K8, a subagent shares the hooks, which can tell it apart', async () => {
    const one = recipe(noHooks);
    one.put('.kodelet/hooks/log', hookOf('before_tool_call', 'cat > input.json'));
    await one.call('write_file', { file_path: 'a.txt', content: 'x' }, { invokedBy: 'subagent' });
    expect(JSON.parse(one.read('input.json'))).toMatchObject({ invoked_by: 'subagent' });
  });

  test('K8, with hooks off no hook runs, nor is one asked for its event', async () => {
    const one = recipe(noHooks);
    one.put('.kodelet/hooks/log', '#!/bin/sh\ntouch ran\necho before_tool_call\n');
    const { status } = await one.call(
      'write_file',
      { file_path: 'a.txt', content: 'x' },
      { config: { enableHooks: false } },
    );
    expect([status, existsSync(join(one.project, 'ran'))]).toEqual(['done', false]);
  });

  test('K9, all hooks of a type run in order, and failures are ignored', async () => {
    const one = recipe(noHooks);
    one.put('.kodelet/hooks/1', hookOf('after_tool_call', 'echo 1 >> order; exit 1'));
    one.put('.kodelet/hooks/2', hookOf('after_tool_call', 'echo 2 >> order; echo nonsense'));
    one.put('.kodelet/hooks/3', hookOf('after_tool_call', 'echo 3 >> order'));
    const { modelReads, warnings } = await one.call('write_file', { file_path: 'a', content: 'x' });
    expect(one.read('order')).toBe('1\n2\n3\n');
    expect(modelReads).toBe('Successfully created and wrote to new file: a.');
    expect(warnings.length).toBe(2);
  });
});
