import { describe, expect, test } from 'vitest';
import { inProcess } from '../support/in-process.ts';
import { inParallel, inSequence, print } from '../support/session.ts';
import { ranFor, recipe, statuses, switchedOn, toolResults } from './recipe.ts';

const write = { file_path: 'a.txt', content: 'x' };

test('A1, write_* matches write_file by regex, ~ is the home folder, and an audit without a matcher sees every tool (C-15, C-17)', async () => {
  const {
    session,
    write: writeFile,
    home,
  } = recipe(
    switchedOn({
      BeforeTool: [
        {
          matcher: 'write_*',
          hooks: [{ type: 'command', command: 'sh ~/.llxprt/check-write.sh', timeout: 5000 }],
        },
      ],
      AfterTool: [{ hooks: [{ type: 'command', command: 'cat >>audit.log' }] }],
    }),
  );
  writeFile(`${home}/.llxprt/check-write.sh`, 'echo checked >&2; exit 2');
  const { run, chat } = session([
    {
      calls: [
        { name: 'write_file', args: write },
        { name: 'glob', args: { pattern: '*' } },
      ],
    },
    { text: 'Done.' },
  ]);
  const events = await run();
  expect(statuses(events)).toEqual(['blocked', 'done']);
  expect(toolResults(chat.history)[0]).toBe('checked');
  // A blocked call has no result to audit (C-68).
  expect(ranFor(events, 'AfterTool')).toEqual(['cat >>audit.log']);
});

test('A2, a deny by JSON blocks the call (003)', async () => {
  const { call } = recipe(
    switchedOn({ BeforeTool: inParallel(print({ decision: 'deny', reason: 'Not allowed here' })) }),
  );
  const { status, modelReads } = await call('write_file', write);
  expect([status, modelReads]).toEqual(['blocked', 'Not allowed here']);
});

test('A3, a changed path and content are what is written (003, HOOK-018)', async () => {
  const tool_input = { file_path: 'safe/b.txt', content: 'changed' };
  const { call, has, read } = recipe(
    switchedOn({
      BeforeTool: inParallel(print({ decision: 'allow', hookSpecificOutput: { tool_input } })),
    }),
  );
  const { status } = await call('write_file', write);
  expect([status, has('a.txt'), read('safe/b.txt')]).toEqual(['done', false, 'changed']);
});

test('A4, messages are replaced as a whole, and llm_request_boundary is left alone (G-15)', async () => {
  const llm_request = {
    messages: [{ role: 'user', content: 'Replaced' }],
    llm_request_boundary: { index: 3 },
  };
  const { session } = recipe(
    switchedOn({ BeforeModel: inParallel(print({ hookSpecificOutput: { llm_request } })) }),
  );
  const { run, requests, warnings } = session([{ text: 'Yes.' }]);
  await run('Original');
  expect(requests[0]?.contents).toEqual([{ role: 'user', parts: [{ text: 'Replaced' }] }]);
  expect(JSON.stringify(requests[0])).not.toContain('boundary');
  expect(warnings).toEqual([]);
});

test('A5, with AUTO and three tools, no other tool may be called (003, HOOK-057)', async () => {
  const toolConfig = {
    mode: 'AUTO',
    allowedFunctionNames: ['read_file', 'glob', 'list_directory'],
  };
  const { call } = recipe(
    switchedOn({ BeforeToolSelection: inParallel(print({ hookSpecificOutput: { toolConfig } })) }),
  );
  expect((await call('write_file', write)).status).toBe('refused');
  expect((await call('glob', { pattern: '*' })).status).toBe('done');
});

test('X1, text on stdout and exit 2 block the call, with the text as the reason (C-25, HOOK-212)', async () => {
  const { call } = recipe(
    switchedOn({ BeforeTool: inParallel('echo "Dangerous command blocked"; exit 2') }),
  );
  const { status, modelReads } = await call('write_file', write);
  expect([status, modelReads]).toEqual(['blocked', 'Dangerous command blocked']);
});

/** A hook that adds a word to the content. */
const appending = (word: string): string =>
  `python3 -c 'import json, sys; given = json.load(sys.stdin)["tool_input"]; print(json.dumps({"hookSpecificOutput": {"tool_input": {"content": given["content"] + "${word}"}}}))'`;

test('X2, hook1 and hook2 run in their order, the second with the first’s arguments (001, HOOK-103, 216)', async () => {
  const { call, read } = recipe(
    switchedOn({ BeforeTool: inSequence(appending(' first'), appending(' second')) }),
  );
  await call('write_file', write);
  expect(read('a.txt')).toBe('x first second');
});

test('X3, a timeout longer than the default is accepted as it is (001, HOOK-069)', async () => {
  const hook = { type: 'command', command: 'true', timeout: 120_000 };
  const { call } = recipe(switchedOn({ BeforeTool: [{ hooks: [hook] }] }));
  const { status, warnings, config } = await call('write_file', write);
  expect([status, warnings]).toEqual(['done', []]);
  expect(config.getHookSystem()!.getRegistry().getAllHooks()).toMatchObject([{ timeout: 120_000 }]);
});

test('X4, DEBUG=llxprt:core:hooks:* prints the plan, the input, the output, the time and the result (001, C-102)', async () => {
  const { project, env, write: writeFile, files } = recipe(switchedOn({}));
  const hooks = { BeforeTool: inParallel('echo "Kept out" >&2; exit 2') };
  // The user's own hooks need no trust.
  writeFile(files.user, { enableHooks: true, hooks });
  const { stdout, stderr } = await inProcess(
    { project, env: { ...env, DEBUG: 'llxprt:core:hooks:*', DEBUG_COLORS: 'no' } },
    ['fire', 'BeforeTool'],
    JSON.stringify({ tool_name: 'write_file', tool_input: write }),
  );
  expect(JSON.parse(stdout)).toMatchObject({ blocked: true, reason: 'Kept out' });
  expect(stderr).toContain('llxprt:core:hooks:planner');
  expect(stderr).toMatch(/BeforeTool/);
  expect(stderr).toContain('Kept out');
  expect(stderr).toMatch(/\d ?ms/i);
});

/** Returns hooks of SessionStart: one that prints its name. */
const own = (name: string): object => ({
  SessionStart: [{ hooks: [{ type: 'command', name, command: `echo ${name}` }] }],
});

describe('E1, a hook of an extension (HOOK-085)', () => {
  const manifest = {
    name: 'greeter',
    version: '1.0.0',
    hooks: {
      SessionStart: [{ hooks: [{ type: 'command', command: 'sh ${extensionPath}/hello.sh' }] }],
    },
  };

  test('E1, the command of an extension’s hook finds the extension’s folder, and its plain text is for the user', async () => {
    const { session, write: writeFile, home } = recipe(switchedOn({}));
    const folder = `${home}/.llxprt/extensions/greeter extension`;
    writeFile(`${folder}/llxprt-extension.json`, manifest);
    writeFile(`${folder}/hello.sh`, 'echo "Welcome back"');
    const { run } = session([{ text: 'Hello.' }]);
    const events = await run();
    expect(ranFor(events, 'SessionStart').length).toBe(1);
    expect(events).toContainEqual({ type: 'notice', text: 'Welcome back' });
  });

  test('E1, an extension’s hook comes after the hooks of the project and of the user', async () => {
    const { session, write: writeFile, home, files } = recipe(switchedOn(own('project')));
    writeFile(files.user, { enableHooks: true, hooks: own('user') });
    writeFile(`${home}/.llxprt/extensions/greeter/llxprt-extension.json`, {
      ...manifest,
      hooks: own('extension'),
    });
    const { run } = session([{ text: 'Hello.' }]);
    expect(ranFor(await run(), 'SessionStart')).toEqual(['project', 'user', 'extension']);
  });
});
