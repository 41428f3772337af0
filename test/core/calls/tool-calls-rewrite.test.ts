import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { callTool } from '../../support/call-tool.ts';
import { inParallel, inSequence, print } from '../../support/session.ts';

const rewrite = (toolInput: object, more: object = {}) =>
  print({ ...more, hookSpecificOutput: { tool_input: toolInput } });

const input = { file_path: 'a.txt', options: { mode: 'x', deep: true } };

test('the tool receives rewritten arguments, and the others stay (HOOK-019, C-43, C-64)', async () => {
  const { ran, outcome } = await callTool(
    { BeforeTool: inParallel(rewrite({ file_path: 'b.txt', dry: true })) },
    { input },
  );
  const rewritten = { file_path: 'b.txt', options: { mode: 'x', deep: true }, dry: true };
  expect(ran).toEqual([rewritten]);
  expect(outcome.toolInput).toEqual(rewritten);
});

test('a hook that returns all arguments gets exactly its values, and nested values are not merged (HOOK-216)', async () => {
  const whole = { file_path: 'b.txt', options: { mode: 'y' } };
  const { ran } = await callTool({ BeforeTool: inParallel(rewrite(whole)) }, { input });
  expect(ran).toEqual([whole]);
});

test('in a sequence, each hook sees the changes before it, and all changes reach the tool (HOOK-024, 106, 216, C-42)', async () => {
  const { ran, session } = await callTool(
    {
      BeforeTool: inSequence(
        rewrite({ file_path: 'b.txt', first: 1 }),
        `jq -c .tool_input >seen.json; ${rewrite({ file_path: 'c.txt', second: 2 })}`,
      ),
    },
    { input },
  );
  const { options } = input;
  expect(JSON.parse(readFileSync(join(session.folder, 'seen.json'), 'utf8'))).toEqual({
    file_path: 'b.txt',
    options,
    first: 1,
  });
  expect(ran).toEqual([{ file_path: 'c.txt', options, first: 1, second: 2 }]);
});

test('of parallel hooks, the last in plan order wins an argument, not the last to finish (C-44)', async () => {
  const { ran, before } = await callTool(
    {
      BeforeTool: inParallel(
        `sleep 0.2; ${rewrite({ file_path: 'slow.txt', one: 1 })}`,
        rewrite({ file_path: 'fast.txt', two: 2 }),
      ),
    },
    { input: { file_path: 'a.txt' } },
  );
  expect(ran).toEqual([{ file_path: 'fast.txt', one: 1, two: 2 }]);
  expect(before?.conflicts).toMatchObject([{ field: 'tool_input.file_path' }]);
});

test('AfterTool hooks see the arguments that the tool received', async () => {
  const { session } = await callTool({
    BeforeTool: inParallel(rewrite({ file_path: 'b.txt' })),
    AfterTool: inParallel('jq -j .tool_input.file_path >seen.txt'),
  });
  expect(readFileSync(join(session.folder, 'seen.txt'), 'utf8')).toBe('b.txt');
});

test('a failed hook rewrites nothing (HOOK-104, C-27)', async () => {
  const { ran } = await callTool(
    { BeforeTool: inParallel(`${rewrite({ file_path: 'b.txt' })}; exit 1`) },
    { input },
  );
  expect(ran).toEqual([input]);
});

test.each([['text'], [['a', 'list']], [null], [7]])(
  'a tool_input that is not an object (%j) changes nothing',
  async (toolInput) => {
    const { ran } = await callTool(
      { BeforeTool: inParallel(rewrite(toolInput as object)) },
      { input },
    );
    expect(ran).toEqual([input]);
  },
);

test('the caller’s own object is never modified (HOOK-217, G-05)', async () => {
  const frozen = Object.freeze({ file_path: 'a.txt', options: Object.freeze({ mode: 'x' }) });
  const { ran } = await callTool(
    {
      BeforeTool: inSequence(rewrite({ file_path: 'b.txt' }), rewrite({ options: { mode: 'y' } })),
    },
    { input: frozen },
  );
  expect(ran).toEqual([{ file_path: 'b.txt', options: { mode: 'y' } }]);
  expect(frozen).toEqual({ file_path: 'a.txt', options: { mode: 'x' } });
});

test('arguments named like built-in object properties are treated as plain data', async () => {
  const output =
    '{"hookSpecificOutput":{"tool_input":{"__proto__":{"polluted":1},"constructor":2}}}';
  const { ran } = await callTool({ BeforeTool: inParallel(`printf '%s' '${output}'`) }, { input });
  expect(Object.keys(ran[0]!)).toEqual(['file_path', 'options', '__proto__', 'constructor']);
  expect(({} as { polluted?: number }).polluted).toBeUndefined();
});
