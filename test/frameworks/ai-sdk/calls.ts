import { expect, test, vi } from 'vitest';
import { group } from '../../support/project.ts';
import { print } from '../../support/session.ts';
import { deny, done, resultsIn, wantsWrite, type Suite } from './agent.ts';
import { loadSdk } from './sdk.ts';

const repaired = async ({ toolCall }: { readonly toolCall: object }) => ({
  ...toolCall,
  input: '{"path":"secret"}',
});

/** What happens to tool calls. */
export function calls({ version, mode, agent }: Suite): void {
  test('a call runs as it is if no hook matches', async () => {
    const write = vi.fn((_input: object) => 'written');
    const { run, asked, warnings } = await agent({
      hooks: { BeforeTool: [group(deny('no'), {}, 'other')] },
      answers: [wantsWrite, done],
      tools: { write },
    });
    const { text, steps } = await run('Go');
    expect(text).toBe('Done.');
    expect(steps).toHaveLength(2);
    expect(write).toHaveBeenCalledOnce();
    expect(resultsIn(asked()[1]!)).toEqual([{ type: 'text', value: 'written' }]);
    expect(warnings).toEqual([]);
  });

  test('a call runs as it is if hooks are off', async () => {
    const { run } = await agent({
      hooks: { BeforeTool: [group(deny('no'))] },
      answers: [wantsWrite, done],
      tools: { write: () => 'written' },
      options: { settings: { tools: { enableHooks: false } } },
    });
    expect((await run('Go')).text).toBe('Done.');
  });

  test.each([
    ['exit status 2', deny('not here')],
    ['JSON', print({ decision: 'deny', reason: 'not here' })],
  ])('a call denied by %s does not run, and the model reads why', async (_, command) => {
    const write = vi.fn();
    const { run, asked, blocked } = await agent({
      hooks: { BeforeTool: [group(command)] },
      answers: [wantsWrite, done],
      tools: { write },
    });
    const { text, steps } = await run('Go');
    expect(text).toBe('Done.');
    expect(write).not.toHaveBeenCalled();
    expect(resultsIn(asked()[1]!)).toEqual([{ type: 'error-text', value: 'not here' }]);
    expect(steps[0]!.content.map(({ type }) => type)).toEqual(['text', 'tool-call', 'tool-error']);
    expect(blocked).toEqual([{ tool: 'write', reason: 'not here' }]);
  });

  test('if one of two simultaneous calls is denied, the other runs, and so does the next call of the same tool', async () => {
    const guard = `jq -e '.tool_input.path == "a.txt"' > /dev/null && { echo 'not a' >&2; exit 2; } || true`;
    const write = vi.fn(({ path }: { readonly path: string }) => `wrote ${path}`);
    const { run, asked } = await agent({
      hooks: { BeforeTool: [group(guard)] },
      answers: [
        {
          calls: [
            ['c1', 'write', { path: 'a.txt' }],
            ['c2', 'write', { path: 'b.txt' }],
          ],
        },
        { calls: [['c3', 'write', { path: 'c.txt' }]] },
        done,
      ],
      tools: { write },
    });
    await run('Go');
    expect(write.mock.calls.map(([{ path }]) => path)).toEqual(['b.txt', 'c.txt']);
    expect(resultsIn(asked()[2]!)).toEqual([
      { type: 'error-text', value: 'not a' },
      { type: 'text', value: 'wrote b.txt' },
      { type: 'text', value: 'wrote c.txt' },
    ]);
  });

  test('a call runs if a hook fails, and a warning says so', async () => {
    const write = vi.fn((_input: object) => 'written');
    const { run, warnings } = await agent({
      hooks: { BeforeTool: [group('echo broken >&2; exit 7')] },
      answers: [wantsWrite, done],
      tools: { write },
    });
    await run('Go');
    expect(write).toHaveBeenCalledOnce();
    expect(warnings.join()).toContain('broken');
  });

  test('rewritten arguments reach the tool, AfterTool, the history and what is shown', async () => {
    const write = vi.fn((_input: object) => 'written');
    const { run, asked, left } = await agent({
      hooks: {
        BeforeTool: [group(print({ hookSpecificOutput: { tool_input: { path: 'b.txt' } } }))],
        AfterTool: [group('jq -c .tool_input > after.json')],
      },
      answers: [wantsWrite, done],
      tools: { write },
    });
    const { steps, messages, parts } = await run('Go');
    expect(write.mock.calls[0]![0]).toEqual({ path: 'b.txt' });
    expect(JSON.parse(left('after.json'))).toEqual({ path: 'b.txt' });
    const call: object = expect.objectContaining({
      type: 'tool-call',
      toolCallId: 'c1',
      input: { path: 'b.txt' },
    });
    expect(steps[0]!.content).toContainEqual(call);
    expect(messages[0]!['content']).toContainEqual(call);
    expect(asked()[1]!.prompt[1]!.content).toContainEqual(call);
    if (mode === 'generated') return;
    const deltas = parts.filter(({ type }) => type === 'tool-input-delta');
    expect(deltas.map(({ delta }) => delta)).toEqual(['{"path":"b.txt"}']);
    expect(JSON.stringify(parts)).not.toContain('a.txt');
  });

  test('arguments that the SDK repaired are judged, and judged ones that a schema transformed are not judged again', async () => {
    const { z } = (await loadSdk(version)).zod;
    const write = vi.fn((_input: object) => 'written');
    const guard = `tee -a judged | jq -e '.tool_input.path != "secret"' > /dev/null || { echo 'not that' >&2; exit 2; }`;
    const { run, asked, left } = await agent({
      hooks: { BeforeTool: [group(guard)] },
      answers: [
        {
          calls: [
            ['c1', 'write', { path: 5 }],
            ['c2', 'write', { path: 'a.txt' }],
          ],
        },
        done,
      ],
      tools: {
        write: {
          inputSchema: z.object({ path: z.string(), mode: z.string().default('new') }),
          execute: write,
        },
      },
    });
    await run('Go', { experimental_repairToolCall: repaired });
    expect(write.mock.calls.map(([input]) => input)).toEqual([{ path: 'a.txt', mode: 'new' }]);
    expect(JSON.stringify(resultsIn(asked()[1]!))).toContain('not that');
    expect(left('judged').match(/"tool_input"/g)).toHaveLength(3);
  });

  test('calls with the same id in two runs are told apart', async () => {
    const guard = `jq -e '.tool_input.path == "a.txt"' > /dev/null && { echo 'not a' >&2; exit 2; } || true`;
    const write = vi.fn(({ path }: { readonly path: string }) => `wrote ${path}`);
    const { run } = await agent({
      hooks: { BeforeTool: [group(guard)] },
      answers: ({ prompt }) => {
        const [{ text }] = prompt[0]!.content as [{ text: string }];
        return prompt.length > 1
          ? { text: JSON.stringify(prompt.at(-1)!.content) }
          : { calls: [['c1', 'write', { path: text }]] };
      },
      tools: { write },
    });
    const [one, other] = await Promise.all([run('a.txt'), run('b.txt')]);
    expect(one.text).toContain('not a');
    expect(other.text).toContain('wrote b.txt');
    expect(write).toHaveBeenCalledOnce();
  });
}
