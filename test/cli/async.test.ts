import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { hookmachine } from '../support/hookmachine.ts';
import { hookAt } from '../support/own-hooks.ts';
import { sandbox } from '../support/sandbox.ts';
import { isAlive, untilWritten, waitUntil } from '../support/until.ts';

const call = JSON.stringify({ tool_name: 'write_file', tool_input: { file_path: 'a' } });

const unawaited = (command: string, more: object = {}) => ({
  type: 'command',
  command: `echo $$ > pid; until [ -e go ]; do sleep 0.02; done; ${command}`,
  async: true,
  ...more,
});

async function fired(hook: object) {
  const box = sandbox();
  box.write(box.own.user, hookAt('tool.before', hook));
  const at = (name: string): string => join(box.project, name);
  const { exitCode, stdout, stderr } = await hookmachine(box, ['fire', 'BeforeTool'], call);
  return { exitCode, stdout, stderr, at };
}

describe('hookmachine fire with an async hook', () => {
  test('fire ends before an async hook does, and the hook runs to its end', async () => {
    const { exitCode, stdout, stderr, at } = await fired(
      unawaited('cat > input; echo done > done; exit 2'),
    );
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(JSON.parse(stdout)).toMatchObject({
      decision: 'none',
      plan: { count: 1 },
      hookCount: 0,
      hooks: [],
    });
    expect(existsSync(at('done'))).toBe(false);
    writeFileSync(at('go'), '');
    await untilWritten(at('done'));
    expect(JSON.parse(await untilWritten(at('input')))).toMatchObject({ tool_name: 'write_file' });
  });

  test('an async hook keeps its timeout after fire has ended', async () => {
    const { at } = await fired(unawaited('', { timeout: 500 }));
    const pid = Number(await untilWritten(at('pid')));
    await waitUntil(() => !isAlive(pid));
    expect(existsSync(at('go'))).toBe(false);
  });

  test('fire reports an async hook that cannot be started', async () => {
    const { exitCode, stderr } = await fired({ type: 'prompt', prompt: 'Safe?', async: true });
    expect(exitCode).toBe(0);
    expect(stderr).toContain('there is no model to ask');
  });
});
