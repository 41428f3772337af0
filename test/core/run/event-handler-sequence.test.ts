import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { hookEventNames } from '../../../src/core/protocol/events.ts';
import { group, inSequence, print, someFields, startSession } from '../../support/session.ts';

describe('a block or a stop ends the sequence (HOOK-107, C-45, C-46)', () => {
  const endings = [
    ['exit 2', 'echo no >&2; exit 2'],
    ['a JSON denial', print({ decision: 'deny', reason: 'no' })],
    ['a stop', print({ continue: false, stopReason: 'enough' })],
  ] as const;

  test.each(hookEventNames)('a block or a stop at %s ends the sequence', async (event) => {
    for (const [, ending] of endings) {
      const session = await startSession({
        [event]: inSequence('touch first', ending, 'touch third', 'touch fourth'),
      });
      const { plan, results, finalOutput } = await session.fire(event, someFields[event]);
      expect(plan).toEqual({ mode: 'sequential', count: 4 });
      expect(results).toHaveLength(2);
      expect(finalOutput?.isBlockingDecision() || finalOutput?.shouldStopExecution()).toBe(true);
      expect(existsSync(join(session.folder, 'first'))).toBe(true);
      expect(existsSync(join(session.folder, 'third'))).toBe(false);
      expect(existsSync(join(session.folder, 'fourth'))).toBe(false);
    }
  });

  test('a compatibility denial ends the sequence as well (C-52)', async () => {
    const deny = { hookSpecificOutput: { permissionDecision: 'deny' } };
    const session = await startSession({ BeforeTool: inSequence(print(deny), 'touch second') });
    expect((await session.fire('BeforeTool', someFields.BeforeTool)).results).toHaveLength(1);
    expect(existsSync(join(session.folder, 'second'))).toBe(false);
  });

  test('an ask, an allow, plain text or a failure does not end the sequence', async () => {
    const session = await startSession({
      BeforeTool: inSequence(
        print({ decision: 'ask' }),
        print({ decision: 'allow', continue: true }),
        'echo text',
        'exit 1',
        { command: 'sleep 9', timeout: 100 },
        './missing',
        'touch last',
      ),
    });
    const { results } = await session.fire('BeforeTool', someFields.BeforeTool);
    expect(results).toHaveLength(7);
    expect(existsSync(join(session.folder, 'last'))).toBe(true);
  });
});

const note = (text: string) => `sleep 0.0${9 - Number(text)}; echo ${text} >> order`;

test('one sequential group turns all groups into one sequence, in plan order (HOOK-103, HOOK-109, I12)', async () => {
  const session = await startSession({
    BeforeTool: [
      group([note('1'), note('2')]),
      group([note('3')], { sequential: true }),
      group([note('4')]),
    ],
  });
  await session.fire('BeforeTool', someFields.BeforeTool);
  expect(readFileSync(join(session.folder, 'order'), 'utf8')).toBe('1\n2\n3\n4\n');
});

const keep = (file: string) => `cat > ${file}.json`;

const kept = (folder: string, file: string) =>
  JSON.parse(readFileSync(join(folder, `${file}.json`), 'utf8')) as Record<string, unknown>;

const rewrite = (tool_input: object) => print({ hookSpecificOutput: { tool_input } });

describe('what the next hook receives', () => {
  test('changes to the arguments accumulate, and the last state is the final one (HOOK-106, HOOK-216, C-42, C-43)', async () => {
    const session = await startSession({
      BeforeTool: inSequence(
        `${keep('one')}; ${rewrite({ content: 'new', flags: { x: 1 } })}`,
        `${keep('two')}; ${rewrite({ flags: { y: 2 }, extra: true })}`,
        `${keep('three')}; ${rewrite({ extra: false })}`,
      ),
    });
    const tool_input = { file_path: 'a', content: 'old', flags: { z: 0 } };
    const before = structuredClone(tool_input);
    const { finalOutput, conflicts, setBy } = await session.fire('BeforeTool', {
      tool_name: 'write_file',
      tool_input,
    });
    expect(kept(session.folder, 'one')['tool_input']).toEqual(before);
    expect(kept(session.folder, 'two')['tool_input']).toEqual({
      file_path: 'a',
      content: 'new',
      flags: { x: 1 },
    });
    expect(kept(session.folder, 'three')).toMatchObject({
      tool_name: 'write_file',
      tool_input: { file_path: 'a', content: 'new', flags: { y: 2 }, extra: true },
    });
    expect(finalOutput?.hookSpecificOutput).toEqual({
      tool_input: { content: 'new', flags: { y: 2 }, extra: false },
    });
    // A later hook saw what it changed, so there is no conflict; the caller's object is untouched (G-05).
    expect(conflicts).toEqual([]);
    expect(session.warnings).toEqual([]);
    expect(setBy['tool_input.extra']).toContain('three');
    expect(tool_input).toEqual(before);
  });

  test('a request gets the messages of one hook and the config of another (UB1, C-42, recipe 17)', async () => {
    const messages = [
      { role: 'system', content: 'Context' },
      { role: 'user', content: 'Hi' },
    ];
    const session = await startSession({
      BeforeModel: inSequence(
        print({ hookSpecificOutput: { llm_request: { messages } } }),
        `${keep('second')}; ${print({
          hookSpecificOutput: { llm_request: { config: { temperature: 0.1 } } },
        })}`,
        `${keep('third')}; echo '{}'`,
      ),
    });
    const { finalOutput } = await session.fire('BeforeModel', someFields.BeforeModel);
    expect(kept(session.folder, 'second')['llm_request']).toMatchObject({
      model: 'some-model',
      messages,
    });
    expect(kept(session.folder, 'third')['llm_request']).toMatchObject({
      messages,
      config: { temperature: 0.1 },
    });
    expect(finalOutput?.hookSpecificOutput).toEqual({
      llm_request: { messages, config: { temperature: 0.1 } },
    });
  });

  test('the second hook sees the temperature that the first one set (U1, 000 §8.1)', async () => {
    const session = await startSession({
      BeforeModel: inSequence(
        print({ hookSpecificOutput: { llm_request: { config: { temperature: 0 } } } }),
        `jq -c '{reason: (.llm_request.config.temperature | tostring)}'`,
      ),
    });
    const { finalOutput } = await session.fire('BeforeModel', someFields.BeforeModel);
    expect(finalOutput?.reason).toBe('0');
  });

  test('a hook that limits the request judges it as an earlier hook enlarged it (U3)', async () => {
    const limit = `jq -c 'if (.llm_request.messages | length) > 1 then {decision: "deny", reason: "too long"} else {} end'`;
    const enlarge = `jq -c '{hookSpecificOutput: {llm_request: {messages: (.llm_request.messages + [{role: "user", content: "more"}])}}}'`;
    const both = await startSession({ BeforeModel: inSequence(enlarge, limit) });
    const { finalOutput } = await both.fire('BeforeModel', someFields.BeforeModel);
    expect(finalOutput?.getEffectiveReason()).toBe('too long');
    const alone = await startSession({ BeforeModel: inSequence(limit) });
    expect(
      (await alone.fire('BeforeModel', someFields.BeforeModel)).finalOutput?.isBlockingDecision(),
    ).toBe(false);
  });

  test('context that one hook adds to a prompt is part of the prompt that the next one receives (W11, HOOK-211)', async () => {
    const session = await startSession({
      BeforeAgent: inSequence(
        print({ hookSpecificOutput: { additionalContext: 'Remember this.' } }),
        `jq -c '{reason: .prompt}'`,
      ),
    });
    const { finalOutput } = await session.fire('BeforeAgent', { prompt: 'Hello' });
    expect(finalOutput?.reason).toBe('Hello\n\nRemember this.');
  });

  test('a failed hook changes nothing, and the sequence continues (HOOK-104, HOOK-112)', async () => {
    const wrong = rewrite({ content: 'wrong' });
    const session = await startSession({
      BeforeTool: inSequence(
        `${wrong}; exit 1`,
        { command: `${wrong}; sleep 9`, timeout: 100 },
        `${wrong}; kill -KILL $$`,
        rewrite({ file_path: 'b.txt' }),
        keep('last'),
      ),
    });
    const { finalOutput } = await session.fire('BeforeTool', someFields.BeforeTool);
    expect(kept(session.folder, 'last')['tool_input']).toEqual({
      file_path: 'b.txt',
      content: 'text',
    });
    expect(finalOutput?.hookSpecificOutput).toEqual({ tool_input: { file_path: 'b.txt' } });
  });

  test('nothing that a hook prints can replace the base fields (C-95)', async () => {
    const evil = `{"session_id":"x","hookSpecificOutput":{"session_id":"x","cwd":"/","__proto__":{"cwd":"/"},"tool_input":{"__proto__":{"polluted":true}}}}`;
    const session = await startSession({
      BeforeTool: inSequence(`printf '%s' '${evil}'`, keep('last')),
    });
    await session.fire('BeforeTool', someFields.BeforeTool);
    const received = kept(session.folder, 'last');
    expect(received['cwd']).toBe(session.folder);
    expect(received['session_id']).toBe(session.config.getSessionId());
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });
});
