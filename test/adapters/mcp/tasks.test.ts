import { expect, test } from 'vitest';
import { type CallResult, hooks, says, startMcp, texts } from '../../support/mcp.ts';

const context = says({ hookSpecificOutput: { additionalContext: 'by the way' } });
const env = { TASKS: '1' };
const task = { task: { ttl: 1_000 } };

test('hooks after a tool look at a task’s result once, and each time it is fetched it has what they added', async () => {
  const { call, write, answerTo } = await startMcp({
    files: hooks({ 'tool.after': `echo >> after; ${context}` }),
    env,
  });
  expect(await call(1, 'echo', { a: 1 }, task)).toMatchObject({ task: { taskId: 'task-1' } });
  for (const id of [2, 3]) {
    write({ id, method: 'tasks/result', params: { taskId: 'task-1' } });
    const { result } = await answerTo(id);
    expect(texts(result as CallResult)).toEqual(['{"a":1}', 'by the way']);
  }
});

test('a denied call that was to run as a task becomes a completed task with the reason as its result', async () => {
  const { call, write, answerTo, serverRead } = await startMcp({
    files: hooks({ 'tool.before': 'echo no >&2; exit 2' }),
    env,
  });
  const created = (await call(1, 'echo', {}, task)) as unknown as {
    task: { taskId: string; status: string };
  };
  expect(created.task.status).toBe('completed');
  const { taskId } = created.task;
  write({ id: 2, method: 'tasks/get', params: { taskId } });
  expect(await answerTo(2)).toMatchObject({ result: { taskId, status: 'completed' } });
  write({ id: 3, method: 'tasks/result', params: { taskId } });
  const { result } = await answerTo(3);
  expect(result).toMatchObject({ isError: true, content: [{ text: 'no' }] });
  expect(serverRead().some((line) => line.includes('tasks/'))).toBe(false);
});

test('a task that is cancelled or never fetched keeps nothing open', async () => {
  const { running, call, write, answerTo } = await startMcp({ env });
  await call(1, 'echo', {}, task);
  await call(2, 'echo', {}, task);
  write({ id: 3, method: 'tasks/cancel', params: { taskId: 'task-1' } });
  await answerTo(3);
  running.stdin.end();
  expect((await running).exitCode).toBe(0);
});
