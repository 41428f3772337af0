import { describe, expect, test, vi } from 'vitest';
import { runToolCall, type Confirm } from '../../src/agent/run-tool-call.ts';
import { llxprt } from '../../src/dialects/llxprt/index.ts';
import type { Dialect } from '../../src/dialects/dialect.ts';
import { createConfig } from '../../src/hooks/create-config.ts';
import { tempFolder } from '../support/temp-folder.ts';

/** LLxprt's hooks under a dialect whose approvals count and whose questions deny where nobody is asked. */
const { unasked: _, ...rest } = llxprt;
const deciding: Dialect = { ...rest, name: 'deciding', family: 'deciding', approves: true };

async function call(answer: object, confirm?: Confirm, dialect: Dialect = deciding) {
  const hook = { type: 'command' as const, command: `echo '${JSON.stringify(answer)}'` };
  const config = createConfig({
    cwd: tempFolder(),
    settings: { tools: { enableHooks: true }, hooks: { BeforeTool: [{ hooks: [hook] }] } },
    dialects: [dialect],
  });
  const tool = vi.fn(async () => ({ llmContent: 'done', returnDisplay: 'done' }));
  const request = { id: '1', name: 'write_file', input: { a: 1 } };
  const ended = await runToolCall(config, request, tool, { ...(confirm && { confirm }) });
  return { ...ended, ran: tool.mock.calls.length === 1 };
}

describe('a hook that asks', () => {
  const asks = { decision: 'ask', reason: 'is that wise?' };

  test('has the user asked, who is given its reason', async () => {
    const confirm = vi.fn(() => true);
    expect(await call(asks, confirm)).toMatchObject({ ran: true, outcome: { status: 'done' } });
    expect(confirm).toHaveBeenCalledWith(expect.objectContaining({ reason: 'is that wise?' }));
  });

  test('keeps the tool from running when the user declines', async () => {
    expect(await call(asks, () => false)).toMatchObject({
      ran: false,
      outcome: { status: 'refused', by: 'user' },
    });
  });

  test('denies where nobody can be asked (S-02)', async () => {
    const { ran, outcome, toolResult } = await call(asks);
    expect([ran, outcome.status]).toEqual([false, 'blocked']);
    expect(toolResult.llmContent).toContain('is that wise?');
  });

  test("lets the call pass where nobody can be asked, if it is LLxprt's (HOOK-182)", async () => {
    expect(await call(asks, undefined, llxprt)).toMatchObject({ ran: true });
  });
});

describe('a hook that approves', () => {
  test("spares the user the host's question, where its dialect's approvals count (S-01)", async () => {
    const confirm = vi.fn(() => false);
    expect(await call({ decision: 'allow' }, confirm)).toMatchObject({ ran: true });
    expect(confirm).not.toHaveBeenCalled();
  });

  test("is no opinion if it is LLxprt's (S-01)", async () => {
    const confirm = vi.fn(() => false);
    expect(await call({ decision: 'allow' }, confirm, llxprt)).toMatchObject({ ran: false });
  });
});

describe('a hook that defers', () => {
  test('is a denial where nobody takes the call up again', async () => {
    const { merge: _merge, ...merged } = deciding;
    const later: Dialect = {
      ...merged,
      read: (hook, outcome, payload) => ({
        ...llxprt.read(hook, outcome, payload),
        decision: 'defer',
        reason: 'tomorrow',
      }),
    };
    expect(await call({}, undefined, later)).toMatchObject({
      ran: false,
      outcome: { status: 'blocked' },
    });
    expect(await call({}, () => true, later)).toMatchObject({
      ran: false,
      outcome: { status: 'deferred', id: '1', toolName: 'write_file', toolInput: { a: 1 } },
      stop: { reason: 'tomorrow' },
    });
  });
});
