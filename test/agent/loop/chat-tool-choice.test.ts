import { describe, expect, test } from 'vitest';
import { everything, startChat } from '../../support/chat.ts';
import { inParallel, print } from '../../support/session.ts';
import { saying, wanting } from '../../support/some-model.ts';
import { someTool } from '../../support/some-tool.ts';

/** BeforeToolSelection hooks that return these configs. */
const selecting = (...configs: object[]) =>
  inParallel(...configs.map((toolConfig) => print({ hookSpecificOutput: { toolConfig } })));

const both = saying(wanting('write', { path: 'a' }, '1'), wanting('read', { path: 'b' }, '2'));

describe('the choice of tools', () => {
  test.each([
    ['NONE', { mode: 'NONE' }, ['refused', 'refused']],
    ['an empty list', { allowedFunctionNames: [] }, ['refused', 'refused']],
    ['a list', { mode: 'ANY', allowedFunctionNames: ['read'] }, ['refused', 'done']],
    ['a list with AUTO', { mode: 'AUTO', allowedFunctionNames: ['read'] }, ['refused', 'done']],
    ['ANY', { mode: 'ANY' }, ['done', 'done']],
  ])(
    'the choice of tools is enforced at execution, under %s (HOOK-057, C-88)',
    async (_, config, statuses) => {
      const tools = [someTool('write'), someTool('read')];
      const { run, chat, model } = await startChat([both, 'Done.'], {
        hooks: {
          BeforeToolSelection: selecting(config),
          BeforeTool: inParallel('echo ran >>ran.txt'),
        },
        tools,
      });
      const results = (await run()).filter((event) => event.type === 'toolResult');
      expect(Object.fromEntries(results.map(({ id, status }) => [id, status]))).toEqual({
        1: statuses[0],
        2: statuses[1],
      });
      expect(tools.map(({ runs }) => runs.length)).toEqual(
        statuses.map((status) => (status === 'done' ? 1 : 0)),
      );
      expect(chat.history[2]?.parts?.map(({ functionResponse }) => functionResponse)).toMatchObject(
        statuses
          .map((status, index) => ({
            id: `${index + 1}`,
            response:
              status === 'done'
                ? { output: /wrote/ }
                : { error: expect.stringContaining('was not run') },
          }))
          .map(({ id, response }) => ('output' in response ? { id } : { id, response })),
      );
      // The definitions stay (HOOK-167).
      expect(everything(model.requests[0]?.config)).toContain('"name":"write"');
    },
  );

  test('if one hook chooses NONE, no tool can be called (UA)', async () => {
    const tools = [someTool('write'), someTool('read')];
    const { run, model } = await startChat([both, 'Done.'], {
      hooks: {
        BeforeToolSelection: selecting(
          { mode: 'NONE' },
          { mode: 'AUTO', allowedFunctionNames: ['read', 'write'] },
        ),
      },
      tools,
    });
    await run();
    expect(model.requests[0]?.config?.toolConfig).toEqual({
      functionCallingConfig: { mode: 'NONE', allowedFunctionNames: [] },
    });
    expect(tools.flatMap(({ runs }) => runs)).toEqual([]);
  });

  test('a read-only project leaves only the tools that read (recipe 10)', async () => {
    const reads = ['read_file', 'read_many_files', 'glob', 'search_file_content'];
    const tools = [someTool('write_file'), someTool('read_file')];
    const { run, model } = await startChat(
      [saying(wanting('write_file', { path: 'a' }), wanting('read_file', { path: 'a' })), 'Done.'],
      {
        hooks: { BeforeToolSelection: selecting({ mode: 'ANY', allowedFunctionNames: reads }) },
        tools,
      },
    );
    await run();
    expect(tools.map(({ runs }) => runs.length)).toEqual([0, 1]);
    expect(model.requests[0]?.config?.toolConfig?.functionCallingConfig).toEqual({
      mode: 'ANY',
      allowedFunctionNames: reads.toSorted(),
    });
  });

  test('a choice of tools by a BeforeModel hook is enforced too', async () => {
    const tools = [someTool('write'), someTool('read')];
    const none = print({ hookSpecificOutput: { llm_request: { toolConfig: { mode: 'NONE' } } } });
    const { run } = await startChat([both, 'Done.'], {
      hooks: { BeforeModel: inParallel(none) },
      tools,
    });
    await run();
    expect(tools.flatMap(({ runs }) => runs)).toEqual([]);
  });
});
