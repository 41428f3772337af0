import { expect, test, vi } from 'vitest';
import { group } from '../../support/project.ts';
import { print } from '../../support/session.ts';
import { deny, done, resultsIn, wantsWrite, type Suite } from './agent.ts';
import { loadSdk, type Fields } from './sdk.ts';

const ask = print({ decision: 'ask', reason: 'May it write?' });
const rewrite = print({ hookSpecificOutput: { tool_input: { path: 'b.txt' } } });

/** Settings of our own, whose `ask` is a denial if nobody can be asked. */
const own = (hooks: Readonly<Record<string, string>>): Readonly<Record<string, object>> => ({
  '.hookmachine/settings.json': {
    hooks: Object.fromEntries(
      Object.entries(hooks).map(([point, command]) => [point, [group(command)]]),
    ),
  },
});

/** The user's answers to the questions in an answer. */
const approval = (content: readonly Fields[], approved: boolean): object => ({
  role: 'tool',
  content: content
    .filter(({ type }) => type === 'tool-approval-request')
    .map(({ approvalId }) => ({ type: 'tool-approval-response', approvalId, approved })),
});

/** How the user is asked. */
export function approvals({ version, agent }: Suite): void {
  test('a question about a tool without hooks is a denial, and the tool never runs', async () => {
    const extra = vi.fn();
    const { ai } = await loadSdk(version);
    const inputSchema = ai.jsonSchema({ type: 'object' });
    const { run } = await agent({
      files: own({ 'tool.before': ask }),
      answers: [{ calls: [['c1', 'extra', {}]] }],
    });
    const { text } = await run('Go', {
      tools: { extra: ai.tool({ inputSchema, execute: extra }) },
    });
    expect(text).toContain('May it write?');
    expect(extra).not.toHaveBeenCalled();
  });

  if (version === 5) {
    test('a question is a denial, because nobody can be asked', async () => {
      const write = vi.fn();
      const { run, asked } = await agent({
        files: own({ 'tool.before': ask }),
        answers: [wantsWrite, done],
        tools: { write },
      });
      await run('Go');
      expect(write).not.toHaveBeenCalled();
      expect(JSON.stringify(resultsIn(asked()[1]!))).toContain('May it write?');
    });
    return;
  }

  test('the user is asked what a hook wants asked, and an approved call runs', async () => {
    const write = vi.fn((_input: object) => 'written');
    const { run, asked } = await agent({
      files: own({ 'tool.before': ask }),
      answers: [wantsWrite, done],
      tools: { write },
    });
    const first = await run('Go');
    expect(write).not.toHaveBeenCalled();
    const question = first.steps[0]!.content.find(({ type }) => type === 'tool-approval-request');
    expect(question).toMatchObject({ toolCall: { input: { path: 'a.txt' } } });
    const messages = [{ role: 'user', content: 'Go' }, ...first.messages];
    const { text } = await run([...messages, approval(first.steps[0]!.content, true)]);
    expect(text).toBe('Done.');
    expect(write).toHaveBeenCalledOnce();
    expect(resultsIn(asked()[1]!)).toEqual([{ type: 'text', value: 'written' }]);
  });

  test('a call that the user refused does not run', async () => {
    const write = vi.fn();
    const { run } = await agent({
      files: own({ 'tool.before': ask }),
      answers: [wantsWrite, done],
      tools: { write },
    });
    const first = await run('Go');
    const messages = [{ role: 'user', content: 'Go' }, ...first.messages];
    const { text } = await run([...messages, approval(first.steps[0]!.content, false)]);
    expect(text).toBe('Done.');
    expect(write).not.toHaveBeenCalled();
  });

  test('the question about a tool call shows the rewritten arguments', async () => {
    const { run } = await agent({
      hooks: { BeforeTool: [group(rewrite)] },
      answers: [wantsWrite, done],
      tools: { write: { execute: () => 'written', needsApproval: true } },
    });
    const { steps } = await run('Go');
    const question = steps[0]!.content.find(({ type }) => type === 'tool-approval-request');
    expect(question).toMatchObject({ toolCall: { input: { path: 'b.txt' } } });
  });

  test.each([
    ['approves', { decision: 'allow' }, 'written', false],
    ['denies', { decision: 'deny', reason: 'not here' }, 'not here', false],
    ['says nothing', {}, undefined, true],
  ])(
    'a ToolPermission hook that %s runs before the user is asked to approve a tool call',
    async (_, said, result, isAsked) => {
      const { run, asked, left } = await agent({
        files: own({ 'tool.permission': print(said), notify: 'jq -r .message > notified' }),
        answers: [wantsWrite, done],
        tools: { write: { execute: () => 'written', needsApproval: async () => true } },
      });
      const { steps } = await run('Go');
      const types = steps[0]!.content.map(({ type }) => type);
      expect(types.includes('tool-approval-request')).toBe(isAsked);
      expect(left('notified')).toBe(isAsked ? 'The agent wants to run write.\n' : '');
      expect(resultsIn(asked()[1] ?? { prompt: [] })).toEqual(
        result === undefined ? [] : [expect.objectContaining({ value: result })],
      );
    },
  );

  test('nobody is asked about a denied call', async () => {
    const needsApproval = vi.fn(() => true);
    const { run, asked } = await agent({
      hooks: { BeforeTool: [group(deny('not here'))] },
      answers: [wantsWrite, done],
      tools: { write: { execute: () => 'written', needsApproval } },
    });
    expect((await run('Go')).text).toBe('Done.');
    expect(needsApproval).not.toHaveBeenCalled();
    expect(resultsIn(asked()[1]!)).toEqual([{ type: 'error-text', value: 'not here' }]);
  });

  test.each([
    ['is judged and runs', ask, 'written'],
    ['does not run if a hook denies it', deny('not here'), 'not here'],
  ])('a call that was approved elsewhere %s', async (_, then, result) => {
    const tools = { write: vi.fn((_input: object) => 'written') };
    const before = await agent({
      files: own({ 'tool.before': ask }),
      answers: [wantsWrite],
      tools,
    });
    const first = await before.run('Go');
    const kept = JSON.parse(
      JSON.stringify([
        { role: 'user', content: 'Go' },
        ...first.messages,
        approval(first.steps[0]!.content, true),
      ]),
    ) as object[];
    const after = await agent({
      files: own({ 'tool.before': `cat > judged.json; ${then}` }),
      answers: [done],
      tools,
    });
    expect((await after.run(kept)).text).toBe('Done.');
    expect(JSON.parse(after.left('judged.json'))).toMatchObject({
      tool_input: { path: 'a.txt' },
    });
    expect(JSON.stringify(resultsIn(after.asked()[0]!))).toContain(result);
    expect(tools.write).toHaveBeenCalledTimes(result === 'written' ? 1 : 0);
  });

  test('a call whose arguments differ from the approved ones is judged again', async () => {
    const write = vi.fn();
    const guard = `jq -e '.tool_input.path == "a.txt"' > /dev/null || { echo 'only a' >&2; exit 2; }; ${ask}`;
    const { run } = await agent({
      files: own({ 'tool.before': guard }),
      answers: [wantsWrite, done],
      tools: { write },
    });
    const first = await run('Go');
    const messages = [
      { role: 'user', content: 'Go' },
      ...first.messages,
      approval(first.steps[0]!.content, true),
    ];
    const changed = JSON.parse(
      JSON.stringify(messages).replaceAll('"a.txt"', '"b.txt"'),
    ) as object[];
    await run(changed);
    expect(write).not.toHaveBeenCalled();
  });
}
