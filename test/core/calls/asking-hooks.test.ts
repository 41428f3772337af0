import { describe, expect, test, vi } from 'vitest';
import { runToolCall, type Confirm } from '../../../src/core/calls/run-tool-call.ts';
import { llxprt } from '../../../src/hosts/llxprt/index.ts';
import type { Dialect } from '../../../src/core/dialects/dialect.ts';
import { createConfig } from '../../../src/hosts/system/create-config.ts';
import { tempFolder } from '../../support/temp-folder.ts';

/** LLxprt's hooks under a dialect whose approvals count and whose questions deny if nobody can be asked. */
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

  test('a hook that asks has the user asked, with its reason', async () => {
    const confirm = vi.fn(() => true);
    expect(await call(asks, confirm)).toMatchObject({ ran: true, outcome: { status: 'done' } });
    expect(confirm).toHaveBeenCalledWith(expect.objectContaining({ reason: 'is that wise?' }));
  });

  test('the tool does not run when the user declines a question of a hook', async () => {
    expect(await call(asks, () => false)).toMatchObject({
      ran: false,
      outcome: { status: 'refused', by: 'user' },
    });
  });

  test('a hook that asks denies the call if nobody can be asked (S-02)', async () => {
    const { ran, outcome, toolResult } = await call(asks);
    expect([ran, outcome.status]).toEqual([false, 'blocked']);
    expect(toolResult.llmContent).toContain('is that wise?');
  });

  test('an LLxprt hook that asks lets the call pass if nobody can be asked (HOOK-182)', async () => {
    expect(await call(asks, undefined, llxprt)).toMatchObject({ ran: true });
  });
});

describe('a hook that approves', () => {
  test("an approval replaces the host's question if its dialect's approvals count (S-01)", async () => {
    const confirm = vi.fn(() => false);
    expect(await call({ decision: 'allow' }, confirm)).toMatchObject({ ran: true });
    expect(confirm).not.toHaveBeenCalled();
  });

  test("an approval by an LLxprt hook does not replace the host's question (S-01)", async () => {
    const confirm = vi.fn(() => false);
    expect(await call({ decision: 'allow' }, confirm, llxprt)).toMatchObject({ ran: false });
  });
});

describe('a hook that defers', () => {
  test('a hook that defers denies the call if nobody can resume it', async () => {
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
