import { unlinkSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { Dialect } from '../../../src/core/dialects/dialect.ts';
import { kodelet } from '../../../src/hosts/kodelet/index.ts';
import type { HookEventName } from '../../../src/core/protocol/events.ts';
import { hookOf, kodeletBox } from '../../support/kodelet.ts';
import { quoted, someFields } from '../../support/session.ts';

const events = {
  before_tool_call: 'BeforeTool',
  after_tool_call: 'AfterTool',
  user_message_send: 'BeforeAgent',
  agent_stop: 'AfterAgent',
} as const satisfies Record<string, HookEventName>;

/** Returns the outcome of one hook of a type that does this when it runs. */
async function ran(type: keyof typeof events, run: string) {
  const { local, start } = kodeletBox();
  local('hook', hookOf(type, run));
  const { fire, warnings } = await start();
  const result = await fire(events[type], someFields[events[type]]);
  return { result, output: result.finalOutput, warnings };
}

/** Returns the outcome of one hook of a type that prints this. */
const printed = (type: keyof typeof events, answer: unknown) =>
  ran(type, `printf '%s' ${quoted(typeof answer === 'string' ? answer : JSON.stringify(answer))}`);

const types = Object.keys(events) as (keyof typeof events)[];

describe('no opinion (C-107)', () => {
  test.each(types)('a %s hook with empty stdout and exit 0 has no opinion', async (type) => {
    const { result, output, warnings } = await ran(type, 'echo noise >&2');
    expect(result).toMatchObject({ success: true, errors: [], setBy: {} });
    expect([output, result.followUps, result.toolInput, result.toolResponse]).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
    expect(warnings).toEqual([]);
  });

  test.each([
    ['blanks', ' \n\t\n'],
    ['null', 'null'],
    ['an empty object', '{}'],
    ['all fields null', '{"blocked":null,"reason":null,"input":null}'],
    ['only fields of other types', '{"output":{"a":1},"follow_up_messages":["x"]}'],
  ])('a before_tool_call hook that prints %s has no opinion', async (_, text) => {
    const { result, output, warnings } = await printed('before_tool_call', text);
    expect([result.success, output, result.toolInput, warnings]).toEqual([
      true,
      undefined,
      undefined,
      [],
    ]);
  });

  test('a null output and empty follow-ups are no opinion', async () => {
    const after = await printed('after_tool_call', { output: null });
    expect([after.result.success, after.result.toolResponse]).toEqual([true, undefined]);
    for (const follow_up_messages of [null, [], ['']]) {
      const stop = await printed('agent_stop', { follow_up_messages });
      expect([stop.result.success, stop.result.followUps]).toEqual([true, undefined]);
    }
  });
});

describe('failures (C-107, K9)', () => {
  test.each([
    ['a non-zero exit code', 'echo broken >&2; exit 1', 'Hook exited with code 1: broken'],
    ['exit 2, which is not a denial here', 'echo No >&2; exit 2', 'Hook exited with code 2: No'],
    [
      'a non-zero exit code with a valid answer',
      `echo '{"blocked":true,"reason":"No"}'; exit 3`,
      'Hook exited with code 3',
    ],
    ['an end by a signal', `echo '{"blocked":true}'; kill -9 $$`, 'Hook was killed by SIGKILL'],
    ['output that is not JSON', 'echo Fine.', 'stdout is not JSON; print one object, or nothing'],
    [
      'two objects',
      `echo '{"blocked":true}{"blocked":true}'`,
      'a denial was NOT read: stdout is not JSON; print one object, or nothing',
    ],
    [
      'text before the object',
      `echo Checking; echo '{"blocked":true}'`,
      'a denial was NOT read: stdout is not JSON; print one object, or nothing',
    ],
    ['an array', `echo '[]'`, 'stdout is not a JSON object; print one object, or nothing'],
    ['a boolean', `echo true`, 'stdout is not a JSON object; print one object, or nothing'],
    [
      'more output than can be kept',
      `echo '{"blocked":false}'; head -c 11000000 /dev/zero | tr '\\0' ' '`,
      'stdout went over 10 MiB, so the answer cannot be read; print less',
    ],
  ])('a failure is reported and does not block: %s', async (_, run, why) => {
    const { result, output, warnings } = await ran('before_tool_call', run);
    expect(output?.isBlockingDecision() ?? false).toBe(false);
    expect(result.success).toBe(false);
    expect(result.results[0]?.status).toBe('failed');
    expect(warnings).toEqual([`hook "hook" (BeforeTool) failed and was ignored: ${why}`]);
  });

  test.each([
    [
      'more output than can be kept',
      `echo '{"blocked":true}'; head -c 11000000 /dev/zero | tr '\\0' ' '`,
    ],
    [
      'a field that is nested too deep',
      `printf '{"blocked":true,"input":{"x":'; printf '%0600d' 0 | tr 0 '['; printf '%0600d' 0 | tr 0 ']'; echo '}}'`,
    ],
  ])('%s does not undo a block', async (_, run) => {
    const { output } = await ran('before_tool_call', run);
    expect(output?.isBlockingDecision()).toBe(true);
  });

  test('a hook that is removed after it was found fails with its path, and the tool goes on', async () => {
    const { local, start } = kodeletBox();
    const file = local('hook', hookOf('before_tool_call'));
    const { fire, warnings } = await start();
    unlinkSync(file);
    const { success, finalOutput } = await fire('BeforeTool', someFields.BeforeTool);
    expect([success, finalOutput]).toEqual([false, undefined]);
    expect(warnings).toEqual([
      expect.stringMatching(/^hook "hook" \(BeforeTool\) failed and was ignored: .*ENOENT/),
    ]);
    expect(warnings[0]).toContain(file);
  });

  test('the answer of a hook that removes itself while it runs counts', async () => {
    const { output, warnings } = await ran(
      'before_tool_call',
      `rm "$0"; echo '{"blocked":true,"reason":"No"}'`,
    );
    expect([output?.getBlockReason(), warnings]).toEqual(['No', []]);
  });

  test('a hook that takes too long is ended, and its output does not count', async () => {
    const { local, start } = kodeletBox();
    local('hook', hookOf('before_tool_call', `echo '{"blocked":true}'; exec sleep 600`));
    // The dialect with a shorter timeout than its 30 seconds.
    const hasty: Dialect = {
      ...kodelet,
      async find(site) {
        const found = await kodelet.find(site);
        return {
          ...found,
          definitions: found.definitions.map((hook) => ({ ...hook, timeout: 200 })),
        };
      },
    };
    const { fire, warnings } = await start({ dialects: [hasty] });
    const { finalOutput, results } = await fire('BeforeTool', someFields.BeforeTool);
    expect([finalOutput, results[0]?.status]).toEqual([undefined, 'timedOut']);
    expect(warnings).toEqual([
      'hook "hook" (BeforeTool) failed and was ignored: Hook timed out after 200ms',
    ]);
  });
});

describe('before_tool_call', () => {
  test('blocked: true denies a tool call, with its reason (K2)', async () => {
    const { output, result } = await printed('before_tool_call', { blocked: true, reason: 'No' });
    expect([output?.isBlockingDecision(), output?.getBlockReason()]).toEqual([true, 'No']);
    expect([result.success, result.setBy]).toEqual([true, { decision: 'hook' }]);
  });

  test.each([[{ blocked: true }], [{ blocked: true, reason: '' }]])(
    'the answer %j denies with a default reason',
    async (answer) => {
      const { output } = await printed('before_tool_call', answer);
      expect(output?.getBlockReason()).toBe('Blocked by hook');
    },
  );

  test('blocked: false neither denies nor changes anything', async () => {
    const { output, result } = await printed('before_tool_call', {
      blocked: false,
      reason: 'Fine',
    });
    expect([output?.isBlockingDecision(), result.toolInput]).toEqual([false, undefined]);
  });

  test('input replaces the arguments as a whole: a missing key is removed (K6)', async () => {
    const { result, output } = await printed('before_tool_call', { input: { file_path: 'b.txt' } });
    expect(result.toolInput).toEqual({ file_path: 'b.txt' });
    expect(result.setBy).toEqual({ tool_input: 'hook' });
    expect(output?.isBlockingDecision()).toBe(false);
  });

  test('an empty input replaces the arguments too', async () => {
    const { result } = await printed('before_tool_call', { blocked: false, input: {} });
    expect(result.toolInput).toEqual({});
  });

  test('names that are special in JavaScript stay plain keys', async () => {
    const { result } = await printed(
      'before_tool_call',
      '{"input":{"__proto__":{"polluted":1},"constructor":2}}',
    );
    expect(JSON.stringify(result.toolInput)).toBe('{"__proto__":{"polluted":1},"constructor":2}');
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  test('fields in the case of Go structs are understood, as in Kodelet', async () => {
    const { output } = await printed('before_tool_call', { Blocked: true, Reason: 'No' });
    expect(output?.getBlockReason()).toBe('No');
  });

  test.each([
    [
      { blocked: 'yes', reason: 'x' },
      false,
      '"blocked" is "yes" and was ignored: it must be true or false',
    ],
    [{ blocked: true, reason: 5 }, true, '"reason" is 5 and was ignored: it must be a string'],
    [{ blocked: true, input: 'ls' }, true, '"input" is "ls" and was ignored: it must be an object'],
    [{ input: ['ls'] }, false, '"input" is a list and was ignored: it must be an object'],
  ])(
    'in the answer %j the invalid field is reported, and the others still count',
    async (answer, blocked, note) => {
      const { output, result, warnings } = await printed('before_tool_call', answer);
      expect(output?.isBlockingDecision() ?? false).toBe(blocked);
      expect([result.success, result.toolInput]).toEqual([true, undefined]);
      expect(warnings).toEqual([`hook "hook" (BeforeTool): ${note}`]);
    },
  );
});

describe('after_tool_call', () => {
  test.each([
    [
      'the model reads a structured result’s text',
      { toolName: 'bash', success: true, metadata: { output: 'clean', exitCode: 0 } },
      {
        llmContent: 'clean',
        returnDisplay: 'clean',
        metadata: { output: 'clean', exitCode: 0 },
      },
    ],
    [
      'the model reads content in the metadata',
      { success: true, metadata: { content: 'lines' } },
      { llmContent: 'lines', returnDisplay: 'lines', metadata: { content: 'lines' } },
    ],
    [
      'an error means that the tool failed',
      { success: false, error: 'withheld' },
      { llmContent: 'withheld', returnDisplay: 'withheld', error: { message: 'withheld' } },
    ],
    [
      'an error and a text are both kept',
      { success: false, error: 'exit 1', metadata: { output: 'why' } },
      {
        llmContent: 'exit 1\nwhy',
        returnDisplay: 'exit 1\nwhy',
        metadata: { output: 'why' },
        error: { message: 'exit 1' },
      },
    ],
    [
      'a failure without an error gets a default text',
      { success: false },
      {
        llmContent: 'The tool failed.',
        returnDisplay: 'The tool failed.',
        error: { message: 'The tool failed.' },
      },
    ],
    [
      'the model reads anything else unchanged',
      { anything: [1, 2] },
      { llmContent: '{"anything":[1,2]}', returnDisplay: '{"anything":[1,2]}' },
    ],
  ])('output replaces the result (K7): %s', async (_, output, response) => {
    const { result } = await printed('after_tool_call', { output });
    expect(result.toolResponse).toEqual(response);
    expect(result.setBy).toEqual({ tool_response: 'hook' });
  });

  test('blocked has no effect after the tool', async () => {
    const { output, result } = await printed('after_tool_call', { blocked: true, reason: 'No' });
    expect([output, result.success]).toEqual([undefined, true]);
  });

  test('an output that is not an object is reported and replaces nothing', async () => {
    const { result, warnings } = await printed('after_tool_call', { output: 'text' });
    expect(result.toolResponse).toBeUndefined();
    expect(warnings).toEqual([
      'hook "hook" (AfterTool): "output" is "text" and was ignored: it must be an object',
    ]);
  });
});

describe('user_message_send and agent_stop', () => {
  test('blocked: true forbids the message (K5)', async () => {
    const { output } = await printed('user_message_send', { blocked: true, reason: 'Secret' });
    expect([output?.isBlockingDecision(), output?.getBlockReason()]).toEqual([true, 'Secret']);
  });

  test('input and output have no effect on a message', async () => {
    const { result, output } = await printed('user_message_send', { input: {}, output: {} });
    expect([output, result.toolInput, result.toolResponse]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  test('follow_up_messages are passed on unchanged, except for empty ones (K4)', async () => {
    const { result, output } = await printed('agent_stop', {
      follow_up_messages: ['One', '', ' Two\n'],
    });
    expect([result.followUps, output]).toEqual([['One', ' Two\n'], undefined]);
  });

  test.each([
    ['"One"', 'One'],
    ['a list', ['One', 2]],
    ['an object', { text: 'One' }],
  ])(
    'follow_up_messages that are %s are reported and ignored',
    async (kind, follow_up_messages) => {
      const { result, warnings } = await printed('agent_stop', { follow_up_messages });
      expect([result.followUps, result.success]).toEqual([undefined, true]);
      expect(warnings).toEqual([
        `hook "hook" (AfterAgent): "follow_up_messages" is ${kind} and was ignored: it must be an array of strings`,
      ]);
    },
  );

  test('blocked has no effect when the agent stops', async () => {
    const { result, output } = await printed('agent_stop', { blocked: true, reason: 'Go on' });
    expect([output, result.followUps]).toEqual([undefined, undefined]);
  });
});
