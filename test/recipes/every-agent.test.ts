import { cpSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { relayBox } from '../support/relay.ts';

const example = new URL('../../examples/every-agent/', import.meta.url);

const claude = { hook_event_name: 'PreToolUse', session_id: 's1', transcript_path: '/t', cwd: '/', permission_mode: 'default', tool_use_id: 'u' }; // prettier-ignore
const gemini = { hook_event_name: 'BeforeTool', session_id: 's1', transcript_path: '/t', cwd: '/', timestamp: '2026-11-22T10:00:00.000Z' }; // prettier-ignore
const cursor = { hook_event_name: 'preToolUse', conversation_id: 's1', session_id: 's1', generation_id: 'g', cursor_version: '3.9.0', workspace_roots: ['/'], tool_use_id: 'u', cwd: '/' }; // prettier-ignore
const copilot = { sessionId: 's1', timestamp: 1_700_000_000_000, cwd: '/' };
const kodelet = { event: 'before_tool_call', conv_id: 'c1', cwd: '', invoked_by: 'main', tool_user_id: 'u' }; // prettier-ignore
const codex = { ...claude, transcript_path: null, turn_id: 't', model: 'm' };

const patch = (path: string): string =>
  `*** Begin Patch\n*** Add File: ${path}\n+KEY=1\n*** End Patch`;

interface Sample {
  readonly host: string;
  /** Given if the input does not name the event. */
  readonly event?: string;
  readonly shell: (command: string) => object;
  readonly write: (path: string) => object;
}

/** How each host reports a shell command, and a file that is written, to a hook. */
const samples: readonly Sample[] = [
  {
    host: 'claude-code',
    shell: (command) => ({ ...claude, tool_name: 'Bash', tool_input: { command } }),
    write: (file_path) => ({
      ...claude,
      tool_name: 'Write',
      tool_input: { file_path, content: 'KEY=1' },
    }),
  },
  {
    host: 'gemini-cli',
    shell: (command) => ({ ...gemini, tool_name: 'run_shell_command', tool_input: { command } }),
    write: (file_path) => ({
      ...gemini,
      tool_name: 'write_file',
      tool_input: { file_path, content: 'KEY=1' },
    }),
  },
  {
    host: 'qwen-code',
    shell: (command) => ({ ...claude, tool_name: 'run_shell_command', tool_input: { command } }),
    write: (file_path) => ({
      ...claude,
      tool_name: 'write_file',
      tool_input: { file_path, content: 'KEY=1' },
    }),
  },
  {
    host: 'codex',
    shell: (command) => ({ ...codex, tool_name: 'Bash', tool_input: { command } }),
    write: (path) => ({
      ...codex,
      tool_name: 'apply_patch',
      tool_input: { command: patch(path) },
    }),
  },
  {
    host: 'cursor',
    shell: (command) => ({ ...cursor, tool_name: 'Shell', tool_input: { command } }),
    write: (file_path) => ({
      ...cursor,
      tool_name: 'Write',
      tool_input: { file_path, content: 'KEY=1' },
    }),
  },
  {
    host: 'copilot',
    event: 'preToolUse',
    shell: (command) => ({ ...copilot, toolName: 'bash', toolArgs: { command } }),
    write: (path) => ({ ...copilot, toolName: 'create', toolArgs: { path, file_text: 'KEY=1' } }),
  },
  {
    host: 'opencode',
    event: 'tool.execute.before',
    shell: (command) => ({ session_id: 's1', tool: 'bash', args: { command } }),
    write: (filePath) => ({
      session_id: 's1',
      tool: 'write',
      args: { filePath, content: 'KEY=1' },
    }),
  },
  {
    host: 'kodelet',
    shell: (command) => ({ ...kodelet, tool_name: 'bash', tool_input: { command } }),
    write: (file_path) => ({
      ...kodelet,
      tool_name: 'file_write',
      tool_input: { file_path, text: 'KEY=1' },
    }),
  },
];

describe.each(samples)('the guard of examples/every-agent in $host', (sample) => {
  const { host, event, shell, write } = sample;

  /** Returns what the relay prints for an event, in a project with the example's hooks. */
  const printed = async (given: object): Promise<string> => {
    const { project, relay } = relayBox();
    cpSync(example, project, { recursive: true });
    const { stdout, stderr } = await relay(host, given, {
      env: { CURSOR_PROJECT_DIR: project },
      ...(event !== undefined && { event }),
    });
    expect(stderr).toBe('');
    return stdout;
  };

  // Commands and paths look the same in all hosts, so only the first one tries variants.
  const isFirst = host === samples[0]!.host;

  test.each(['git push --force', ...(isFirst ? ['git add . && git push -f origin main'] : [])])(
    'the guard of examples/every-agent denies %s',
    async (command) => {
      expect(await printed(shell(command))).toContain('git push --force loses the work of others');
    },
  );

  test.each(['config/.env.local', ...(isFirst ? ['.env'] : [])])(
    'the guard of examples/every-agent denies writing the file %s',
    async (path) => {
      expect(await printed(write(path))).toContain('holds secrets');
    },
  );

  test('the guard of examples/every-agent denies a shell command that writes a file of secrets', async () => {
    expect(await printed(shell('echo KEY=1 >> .env'))).toContain('.env holds secrets');
  });

  test('the guard of examples/every-agent has no opinion on other commands and files', async () => {
    const allowed = await Promise.all([
      printed(shell('git push --force-with-lease 2>&1 | cat .env')),
      printed(write('environment.ts')),
    ]);
    for (const text of allowed) expect(text).not.toMatch(/den|block|secrets/i);
  });
});
