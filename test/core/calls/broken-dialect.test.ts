import { describe, expect, test } from 'vitest';
import { llxprt } from '../../../src/hosts/llxprt/index.ts';
import { kodelet } from '../../../src/hosts/kodelet/index.ts';
import { callTool } from '../../support/call-tool.ts';
import { answering, kodeletBox } from '../../support/kodelet.ts';
import { inParallel, inSequence, someFields, startSession } from '../../support/session.ts';

const parts = [
  'compileMatcher',
  'identity',
  'environment',
  'stdin',
  'read',
  'chain',
  'merge',
] as const;

/** A custom dialect, one part of which throws. */
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

  test.each(orders)(
    'a guard that fails closed stays closed when its dialect throws (%o)',
    async (order) => {
      const hooks = { BeforeTool: order('true', { ...guard, onFailure: 'block' }) };
      const { outcome, ran } = await callTool(hooks, { config: broken(part) });
      expect(outcome.status).toBe('blocked');
      expect(ran).toEqual([]);
      const session = await startSession(hooks, broken(part));
      const { finalOutput } = await session.fire('BeforeTool', someFields.BeforeTool);
      expect(finalOutput?.isBlockingDecision()).toBe(true);
    },
  );

  test.each(orders)(
    'a dialect that throws is reported, and known denials still count (%o)',
    async (order) => {
      const { outcome, session } = await callTool(
        { BeforeTool: order('true', guard) },
        { config: broken(part) },
      );
      const isReported = ['compileMatcher', 'chain', 'merge'].includes(part);
      expect(outcome.status).toBe(isReported ? 'blocked' : 'done');
      // Parallel hooks do not chain.
      if (part !== 'chain' || order === inSequence)
        expect(session.warnings.join('\n')).toContain('the dialect is broken');
    },
  );
});

test.each(['environment', 'stdin', 'read', 'chain', 'merge'] as const)(
  'a dialect whose %s() throws does not cancel denials by other dialects',
  async (part) => {
    const { local, start } = kodeletBox();
    local('guard', answering('before_tool_call', { blocked: true, reason: 'no' }));
    const { fire } = await start({
      dialects: [...broken(part).dialects, kodelet],
      settings: { tools: { enableHooks: true }, hooks: { BeforeTool: inParallel('echo "{}"') } },
    });
    const { finalOutput, success } = await fire('BeforeTool', someFields.BeforeTool);
    expect(finalOutput?.isBlockingDecision()).toBe(true);
    // The broken dialect has only one hook, so there is nothing to chain.
    if (part !== 'chain') expect(success).toBe(false);
  },
);
