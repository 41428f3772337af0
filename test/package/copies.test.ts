import { cpSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { execa } from 'execa';
import { expect, test } from 'vitest';
import '../build.ts';
import { tempFolder } from '../support/temp-folder.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** The address of a module of a copy, as source code. */
const at = (copy: string, part: string): string =>
  JSON.stringify(pathToFileURL(join(copy, 'dist/src', `${part}.js`)).href);

/** A hook's command that answers this. */
const answer = (specific: object): string =>
  `echo '${JSON.stringify({ hookSpecificOutput: specific })}'`;

test('a host with two copies of the package loses no denial and no rewrite between them', async () => {
  const folder = tempFolder();
  const [one = '', other = ''] = ['one', 'other'].map((name) => {
    const copy = join(folder, name, 'node_modules', 'hookmachine');
    mkdirSync(copy, { recursive: true });
    for (const part of ['package.json', 'dist'])
      cpSync(join(root, part), join(copy, part), { recursive: true });
    symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
    return copy;
  });
  const hooks = {
    BeforeTool: [
      { matcher: '^rewritten$', hooks: [answer({ tool_input: { path: 'b' } })] },
      { matcher: '^denied$', hooks: ['echo no >&2; exit 2'] },
    ],
    BeforeToolSelection: [{ hooks: [answer({ toolConfig: { mode: 'NONE' } })] }],
    BeforeModel: [{ hooks: [answer({ llm_request: { model: 'other' } })] }],
    AfterModel: [
      {
        hooks: [
          answer({
            llm_response: { candidates: [{ content: { role: 'model', parts: ['changed'] } }] },
          }),
        ],
      },
    ],
  };
  const settings = {
    tools: { enableHooks: true },
    hooks: Object.fromEntries(
      Object.entries(hooks).map(([event, groups]) => [
        event,
        groups.map((group) => ({
          ...group,
          hooks: group.hooks.map((command) => ({ type: 'command', command })),
        })),
      ]),
    ),
  };
  const script = `
    const { createConfig, isHookmachineError } = await import(${at(one, 'index')});
    const other = await import(${at(other, 'index')});
    const { createModel } = await import(${at(other, 'entries/models')});
    const { ChatLoop } = await import(${at(other, 'entries/agent')});
    const settings = ${JSON.stringify(settings)};
    const config = createConfig({ cwd: process.cwd(), settings });
    const tool = async (input) => ({ llmContent: 'ran with ' + input.path, returnDisplay: '' });
    const call = async (name) => (await other.executeToolWithHooks(config, name, { path: 'a' }, tool)).llmContent;
    const request = { model: 'm', contents: 'hi', config: { tools: [{}] } };
    const asked = [];
    const model = {
      name: 'm',
      generate: async (request) => {
        asked.push([request.model, request.config?.toolConfig?.functionCallingConfig?.mode]);
        return { candidates: [{ content: { role: 'model', parts: [{ text: 'plain' }] } }] };
      },
    };
    const tools = new Map([['a', { name: 'a', description: 'a', parameters: (await import('zod')).z.object({}), execute: tool }]]);
    const said = [];
    for await (const event of new ChatLoop({ config, model, tools }).run('hi')) if (event.type === 'finalAnswer') said.push(event.text);
    console.log(JSON.stringify({
      calls: [await call('rewritten'), await call('denied')],
      selection: (await other.fireBeforeToolSelectionHook(config, request)).toolConfig,
      before: (await other.fireBeforeModelHook(config, request)).modifiedRequest?.model,
      after: (await other.fireAfterModelHook(config, request, await model.generate(request))).response.candidates[0].content.parts,
      asked: asked[0],
      said,
      isOurs: await createModel('nothing').catch((error) => isHookmachineError(error, 'MODEL_ERROR')),
    }));`;
  const { stdout } = await execa('node', ['--input-type=module', '-e', script], { cwd: root });
  expect(JSON.parse(stdout)).toEqual({
    calls: ['ran with b', 'no'],
    selection: { functionCallingConfig: { mode: 'NONE', allowedFunctionNames: [] } },
    before: 'other',
    after: [{ text: 'changed' }],
    asked: ['other', 'NONE'],
    said: ['changed'],
    isOurs: true,
  });
});
