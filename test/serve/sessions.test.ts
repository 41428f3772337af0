import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { WarmHooks, type SessionEvent } from '../../src/cli/warm-hooks.ts';
import { hookmachine as ours } from '../../src/dialects/hookmachine/index.ts';
import { guards, relayBox } from '../support/relay.ts';
import { callIn, startServe } from '../support/serve.ts';

test('serve ends the session that was idle for longest when there are more than it keeps, and reports that', async () => {
  const box = relayBox();
  box.guard({ 'tool.before': guards.deny });
  const warnings: string[] = [];
  const warm = new WarmHooks({
    hooks: true,
    trust: true,
    observe: () => undefined,
    warn: (line) => void warnings.push(line),
    mostSessions: 2,
  });
  onTestFinished(() => warm.close());
  const through = async (sessionId: string) => {
    const event: SessionEvent = {
      fired: {
        event: 'BeforeTool',
        fields: { tool_name: 'write_file', tool_input: {} },
        context: {},
        folder: box.project,
        canAsk: false,
      },
      host: 'claude-code',
      sessionId,
      dialects: [ours],
      signal: new AbortController().signal,
    };
    return (await warm.through(event)).result.verdict.decision;
  };
  for (const id of ['one', 'two', 'one']) expect(await through(id)).toBe('deny');
  expect(warnings).toEqual([]);
  expect(await through('three')).toBe('deny');
  expect(warnings).toEqual([expect.stringContaining('hooks of 2 sessions are kept')]);
  expect(await through('one')).toBe('deny');
  expect(warnings).toHaveLength(1);
  expect(await through('two')).toBe('deny');
  expect(warnings).toHaveLength(2);
});

test('serve --record records what serve does', async () => {
  const box = relayBox();
  box.guard({ 'tool.before': guards.deny });
  const { post } = await startServe(box, ['--record', 'served.jsonl']);
  expect((await post(callIn(box.project))).status).toBe(200);
  expect(readFileSync(join(box.project, 'served.jsonl'), 'utf8')).toContain('not here');
});
