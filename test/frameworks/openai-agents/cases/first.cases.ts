import { describe, expect, test } from 'vitest';
import { call, deny, modes, print, resultsIn, runIn, says, setup, shown } from './kit.ts';

describe.each(modes)('an agent of the OpenAI Agents SDK, %s', (mode) => {
  test('a denied tool call does not run, and the model reads why; another call runs with rewritten arguments, the only ones that are shown', async () => {
    const { runner, agent, model, ran, blocked } = setup({
      hooks: {
        BeforeTool: {
          read: deny('no reading'),
          write: print({ hookSpecificOutput: { tool_input: { path: 'new.txt' } } }),
        },
      },
      script: [
        [call('read', 'a.txt', 'call_1'), call('write', 'old.txt', 'call_2')],
        [says('Done.')],
      ],
    });
    const { output, events, result } = await runIn(mode, runner, agent, 'Go');
    expect(output).toBe('Done.');
    expect(ran).toEqual([{ name: 'write', input: { path: 'new.txt' } }]);
    expect(resultsIn(model)).toEqual({ call_1: 'no reading', call_2: 'done' });
    expect(blocked).toEqual([{ tool: 'read', reason: 'no reading' }]);
    const all = JSON.stringify(result.history) + shown(events);
    expect(all).toContain('new.txt');
    expect(all).not.toContain('old.txt');
  });
});
