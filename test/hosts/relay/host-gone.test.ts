import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, test } from 'vitest';
import { main } from '../../support/main.ts';
import { relayBox } from '../../support/relay.ts';
import { isAlive, untilWritten, waitUntil } from '../../support/until.ts';

const relayCommand = `node ${JSON.stringify(main)} relay claude-code`;

/** A host that calls the relay through a shell, as hosts do, and is killed once a hook runs. */
async function kill(box: ReturnType<typeof relayBox>, given: object): Promise<number> {
  const program = `
    const { spawn } = require('node:child_process');
    const relay = spawn(${JSON.stringify(relayCommand)}, { shell: true, stdio: 'pipe' });
    relay.stdin.end(${JSON.stringify(JSON.stringify(given))});
    setInterval(() => {}, 1000);`;
  const host = execa('node', ['-e', program], {
    cwd: box.project,
    env: { ...box.env, HOOKMACHINE_TRUST: '1', CLAUDE_PROJECT_DIR: '' },
    reject: false,
  });
  const hook = Number(await untilWritten(join(box.project, 'hook.pid')));
  host.kill('SIGKILL');
  return hook;
}

test('no hook outlives the host that asked the relay, even if the host is killed', async () => {
  const box = relayBox();
  // It would run for a long time.
  const command = 'echo $$ > hook.pid; exec sleep 600';
  const hooks = { 'tool.before': [{ hooks: [{ type: 'command', command, timeout: 600_000 }] }] };
  box.write(box.own.project, { hooks });
  const hook = await kill(box, {
    hook_event_name: 'PreToolUse',
    session_id: 's1',
    cwd: box.project,
    tool_name: 'Bash',
    tool_input: { command: 'ls' },
  });
  expect(hook).toBeGreaterThan(0);
  await waitUntil(() => !isAlive(hook));
});

test('hooks at the end of a session outlive the host, which is about to end', async () => {
  const box = relayBox();
  box.guard({ 'session.end': 'echo $$ > hook.pid; sleep 2; echo all > saved' });
  await kill(box, {
    hook_event_name: 'SessionEnd',
    session_id: 's1',
    cwd: box.project,
    reason: 'exit',
  });
  await waitUntil(() => existsSync(join(box.project, 'saved')));
  expect(readFileSync(join(box.project, 'saved'), 'utf8')).toBe('all\n');
});
