import { expect, test, vi } from 'vitest';
import { group } from '../../support/project.ts';
import { print } from '../../support/session.ts';
import { done, wantsWrite, type Suite } from './agent.ts';

const stop = print({ continue: false, stopReason: 'enough' });

/** How a hook ends a run. */
export function stops({ agent }: Suite): void {
  test.each([
    ['before a tool', 'BeforeTool', 0, 1],
    ['after a tool', 'AfterTool', 1, 1],
    ['before the model', 'BeforeModel', 0, 0],
    ['after the model', 'AfterModel', 0, 1],
  ])('a run ends if a hook stops it %s', async (_, event, ran, asked) => {
    const write = vi.fn((_input: object) => 'written');
    const made = await agent({
      hooks: { [event]: [group(stop)] },
      answers: [wantsWrite, done],
      tools: { write },
    });
    const { text } = await made.run('Go');
    expect(text).toContain('enough');
    expect(write).toHaveBeenCalledTimes(ran);
    expect(made.asked()).toHaveLength(asked);
    expect(made.stops).toEqual(['enough']);
  });

  test('if a hook stops one of two runs, the other and the next one continue', async () => {
    const guard = `jq -e '.tool_input.path == "a.txt"' > /dev/null && ${stop} || true`;
    const write = vi.fn(({ path }: { readonly path: string }) => `wrote ${path}`);
    const { run, stops: reasons } = await agent({
      hooks: { BeforeTool: [group(guard)] },
      answers: ({ prompt }) => {
        const [{ text }] = prompt[0]!.content as [{ text: string }];
        return prompt.length > 1 ? done : { calls: [['c1', 'write', { path: text }]] };
      },
      tools: { write },
    });
    const [one, other] = await Promise.all([run('a.txt'), run('b.txt')]);
    expect([one.text, other.text]).toEqual(['enough', 'Done.']);
    expect((await run('b.txt')).text).toBe('Done.');
    expect(reasons).toEqual(['enough']);
  });

  test('no call of an answer runs if a hook stopped the run at another call of it', async () => {
    const guard = `jq -e '.tool_input.path == "a.txt"' > /dev/null && ${stop} || true`;
    const write = vi.fn();
    const { run } = await agent({
      hooks: { BeforeTool: [group(guard)] },
      answers: [
        {
          calls: [
            ['c1', 'write', { path: 'a.txt' }],
            ['c2', 'write', { path: 'b.txt' }],
          ],
        },
      ],
      tools: { write },
    });
    expect((await run('Go')).text).toBe('enough');
    expect(write).not.toHaveBeenCalled();
  });

  test('a call that no hook matches does not run if a hook stopped the run at another call of the answer', async () => {
    const read = vi.fn();
    const { run } = await agent({
      hooks: { BeforeTool: [group(stop, {}, 'write')] },
      answers: [
        {
          calls: [
            ['c1', 'read', { path: 'a.txt' }],
            ['c2', 'write', { path: 'b.txt' }],
          ],
        },
      ],
      tools: { read, write: vi.fn((_input: object) => 'written') },
    });
    expect((await run('Go')).text).toBe('enough');
    expect(read).not.toHaveBeenCalled();
  });
}
