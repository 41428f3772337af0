import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test, vi } from 'vitest';
import type {
  NeutralMessage,
  NeutralPart,
  NeutralResponse,
} from '../../../src/core/calls/run-model-call.ts';
import { AgentHooks } from '../../../src/adapters/parts/agent-hooks.ts';
import type { AdapterOptions } from '../../../src/adapters/parts/options.ts';
import { project } from '../../support/project.ts';
import { group, inParallel, print, startSession } from '../../support/session.ts';
import { waitUntil } from '../../support/until.ts';

type Hooks = Parameters<typeof startSession>[0];

const user = (text: string): NeutralMessage => ({ role: 'user', parts: [{ text }] });
const wants = (id: string, input = {}, name = 'write_file'): NeutralPart => ({
  call: { id, name, input },
});
const result = (id: string): NeutralMessage => ({
  role: 'user',
  parts: [{ result: { id, name: 'write_file' } }],
});
const callOn = (path: string) => ({ id: path, name: 'write_file', input: { path } });
const saying = (text: string): NeutralResponse => ({ parts: [{ text }] });
const written = { llmContent: 'written', returnDisplay: '' };

const broken = (): never => {
  throw new Error('it is broken');
};

async function agent(hooks: Hooks, options: AdapterOptions = {}) {
  const { config, warnings, folder } = await startSession(hooks);
  return { hooks: new AgentHooks({ config, ...options }), warnings, folder };
}

/** Asks a model that gives these answers in turn. */
function model(hooks: AgentHooks, ...answers: readonly NeutralResponse[]) {
  const left = [...answers];
  const asked = vi.fn(async (_: { readonly messages: readonly NeutralMessage[] }) => left.shift()!);
  return {
    asked,
    ask: (...messages: readonly NeutralMessage[]) =>
      hooks.model({ model: 'some-model', messages, tools: ['write_file'] }, asked),
  };
}

describe('a tool call', () => {
  test('a tool call is judged when the model asks for it, and the rewritten arguments are in its answer', async () => {
    const rewrite = { hookSpecificOutput: { tool_input: { path: 'b' } } };
    const { hooks } = await agent({ BeforeTool: inParallel(print(rewrite)) });
    const text = { text: 'I write.' };
    const { ask } = model(hooks, { parts: [text, wants('1', { path: 'a' })] });
    const { parts } = await ask(user('Go'));
    expect(parts[0]).toBe(text);
    expect(parts[1]!.call!.input).toEqual({ path: 'b' });
    const run = vi.fn(async () => written);
    const ended = await hooks.tool({ id: '1', name: 'write_file', input: { path: 'b' } }, run);
    expect(ended.outcome.status).toBe('done');
    expect(run).toHaveBeenCalledOnce();
  });

  test('a denied tool call stays in the answer, never runs, and needs no question', async () => {
    const blocked: object[] = [];
    const { hooks } = await agent(
      { BeforeTool: inParallel('echo no >&2; exit 2') },
      { onBlocked: (call) => blocked.push(call) },
    );
    const { ask } = model(hooks, { parts: [wants('1')] });
    expect((await ask(user('Go'))).parts).toEqual([wants('1')]);
    const request = { id: '1', name: 'write_file', input: {} };
    expect(hooks.verdictOf(request)).toMatchObject({ status: 'ended' });
    const run = vi.fn(async () => written);
    const { toolResult } = await hooks.tool(request, run);
    expect(toolResult.llmContent).toBe('no');
    expect(run).not.toHaveBeenCalled();
    expect(blocked).toEqual([{ tool: 'write_file', reason: 'no' }]);
  });

  test.each(['BeforeTool', 'AfterTool'])(
    'with only %s hooks, a model may ask for a call whose arguments cannot be copied',
    async (event) => {
      const { hooks } = await agent({ [event]: inParallel('exit 0') });
      const deep = JSON.parse(`{"x":${'['.repeat(100_000)}${']'.repeat(100_000)}}`) as object;
      const { ask } = model(hooks, { parts: [wants('1', deep), wants('2', { size: 1n })] });
      expect((await ask(user('Go'))).parts).toHaveLength(2);
    },
  );

  test('arguments without a value are no change, so a call is judged once', async () => {
    const { hooks, folder } = await agent({ BeforeTool: inParallel('echo x >> judged') });
    const input = { path: 'a', mode: undefined };
    const { ask } = model(hooks, { parts: [wants('1', input)] });
    await ask(user('Go'));
    const call = { id: '1', name: 'write_file', input: { ...input }, isVerbatim: true };
    await hooks.tool(call, async () => written);
    expect(readFileSync(`${folder}/judged`, 'utf8')).toBe('x\n');
  });

  test.each([2_000, 100_000])(
    'a tool call whose arguments are nested %d levels deep is blocked, not thrown (S-34)',
    async (levels) => {
      const deep = () => JSON.parse(`{"x":${'['.repeat(levels)}${']'.repeat(levels)}}`) as object;
      const { hooks } = await agent({ BeforeTool: inParallel('exit 0') });
      const { ask } = model(hooks, { parts: [wants('1', deep())] });
      await ask(user('Go'));
      const run = vi.fn(async () => written);
      for (const id of ['1', '2']) {
        const ended = await hooks.tool({ id, name: 'write_file', input: deep() as never }, run);
        expect(ended.outcome.status).toBe('blocked');
        expect(ended.toolResult.error?.message).toContain('nested more than 1,000 levels deep');
      }
      expect(run).not.toHaveBeenCalled();
    },
  );

  test('a tool call that was never judged is judged as it runs', async () => {
    const { hooks } = await agent({ BeforeTool: inParallel('echo no >&2; exit 2') });
    const run = vi.fn(async () => written);
    const ended = await hooks.tool({ id: 'x', name: 'write_file', input: {} }, run);
    expect(ended.toolResult.llmContent).toBe('no');
    expect(run).not.toHaveBeenCalled();
  });

  test('ToolPermission hooks judge a tool call that a hook wants asked about, then Notification hooks see the question', async () => {
    const deny = `jq -e '.tool_input.path == "b"' > /dev/null && { echo no >&2; exit 2; } || true`;
    const folder = project({
      '.hookmachine/settings.json': {
        hooks: {
          'tool.before': inParallel(print({ decision: 'ask', reason: 'Really?' })),
          'tool.permission': inParallel(deny),
          notify: [group(['cat > notified'], { matcher: 'ToolPermission' })],
        },
      },
    });
    const hooks = new AgentHooks({ cwd: folder });
    const { ask } = model(hooks, { parts: [wants('1', { path: 'a' }), wants('2', { path: 'b' })] });
    await ask(user('Go'));
    const verdict = (id: string, path: string) =>
      hooks.verdictOf({ id, name: 'write_file', input: { path } });
    expect(verdict('1', 'a')).toMatchObject({ status: 'asked', reason: 'Really?' });
    expect(verdict('2', 'b')).toMatchObject({ status: 'ended' });
    expect(JSON.parse(readFileSync(`${folder}/notified`, 'utf8'))).toMatchObject({
      message: 'Really?',
      details: { tool_name: 'write_file', tool_input: { path: 'a' } },
    });
  });

  test('ToolPermission hooks may answer in the user’s place if the framework itself would ask about a tool call', async () => {
    const answers = {
      allowed: { decision: 'allow' },
      replaced: { decision: 'allow', hookSpecificOutput: { tool_input: { path: 'other' } } },
      denied: { decision: 'deny', reason: 'not at night' },
      changed: { hookSpecificOutput: { tool_input: { path: 'other' } } },
      asked: {},
    };
    const answer = `case $(jq -r .tool_input.path) in ${Object.entries(answers)
      .map(([path, said]) => `${path}) ${print(said)};;`)
      .join(' ')} esac`;
    const folder = project({
      '.hookmachine/settings.json': {
        hooks: {
          'tool.permission': inParallel(`echo >> answers; ${answer}`),
          notify: inParallel('jq -r .details.tool_input.path >> notified'),
        },
      },
    });
    const hooks = new AgentHooks({ cwd: folder });
    const paths = Object.keys(answers);
    const { ask } = model(hooks, { parts: paths.map((path) => wants(path, { path })) });
    await ask(user('Go'));
    const asks = async (path: string) => hooks.isToBeAsked(callOn(path));
    const questions = await Promise.all(
      // The framework may ask twice.
      paths.flatMap((path) => [asks(path), asks(path)]),
    );
    expect(paths.filter((_, index) => questions[2 * index])).toEqual(['asked']);
    expect(
      new Set(paths.map((_, index) => questions[2 * index] === questions[2 * index + 1])),
    ).toEqual(new Set([true]));
    expect(readFileSync(`${folder}/answers`, 'utf8')).toHaveLength(paths.length);
    expect(readFileSync(`${folder}/notified`, 'utf8')).toBe('asked\n');
    const ran: unknown[] = [];
    const results = await Promise.all(
      paths.map((path) =>
        hooks.tool(callOn(path), async (input) => {
          ran.push(input);
          return written;
        }),
      ),
    );
    expect(ran).toEqual([{ path: 'allowed' }, { path: 'other' }, { path: 'asked' }]);
    expect(results.map(({ toolResult }) => toolResult.llmContent)).toEqual([
      'written',
      'written',
      'not at night',
      expect.stringContaining('changed the arguments'),
      'written',
    ]);
  });

  test('a tool call does not run once a hook stopped the agent at another call of the same answer', async () => {
    const stop = print({ continue: false, stopReason: 'enough' });
    const guard = `jq -e '.tool_input.path == "a"' > /dev/null && ${stop} || true`;
    const { hooks } = await agent({ BeforeTool: inParallel(guard) });
    const { ask } = model(hooks, { parts: ['a', 'b'].map((path) => wants(path, { path })) });
    await ask(user('Go'));
    expect(hooks.verdictOf(callOn('b'))).toMatchObject({ status: 'ended' });
    const run = vi.fn(async () => written);
    const results = await Promise.all(['a', 'b'].map((path) => hooks.tool(callOn(path), run)));
    expect(run).not.toHaveBeenCalled();
    expect(results.map(({ outcome }) => outcome.status)).toEqual(['stopped', 'cancelled']);
  });

  test('a tool call that no hook matches does not begin once a hook stopped the agent after another call of the same answer', async () => {
    const stop = print({ continue: false, stopReason: 'enough' });
    const { hooks } = await agent({ AfterTool: [group([stop], { matcher: '^other$' })] });
    const { ask } = model(hooks, { parts: [wants('1', {}, 'other'), wants('2', {}, 'read')] });
    await ask(user('Go'));
    const read = { id: '2', name: 'read', input: {} };
    expect(!hooks.judgesToolCall(read)).toBe(true);
    const run = vi.fn(async () => written);
    await hooks.tool({ id: '1', name: 'other', input: {} }, run);
    expect(!hooks.judgesToolCall(read)).toBe(false);
    const { toolResult } = await hooks.tool(read, run);
    expect(toolResult.llmContent).toBe('a hook stopped the agent before this call began');
    expect(run).toHaveBeenCalledOnce();
  });

  test('a tool call stays denied, and an agent stopped, if all hooks are switched off in the meantime', async () => {
    const stop = print({ continue: false, stopReason: 'enough' });
    const { hooks } = await agent({ BeforeTool: [group([{ name: 'guard', command: stop }])] });
    const { ask, asked } = model(hooks, { parts: [wants('1')] }, saying('on and on'));
    await ask(user('Go'));
    hooks.config.getHookSystem()!.setHookEnabled('guard', false);
    const run = vi.fn(async () => written);
    const request = { id: '1', name: 'write_file', input: {} };
    expect([!hooks.seesAnything(), !hooks.judgesToolCall(request)]).toEqual([false, false]);
    await hooks.tool(request, run);
    expect(run).not.toHaveBeenCalled();
    expect((await ask(user('Go'), result('1'))).parts).toEqual([{ text: 'enough' }]);
    expect(asked).toHaveBeenCalledOnce();
    expect(!hooks.seesAnything()).toBe(true);
  });

  test('a tool result that a hook wants hidden is shown anyway, and one warning says so', async () => {
    const { hooks, warnings } = await agent({
      AfterTool: inParallel(print({ suppressOutput: true })),
    });
    for (const id of ['1', '2'])
      await hooks.tool({ id, name: 'write_file', input: {} }, async () => written);
    expect(warnings.filter((line) => line.includes('suppressOutput'))).toHaveLength(1);
  });

  test('a tool call whose arguments changed after it was judged is judged again', async () => {
    const guard = `jq -e '.tool_input.path == "a"' > /dev/null || { echo other >&2; exit 2; }`;
    const { hooks } = await agent({ BeforeTool: inParallel(guard) });
    const { ask } = model(hooks, { parts: [wants('1', { path: 'a' })] });
    await ask(user('Go'));
    const request = { id: '1', name: 'write_file', input: { path: 'b' }, isVerbatim: true };
    const { toolResult } = await hooks.tool(request, async () => written);
    expect(toolResult.llmContent).toBe('other');
  });

  test('a tool call is denied if there is no hook system to ask and that blocks', async () => {
    const { config } = await startSession({});
    const hooks = new AgentHooks({
      config: { ...config, getHookSystem: broken, onUnready: 'block', onWarning: () => undefined },
    });
    const call = { id: '1', name: 'write_file', input: {} };
    expect([!hooks.judgesToolCall(call), !hooks.judgesModelCall(['write_file'])]).toEqual([false, false]); // prettier-ignore
    const run = vi.fn(async () => written);
    expect((await hooks.tool(call, run)).outcome.status).toBe('blocked');
    expect(run).not.toHaveBeenCalled();
  });

  test('tool calls with the same id in two runs are told apart by their arguments', async () => {
    const guard = `jq -e '.tool_input.path == "a"' > /dev/null || { echo other >&2; exit 2; }`;
    const { hooks } = await agent({ BeforeTool: inParallel(guard) });
    const { ask } = model(
      hooks,
      { parts: [wants('1', { path: 'a' })] },
      { parts: [wants('1', { path: 'b' })] },
    );
    await Promise.all([ask(user('One')), ask(user('Two'))]);
    const run = (path: string) =>
      hooks.tool({ id: '1', name: 'write_file', input: { path } }, async () => written);
    expect((await run('b')).toolResult.llmContent).toBe('other');
    expect((await run('a')).toolResult.llmContent).toBe('written');
  });

  test('hooks know a tool by its alias', async () => {
    const { hooks } = await agent(
      { BeforeTool: [group(['echo no >&2; exit 2'], { matcher: '^write_file$' })] },
      { tools: { alias: { Write: 'write_file' } } },
    );
    const ended = await hooks.tool({ id: 'x', name: 'Write', input: {} }, async () => written);
    expect(ended.toolResult.llmContent).toBe('no');
  });
});

describe('a stop', () => {
  const stop = { continue: false, stopReason: 'Enough.' };

  test.each([
    ['before', { BeforeTool: [group([print(stop)], { matcher: 'write' })] }],
    ['after', { AfterTool: [group([print(stop)], { matcher: 'write' })] }],
  ])('a stop %s a tool answers only the next model call of that run', async (_, given) => {
    const stops: string[] = [];
    const { hooks } = await agent(given, { onStop: (reason) => stops.push(reason) });
    const one = model(hooks, { parts: [wants('1')] }, saying('never'));
    const two = model(hooks, { parts: [wants('2', {}, 'read_file')] }, saying('done'));
    const first = await one.ask(user('One'));
    await two.ask(user('Two'));
    await hooks.tool({ id: '1', name: 'write_file', input: {} }, async () => written);
    const answer = await one.ask(user('One'), { role: 'model', parts: first.parts }, result('1'));
    expect(answer).toMatchObject(saying('Enough.'));
    expect(one.asked).toHaveBeenCalledOnce();
    expect(stops).toEqual(['Enough.']);
    const other = await two.ask(
      user('Two'),
      { role: 'model', parts: [wants('2', {}, 'read_file')] },
      result('2'),
    );
    expect(other).toMatchObject(saying('done'));
    // The run after a stopped one works as usual.
    const next = model(hooks, saying('hello'));
    expect(await next.ask(user('Three'))).toMatchObject(saying('hello'));
  });

  test.each([
    ['before the model (which is not asked)', { BeforeModel: inParallel(print(stop)) }, 0],
    ['after the model', { AfterModel: inParallel(print(stop)) }, 1],
  ])('a stop %s ends the run with its reason', async (_, given, calls) => {
    const { hooks } = await agent(given);
    const { ask, asked } = model(hooks, { parts: [wants('1')] });
    expect(await ask(user('Go'))).toMatchObject(saying('Enough.'));
    expect(asked).toHaveBeenCalledTimes(calls);
  });
});

const note = (event: string) => `echo ${event} >> order`;

describe('a turn', () => {
  test('a turn begins with a user message and ends with an answer without tool calls', async () => {
    const { hooks, folder } = await agent({
      SessionStart: inParallel(note('start')),
      BeforeAgent: inParallel(note('before')),
      AfterAgent: inParallel(note('after')),
      SessionEnd: inParallel(note('end')),
    });
    const { ask } = model(hooks, { parts: [wants('1')] }, saying('done'), saying('again'));
    await ask(user('Go'));
    await hooks.tool({ id: '1', name: 'write_file', input: {} }, async () => written);
    await ask(user('Go'), { role: 'model', parts: [wants('1')] }, result('1'));
    await ask(user('Go'), { role: 'model', parts: [{ text: 'done' }] }, user('More'));
    await hooks.end();
    expect(readFileSync(`${folder}/order`, 'utf8').trim().split('\n')).toEqual([
      'start',
      'before',
      'after',
      'before',
      'after',
      'end',
    ]);
  });

  test('a turn of the thousand and first session ends the session that was quiet longest', async () => {
    let session = 0;
    const { hooks, folder } = await agent(
      { SessionEnd: inParallel('jq -r .session_id >> ended') },
      { sessionId: () => `s${session}` },
    );
    const ask = (): Promise<unknown> =>
      hooks.model({ model: 'm', messages: [user('Go')], tools: [] }, async () => saying('done'));
    for (; session < 1_000; session++) await ask();
    session = 0;
    await ask();
    session = 1_000;
    await ask();
    await waitUntil(() => existsSync(`${folder}/ended`));
    session = 1_000;
    await ask();
    await waitUntil(() => readFileSync(`${folder}/ended`, 'utf8') === 's1\n');
  });

  test('a turn keeps the context of BeforeAgent hooks in each of its requests', async () => {
    const context = { hookSpecificOutput: { additionalContext: 'Be kind.' } };
    const { hooks } = await agent({ BeforeAgent: inParallel(print(context)) });
    const { ask, asked } = model(hooks, { parts: [wants('1')] }, saying('done'));
    await ask(user('Go'));
    await ask(user('Go'), { role: 'model', parts: [wants('1')] }, result('1'));
    for (const [{ messages }] of asked.mock.calls)
      expect(messages[0]!.parts.map(({ text }) => text).join('')).toBe('Go\n\nBe kind.');
  });

  test('a prompt that a hook denies never reaches the model', async () => {
    const { hooks } = await agent({ BeforeAgent: inParallel('echo no >&2; exit 2') });
    const { ask, asked } = model(hooks, saying('never'));
    expect(await ask(user('Go'))).toMatchObject(saying('no'));
    expect(asked).not.toHaveBeenCalled();
  });

  test('a turn continues with the reason of an AfterAgent hook, up to maxRejections times', async () => {
    const { hooks, warnings } = await agent(
      { AfterAgent: inParallel('echo more >&2; exit 2') },
      { maxRejections: 2 },
    );
    const { ask, asked } = model(hooks, saying('a'), saying('b'), saying('c'));
    expect(await ask(user('Go'))).toMatchObject(saying('c'));
    const texts = asked.mock.calls.map(([{ messages }]) =>
      messages.map(({ parts }) => parts[0]!.text),
    );
    expect(texts).toEqual([['Go'], ['Go', 'a', 'more'], ['Go', 'a', 'more', 'b', 'more']]);
    expect(warnings.join('\n')).toContain('more than 2 times in a turn');
  });

  test('a turn begins only once if the framework asks the model again after a failure', async () => {
    const { hooks, folder } = await agent({ BeforeAgent: inParallel('echo x >> count') });
    const messages = [user('Go')];
    const request = { model: 'some-model', messages };
    const failing = hooks.model(request, () => Promise.reject(new Error('busy')), {
      key: messages,
    });
    await expect(failing).rejects.toThrow('busy');
    await hooks.model(request, async () => saying('hello'), { key: messages });
    expect(readFileSync(`${folder}/count`, 'utf8')).toBe('x\n');
  });
});

/** The machines that ran, with how each ended. */
function watching() {
  const ended: [id: string, status: unknown][] = [];
  const inspect: NonNullable<AdapterOptions['inspect']> = (event) => {
    if (event.type !== '@xstate.snapshot' || event.snapshot.status !== 'done') return;
    const { id } = (event.actorRef as { logic?: { id?: string } }).logic ?? {};
    const { output } = event.snapshot as { output?: { status?: unknown } };
    if (id !== undefined) ended.push([id, output?.status]);
  };
  return { ended, inspect };
}

async function observed(hooks: Hooks, options: AdapterOptions = {}) {
  const { ended, inspect } = watching();
  const { config, folder } = await startSession(hooks, { inspect });
  return { hooks: new AgentHooks({ config, ...options }), ended, folder };
}

describe('the machine of a turn that a framework runs', () => {
  test('a turn is one machine, from the prompt to the answer without tool calls', async () => {
    const { hooks, ended } = await observed({ BeforeTool: inParallel('exit 0') });
    const { ask } = model(hooks, { parts: [wants('1')] }, saying('done'));
    await ask(user('Go'));
    await hooks.tool({ id: '1', name: 'write_file', input: {} }, async () => written);
    await ask(user('Go'), { role: 'model', parts: [wants('1')] }, result('1'));
    await waitUntil(() => ended.some(([id]) => id === 'agentTurn'));
    expect(ended.filter(([id]) => id === 'agentTurn')).toEqual([['agentTurn', 'finished']]);
    expect(ended.filter(([id]) => id === 'modelCall')).toHaveLength(2);
  });

  test('a turn goes on whatever the ids of its calls, and however many there are', async () => {
    const { hooks } = await agent({ BeforeTool: inParallel('exit 0') });
    const many = Array.from({ length: 40 }, (_, n) => wants(String(n % 5), { path: String(n) }));
    const { ask } = model(hooks, { parts: many }, saying('done'));
    await ask(user('Go'));
    for (const { call } of many)
      await hooks.tool({ ...call!, isVerbatim: true }, async () => written);
    const answer = await ask(user('Go'), { role: 'model', parts: many }, result('1'));
    expect(answer).toEqual(saying('done'));
  });

  test('a turn goes on although none of its calls came through us', async () => {
    const { hooks } = await agent({ BeforeTool: inParallel('exit 0') });
    const { ask } = model(hooks, { parts: [wants('1'), wants('2')] }, saying('done'));
    await ask(user('Go'));
    const answer = await ask(user('Go'), { role: 'model', parts: [] }, result('1'), result('2'));
    expect(answer).toEqual(saying('done'));
  });

  test('a hook that stops the agent at a tool stops the turn, and the model is not asked again', async () => {
    const stop = print({ continue: false, stopReason: 'enough' });
    const { hooks, ended } = await observed({ AfterTool: inParallel(stop) });
    const { ask, asked } = model(hooks, { parts: [wants('1')] });
    await ask(user('Go'));
    await hooks.tool({ id: '1', name: 'write_file', input: {} }, async () => written);
    await waitUntil(() => ended.some(([id]) => id === 'agentTurn'));
    expect(ended.at(-1)).toEqual(['agentTurn', 'stopped']);
    const answer = await ask(user('Go'), { role: 'model', parts: [wants('1')] }, result('1'));
    expect(answer).toMatchObject(saying('enough'));
    expect(asked).toHaveBeenCalledOnce();
  });

  test.each(['BeforeAgent', 'BeforeModel', 'AfterAgent'])(
    'a run that is aborted while %s hooks run rejects with the reason, and its turn is cancelled',
    async (event) => {
      const { hooks, ended, folder } = await observed({
        [event]: inParallel('touch begun; sleep 30'),
      });
      const abort = new AbortController();
      const asking = hooks.model(
        { model: 'm', messages: [user('Go')] },
        async () => saying('done'),
        { signal: abort.signal },
      );
      await waitUntil(() => existsSync(`${folder}/begun`));
      abort.abort(new Error('enough'));
      await expect(asking).rejects.toThrow('enough');
      await waitUntil(() => ended.some(([id]) => id === 'agentTurn'));
      expect(ended.find(([id]) => id === 'agentTurn')).toEqual(['agentTurn', 'cancelled']);
    },
  );

  test('a turn continues after its model has failed, with as many rounds as are left', async () => {
    const { hooks } = await agent(
      { AfterAgent: inParallel('echo more >&2; exit 2') },
      { maxRejections: 1 },
    );
    const messages = [user('Go')];
    const request = { model: 'm', messages };
    const answers = [saying('a')];
    const failing = async (): Promise<NeutralResponse> => {
      const answer = answers.shift();
      if (answer === undefined) throw new Error('busy');
      return answer;
    };
    await expect(hooks.model(request, failing, { key: messages })).rejects.toThrow('busy');
    const asked = vi.fn(async () => saying('b'));
    expect(await hooks.model(request, asked, { key: messages })).toEqual(saying('b'));
    expect(asked).toHaveBeenCalledOnce();
  });

  test('ending the sessions ends the turns that wait for their framework', async () => {
    const { hooks, ended } = await observed({ BeforeTool: inParallel('exit 0') });
    const { ask } = model(hooks, { parts: [wants('1')] });
    await ask(user('Go'));
    await hooks.end();
    await waitUntil(() => ended.some(([id]) => id === 'agentTurn'));
    expect(ended.find(([id]) => id === 'agentTurn')).toEqual(['agentTurn', 'cancelled']);
  });
});

describe('a call that never runs to its end', () => {
  test('a tool call that never ran is cancelled when the run continues', async () => {
    const { hooks } = await agent({ BeforeTool: inParallel('true') });
    const { ask } = model(hooks, { parts: [wants('1')] }, saying('done'));
    await ask(user('Go'));
    const verdict = hooks.verdictOf({ id: '1', name: 'write_file', input: {} });
    expect(verdict).toMatchObject({ status: 'allowed' });
    await ask(user('Go'), { role: 'model', parts: [wants('1')] }, result('1'));
    expect(hooks.verdictOf({ id: '1', name: 'write_file', input: {} })).toBeUndefined();
  });

  test('a model call that waits for its hooks ends when its run is aborted', async () => {
    const { hooks } = await agent({ BeforeModel: inParallel('sleep 600') });
    const abort = new AbortController();
    const asked = hooks.model(
      { model: 'some-model', messages: [user('Go')] },
      async () => saying('never'),
      { signal: abort.signal },
    );
    setTimeout(() => abort.abort(new Error('the user left')), 50);
    await expect(asked).rejects.toThrow('the user left');
  });
});

test('a model that fails throws the same error to the framework as without hooks', async () => {
  const { hooks } = await agent({ BeforeModel: inParallel('true') });
  const boom = new TypeError('boom');
  const asked = hooks.model({ model: 'some-model', messages: [user('Go')] }, () =>
    Promise.reject(boom),
  );
  await expect(asked).rejects.toBe(boom);
});

test('a tool outside the selection of hooks is refused, and the model is offered the tools that are left', async () => {
  const config = {
    hookSpecificOutput: { toolConfig: { mode: 'ANY', allowedFunctionNames: ['read_file'] } },
  };
  const { hooks } = await agent({ BeforeToolSelection: inParallel(print(config)) });
  const { ask, asked } = model(hooks, { parts: [wants('1')] });
  await ask(user('Go'));
  expect(asked.mock.calls[0]![0]).toMatchObject({
    toolConfig: { mode: 'ANY', allowedFunctionNames: ['read_file'] },
  });
  const run = vi.fn(async () => written);
  const { toolResult } = await hooks.tool({ id: '1', name: 'write_file', input: {} }, run);
  expect(toolResult.error!.type).toBe('tool_not_allowed');
  expect(run).not.toHaveBeenCalled();
});

const other = { matcher: '^other$' };

/** Whether a model call with these tools on offer is left alone. */
async function idle(given: Hooks, ...tools: readonly string[]) {
  const { hooks } = await agent(given, { tools: { alias: { Write: 'other' } } });
  await hooks.ready();
  return !hooks.judgesModelCall(tools);
}

describe('a model call is left alone', () => {
  test('a model call is left alone if no hook matches it or a tool that the model may call, under any name', async () => {
    const denying = [group(['exit 2'], other)];
    expect(await idle({ BeforeTool: denying, AfterTool: denying }, 'read', 'write')).toBe(true);
    expect(await idle({ AfterTool: denying }, 'read', 'other')).toBe(false);
    expect(await idle({ BeforeTool: denying }, 'Write')).toBe(false);
    expect(await idle({ AfterModel: inParallel('exit 0') }, 'read')).toBe(false);
    expect(await idle({ SessionEnd: inParallel('exit 0') })).toBe(false);
  });

  test('a model call is not left alone while somebody observes, with hooks or without', async () => {
    const seen: string[] = [];
    const hooks = new AgentHooks({
      cwd: project({}),
      inspect: ({ type }) => void seen.push(type),
    });
    await hooks.ready();
    expect([!hooks.seesAnything(), !hooks.judgesModelCall([])]).toEqual([false, false]);
    await model(hooks, saying('Hi')).ask(user('Hi'));
    expect(seen).not.toEqual([]);
  });

  test('a model call is not left alone if calls are kept beyond the process', async () => {
    const { config } = await startSession({});
    const durable = { config, open: broken, withdraw: broken, call: broken, outcome: broken };
    const hooks = new AgentHooks({ durable, sessionId: 's' });
    await hooks.ready();
    expect([!hooks.seesAnything(), !hooks.judgesModelCall([])]).toEqual([false, false]);
  });

  test('a model call is left alone only after an agent that a hook stopped has ended', async () => {
    const stop = print({ continue: false, stopReason: 'enough' });
    const { hooks } = await agent({ AfterTool: [group([stop], other)] });
    await hooks.ready();
    await hooks.tool({ id: '1', name: 'other', input: {} }, async () => written);
    expect(!hooks.judgesModelCall(['read'])).toBe(false);
    const { ask } = model(hooks, saying('on and on'));
    expect((await ask(user('Go'), result('1'))).parts).toEqual([{ text: 'enough' }]);
    expect(!hooks.judgesModelCall(['read'])).toBe(true);
  });
});
