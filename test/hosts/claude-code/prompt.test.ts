import { expect, test } from 'vitest';
import { createModel } from '../../../src/agent/models/create-model.ts';
import { providerServer, streaming } from '../../agent/models/provider-server.ts';
import { openAI } from '../../agent/models/wires.ts';
import { claudeBox, settingsOf } from '../../support/claude-code.ts';

const call = { tool_name: 'run_shell_command', tool_input: { command: 'rm -rf build' } };

/** Returns what a prompt hook decides if its model, on a server of this machine, says this. */
async function judged(answer: string, options: object = {}) {
  const server = await providerServer(streaming(openAI.text(answer)));
  const model = await createModel('openai-compatible:judge', {
    baseUrl: `${server.url}/v1`,
    env: {},
  });
  const box = claudeBox();
  const hook = { type: 'prompt', prompt: 'Is this safe? $ARGUMENTS', ...options };
  box.local(settingsOf('PreToolUse', hook, 'Bash'));
  const names: (string | undefined)[] = [];
  const { fire, warnings } = await box.start({
    getHookModel: (name) => {
      names.push(name);
      return model;
    },
  });
  const { verdict } = await fire('BeforeTool', call);
  const asked = server.arrived.map(({ body }) => JSON.stringify(body));
  return { verdict, warnings, asked, names };
}

test('a prompt hook asks the model about the call in Claude Code’s words, and denies if the model says so', async () => {
  const { verdict, asked } = await judged('{"ok": false, "reason": "It deletes the build."}');
  expect(verdict).toMatchObject({ decision: 'deny', reason: 'It deletes the build.' });
  expect(asked).toHaveLength(1);
  for (const part of ['Is this safe?', 'PreToolUse', 'Bash', 'rm -rf build'])
    expect(asked[0]).toContain(part);
  expect(asked[0]).not.toContain('run_shell_command');
});

test('a prompt hook whose model agrees has no opinion', async () => {
  const { verdict, warnings, asked } = await judged('{"ok": true}');
  expect([verdict.decision, warnings, asked.length]).toEqual([undefined, [], 1]);
});

test('a prompt hook asks the model that it names', async () => {
  expect((await judged('{"ok": true}', { model: 'small' })).names).toEqual(['small']);
});

test('a prompt hook whose model does not give a judgement fails, and denies only if its onFailure is "block"', async () => {
  const { verdict, warnings } = await judged('I think so.');
  expect(verdict.decision).toBeUndefined();
  expect(warnings.join('\n')).toContain('the model did not answer with');
  const strict = await judged('I think so.', { onFailure: 'block' });
  expect(strict.verdict.decision).toBe('deny');
});
