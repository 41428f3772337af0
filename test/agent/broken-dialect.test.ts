import { describe, expect, test } from 'vitest';
import { llxprt } from '../../src/dialects/llxprt/index.ts';
import { callTool } from '../support/call-tool.ts';
import { inParallel, inSequence, someFields, startSession } from '../support/session.ts';

const parts = [
  'compileMatcher',
  'identity',
  'environment',
  'stdin',
  'read',
  'chain',
  'standing',
] as const;

/** A dialect of a host of its own, one part of which throws. */
const broken = (part: (typeof parts)[number]) => ({
  dialects: [
    {
      ...llxprt,
      [part]: () => {
        throw new Error('the dialect is broken');
      },
    },
  ],
});

describe.each(parts)('a dialect whose %s() throws', (part) => {
  const guard = { name: 'guard', command: 'exit 2' };
  const orders = [inParallel, inSequence] as const;

  test.each(orders)('never opens a guard that fails closed (%o)', async (order) => {
    const hooks = { BeforeTool: order('true', { ...guard, onFailure: 'block' }) };
    const { outcome, ran } = await callTool(hooks, { config: broken(part) });
    expect(outcome.status).toBe('blocked');
    expect(ran).toEqual([]);
    const session = await startSession(hooks, broken(part));
    const { finalOutput } = await session.fire('BeforeTool', someFields.BeforeTool);
    expect(finalOutput?.isBlockingDecision()).toBe(true);
  });

  // Hooks side by side chain nothing.
  test.each(orders.filter((order) => part !== 'chain' || order === inSequence))(
    'lets a call go on otherwise, and says so (%o)',
    async (order) => {
      const hooks = { BeforeTool: order('true', guard) };
      const { outcome, session } = await callTool(hooks, { config: broken(part) });
      expect(outcome.status).toBe('done');
      expect(session.warnings.join('\n')).toContain('the dialect is broken');
    },
  );
});
