import { describe, expect, test } from 'vitest';
import { call, deny, modes, print, resultsIn, runIn, says, setup } from './kit.ts';

describe.each(modes)("an agent of Google's ADK, %s", (mode) => {
  test.each([
    ['with', 'a', 'b'],
    ['without', undefined, undefined],
  ])(
    'a denied tool call does not run, and the model reads why; another runs with rewritten arguments, the only ones that are shown (calls %s ids)',
    async (_, one, other) => {
      const { runner, model, ran, blocked } = setup({
        hooks: {
          BeforeTool: {
            read: deny('no reading'),
            write: print({ hookSpecificOutput: { tool_input: { path: 'new.txt' } } }),
          },
        },
        script: [[call('read', 'a.txt', one), call('write', 'old.txt', other)], [says('Done.')]],
      });
      const { output, events } = await runIn(mode, runner, 'Go');
      expect(output).toBe('Done.');
      expect(ran).toEqual([{ name: 'write', input: { path: 'new.txt' } }]);
      expect(resultsIn(model)).toEqual({
        read: { error: 'no reading' },
        write: { result: 'done' },
      });
      expect(blocked).toEqual([{ tool: 'read', reason: 'no reading' }]);
      expect(JSON.stringify(events)).toContain('new.txt');
      expect(JSON.stringify(events)).not.toContain('old.txt');
    },
  );
});
