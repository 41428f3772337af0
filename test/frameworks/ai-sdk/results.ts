import { expect, test, vi } from 'vitest';
import { group } from '../../support/project.ts';
import { print } from '../../support/session.ts';
import { done, resultsIn, wantsWrite, type Suite } from './agent.ts';

const context = print({ hookSpecificOutput: { additionalContext: 'It was formatted.' } });

async function* generator() {
  yield 'one';
  yield 'two';
}

/** What happens to results. */
export function results({ version, mode, agent }: Suite): void {
  test('the model reads context after a text', async () => {
    const { run, asked } = await agent({
      hooks: { AfterTool: [group(context)] },
      answers: [wantsWrite, done],
      tools: { write: () => 'written' },
    });
    await run('Go');
    expect(resultsIn(asked()[1]!)).toEqual([
      { type: 'text', value: 'written\n\nIt was formatted.' },
    ]);
  });

  test('the program gets the object of a tool as it is, and the model reads context beside it', async () => {
    const output = { lines: 3 };
    const { run, asked, left } = await agent({
      hooks: { AfterTool: [group(`jq -c .tool_response.llmContent > seen.json; ${context}`)] },
      answers: [wantsWrite, done],
      tools: { write: () => output },
    });
    const { steps } = await run('Go');
    expect(JSON.parse(left('seen.json'))).toEqual(output);
    const result = steps[0]!.content.find(({ type }) => type === 'tool-result');
    expect(result!['output']).toBe(output);
    expect(resultsIn(asked()[1]!)).toEqual([
      {
        type: 'content',
        value: [
          { type: 'text', text: '{"lines":3}' },
          { type: 'text', text: 'It was formatted.' },
        ],
      },
    ]);
  });

  test('context is added to what a tool’s own toModelOutput makes of its output', async () => {
    const { run, asked } = await agent({
      hooks: { AfterTool: [group(context)] },
      answers: [wantsWrite, done],
      tools: {
        write: {
          execute: () => ({ lines: 3 }),
          toModelOutput: (given: {
            readonly output?: { readonly lines: number };
            readonly lines?: number;
          }) => ({
            type: 'text',
            value: `${(version === 5 ? given.lines : given.output?.lines) ?? 'no'} lines`,
          }),
        },
      },
    });
    await run('Go');
    expect(resultsIn(asked()[1]!)).toEqual([
      { type: 'text', value: '3 lines\n\nIt was formatted.' },
    ]);
  });

  test('the error of a tool that hooks leave alone is thrown as it is', async () => {
    const error = new RangeError('too long');
    const { run, asked, left } = await agent({
      hooks: { AfterTool: [group('jq -c .tool_response.error > seen.json')] },
      answers: [wantsWrite, done],
      tools: {
        write: () => {
          throw error;
        },
      },
    });
    const { steps } = await run('Go');
    const failed = steps[0]!.content.find(({ type }) => type === 'tool-error');
    expect(failed!['error']).toBe(error);
    expect(JSON.parse(left('seen.json'))).toMatchObject({ message: 'too long' });
    expect(resultsIn(asked()[1]!)).toMatchObject([{ type: 'error-text' }]);
  });

  test('the model reads context after the error of a tool', async () => {
    const { run, asked } = await agent({
      hooks: { AfterTool: [group(context)] },
      answers: [wantsWrite, done],
      tools: { write: () => Promise.reject(new RangeError('too long')) },
    });
    await run('Go');
    expect(resultsIn(asked()[1]!)).toEqual([
      { type: 'error-text', value: 'too long\n\nIt was formatted.' },
    ]);
  });

  test.each([
    ['a generator', generator],
    ['a function that returns a generator', () => generator()],
  ])('the last value of %s is held back', async (_, write) => {
    const { run, asked } = await agent({
      hooks: { AfterTool: [group(context)] },
      answers: [wantsWrite, done],
      tools: { write },
    });
    const { parts } = await run('Go');
    expect(resultsIn(asked()[1]!)).toEqual([{ type: 'text', value: 'two\n\nIt was formatted.' }]);
    if (mode === 'generated') return;
    const outputs = parts.filter(({ type }) => type === 'tool-result').map(({ output }) => output);
    expect(outputs).not.toContain('two');
    expect(outputs).toContain('one');
  });

  test('a tool without a result still has none', async () => {
    const write = vi.fn();
    const { run, asked } = await agent({
      hooks: { AfterTool: [group('true')] },
      answers: [wantsWrite, done],
      tools: { write },
    });
    const { steps } = await run('Go');
    const result = steps[0]!.content.find(({ type }) => type === 'tool-result');
    expect(result!['output']).toBeUndefined();
    expect(resultsIn(asked()[1]!)).toEqual([{ type: 'json', value: null }]);
  });
}
