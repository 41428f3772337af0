import { describe, expect, test } from 'vitest';
import { last, shown } from '../support/chat.ts';
import { inParallel, inSequence, print } from '../support/session.ts';
import { ranFor, recipe, statuses, switchedOn, toolResults } from './recipe.ts';

const specific = (hookSpecificOutput: object): string => print({ hookSpecificOutput });
const request = (llm_request: object): string => specific({ llm_request });
const withMessage = (content: string): string => request({ messages: [{ role: 'user', content }] });

/** Keeps the hook's input in a file; what the hook prints does not depend on it. */
const keeping = (file: string, command: string): string => `cat >${file}; ${command}`;

test('UA: NONE beats the list of another hook, and no tool can be called (HOOK-099 to 102, 000 s8.1)', async () => {
  const { session, has } = recipe(
    switchedOn({
      BeforeToolSelection: inParallel(
        specific({ toolConfig: { mode: 'NONE' } }),
        specific({
          toolConfig: { mode: 'AUTO', allowedFunctionNames: ['read_file', 'write_file'] },
        }),
      ),
    }),
  );
  const { run, chat, requests } = session([
    { calls: [{ name: 'write_file', args: { file_path: 'a.txt', content: 'x' } }] },
    { text: 'Then not.' },
  ]);
  const events = await run();
  expect(requests[0]?.config?.toolConfig?.functionCallingConfig?.mode).toBe('NONE');
  expect(
    requests[0]?.config?.toolConfig?.functionCallingConfig?.allowedFunctionNames ?? [],
  ).toEqual([]);
  expect(statuses(events)).toEqual(['refused']);
  expect(toolResults(chat.history)).toEqual(['write_file was not run: no tool may be called now.']);
  expect(has('a.txt')).toBe(false);
});

describe('UB: one hook gives messages, another a temperature', () => {
  const cool = request({ config: { temperature: 0.1 } });

  test.each([
    [
      'UB1: in sequence, messages and temperature both apply (C-42, HOOK-216)',
      inSequence(withMessage('Mine'), cool),
    ],
    ['UB2: in parallel, the messages survive (C-41)', inParallel(withMessage('Mine'), cool)],
  ])('%s', async (_, BeforeModel) => {
    const { session } = recipe(switchedOn({ BeforeModel }));
    const { run, requests } = session([{ text: 'Yes.' }], {
      generationConfig: { temperature: 0.9, topK: 7 },
    });
    await run('Theirs');
    expect(requests[0]?.contents).toEqual([{ role: 'user', parts: [{ text: 'Mine' }] }]);
    expect(requests[0]?.config).toMatchObject({ temperature: 0.1, topK: 7 });
  });

  test('UB2: in parallel, the second hook’s messages win (HOOK-098)', async () => {
    const second = request({
      messages: [{ role: 'user', content: 'Last' }],
      config: { temperature: 0.1 },
    });
    const { session } = recipe(
      switchedOn({ BeforeModel: inParallel(`sleep 0.2; ${withMessage('First')}`, second) }),
    );
    const { run, requests } = session([{ text: 'Yes.' }]);
    await run('Theirs');
    expect(requests[0]?.contents).toEqual([{ role: 'user', parts: [{ text: 'Last' }] }]);
    expect(requests[0]?.config?.temperature).toBe(0.1);
  });
});

describe('UC: one of three hooks blocks (HOOK-092, 093, 000 s8.1)', () => {
  const allow = print({ decision: 'allow' });
  const block = print({ decision: 'block', reason: 'Policy violation' });

  test.each([
    ['first', [block, allow, `${allow}; true`]],
    ['second', [allow, block, `${allow}; true`]],
    ['last', [allow, `${allow}; true`, block]],
  ])(
    'UC: a block by the %s of three hooks blocks the tool, and its reason stays intact',
    async (_, commands) => {
      const { call, has } = recipe(switchedOn({ BeforeTool: inParallel(...commands) }));
      const { status, modelReads } = await call('write_file', { file_path: 'a.txt', content: 'x' });
      expect([status, modelReads, has('a.txt')]).toEqual(['blocked', 'Policy violation', false]);
    },
  );
});

describe('U1: two temperatures (000 s8.1)', () => {
  const [cold, hot] = [0.0, 1.0].map((temperature) => request({ config: { temperature } }));

  test('U1: in parallel the last temperature wins, and the conflict is reported', async () => {
    const { session } = recipe(switchedOn({ BeforeModel: inParallel(cold!, hot!) }));
    const { run, requests, fire } = session([{ text: 'Yes.' }]);
    await run();
    expect(requests[0]?.config?.temperature).toBe(1);
    const llm_request = { model: 'm', messages: [{ role: 'user' as const, content: 'Hi' }] };
    const { conflicts } = await fire('BeforeModel', { llm_request });
    expect(conflicts).toEqual([{ field: 'llm_request.config', hooks: [cold, hot], winner: hot }]);
  });

  test('U1: in sequence the second hook sees the first’s temperature and may keep it', async () => {
    const { session, read } = recipe(
      switchedOn({ BeforeModel: inSequence(cold!, keeping('saw.json', "echo '{}'")) }),
    );
    const { run, requests } = session([{ text: 'Yes.' }], {
      generationConfig: { temperature: 0.5 },
    });
    await run();
    expect(JSON.parse(read('saw.json'))).toMatchObject({
      llm_request: { config: { temperature: 0 } },
    });
    expect(requests[0]?.config?.temperature).toBe(0);
  });
});

test('U2: with combined guards, each tool runs its own (HOOK-086, 087)', async () => {
  const { session, has } = recipe({ fixture: 'U2-combined' });
  const { run } = session([
    {
      calls: [
        { name: 'write_file', args: { file_path: 'a.txt', content: 'x' } },
        { name: 'run_shell_command', args: { command: 'echo hi' } },
        { name: 'read_file', args: { file_path: 'a.txt' } },
      ],
    },
    { calls: [{ name: 'write_file', args: { file_path: '.env', content: 'x' } }] },
    { text: 'Done.' },
  ]);
  const events = await run();
  const hooks = events.flatMap((event) =>
    event.type === 'hookDecision' ? [event.hooks.map(({ name }) => name.split('/').at(-1))] : [],
  );
  expect(hooks).toEqual([
    ['scan-secrets.py', 'protect-files.sh', 'checkpoint.sh'],
    ['dangerous-commands.sh', 'checkpoint.sh'],
    ['scan-secrets.py', 'protect-files.sh', 'checkpoint.sh'],
  ]);
  expect(statuses(events).slice(0, 2)).toEqual(['done', 'done']);
  expect(statuses(events)[3]).toBe('blocked');
  expect(has('.env')).toBe(false);
});

describe('U3: context, then a limit, in sequence (HOOK-104, 107)', () => {
  const inject = '.llxprt/hooks/add-rules.py';

  test('U3: the limit sees the enlarged request', async () => {
    const { session, read } = recipe(
      switchedOn({
        BeforeModel: inSequence(
          inject,
          keeping('saw.json', '.llxprt/hooks/limit-calls.py <saw.json'),
        ),
      }),
    );
    const { run, requests } = session([{ text: 'Yes.' }]);
    await run();
    expect(JSON.parse(read('saw.json'))).toMatchObject({
      llm_request: { messages: [{}, { role: 'system' }] },
    });
    expect(requests[0]?.config?.systemInstruction).toContain('House rules');
  });

  test('U3: a block by the first hook keeps the second from running', async () => {
    const { session, has } = recipe(
      switchedOn({
        BeforeModel: inSequence(
          print({
            decision: 'block',
            reason: 'Not now',
            hookSpecificOutput: { llm_response: { text: 'Later.' } },
          }),
          keeping('saw.json', "echo '{}'"),
        ),
      }),
    );
    const { run, requests } = session([]);
    const events = await run();
    expect(ranFor(events, 'BeforeModel').length).toBe(1);
    expect(has('saw.json')).toBe(false);
    expect(requests).toEqual([]);
    expect(shown(events)).toBe('Later.');
    expect(last(events)).toMatchObject({ type: 'finalAnswer', text: 'Later.' });
  });
});
