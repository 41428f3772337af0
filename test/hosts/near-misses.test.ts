import { describe, expect, test } from 'vitest';
import { readAnswer as readKodelet } from '../../src/hosts/kodelet/answer.ts';
import { toStdin } from '../../src/hosts/kodelet/calls.ts';
import { readAnswer } from '../../src/hosts/plain/answer.ts';
import { denyFailure } from '../../src/core/answers/process-facts.ts';
import { hookEventNames, type LifecycleEvent } from '../../src/core/protocol/events.ts';
import { exited } from '../support/answers.ts';
import { inParallel, print, someFields, startSession } from '../support/session.ts';

type Payload = Readonly<Record<string, unknown>>;

const inputOf = (event: LifecycleEvent): Payload => ({ ...someFields[event] });

const answerTo = (event: LifecycleEvent, answer: object | string, payload = inputOf(event)) =>
  readAnswer(
    event,
    exited({ stdout: typeof answer === 'string' ? answer : JSON.stringify(answer) }),
    payload,
  );

/** Answers that are almost a denial, and the field that each was meant to use. */
const misses: [object | string, string][] = [
  [{ Decision: 'deny' }, '"decision"'],
  [{ DECISION: 'deny' }, '"decision"'],
  [{ descision: 'deny' }, '"decision"'],
  [{ decison: 'deny' }, '"decision"'],
  [{ desicion: 'deny' }, '"decision"'],
  [{ decisions: 'deny' }, '"decision"'],
  [{ 'decision ': 'deny' }, '"decision"'],
  [{ Continue: false }, '"continue"'],
  [{ contine: false }, '"continue"'],
  [{ stop_reason: 'enough' }, '"stopReason"'],
  [{ StopReason: 'enough' }, '"stopReason"'],
  [{ hookSpecificOutputs: {} }, '"hookSpecificOutput"'],
  [{ hook_specific_output: { permissionDecision: 'deny' } }, '"hookSpecificOutput"'],
  [{ permission: 'deny' }, '"decision"'],
  [{ permision: 'deny' }, '"decision"'],
  [{ blocked: true }, '"decision"'],
  [{ blocked: false }, '"decision"'],
  [{ block: true }, '"decision"'],
  [{ block: { reason: 'no' } }, '"decision"'],
  [{ deny: true }, '"decision"'],
  [{ behavior: 'deny' }, '"decision"'],
  [{ behaviour: 'deny' }, '"decision"'],
  [{ action: 'deny' }, '"decision"'],
  [{ action: 'block' }, '"decision"'],
  [{ verdict: 'deny' }, '"decision"'],
  [{ outcome: 'blocked' }, '"decision"'],
  [{ status: 'denied' }, '"decision"'],
  [{ result: 'Deny' }, '"decision"'],
  [{ allowed: 'no' }, '"decision"'],
  [{ cancel: true }, '"decision"'],
  [{ allow: false }, '"decision"'],
  [{ ok: false, reason: 'no' }, '"decision"'],
  [{ updatedPermissions: [] }, '"decision"'],
  [{ updatedInput: { command: 'ls' } }, '"hookSpecificOutput.tool_input"'],
  [{ updated_input: { command: 'ls' } }, '"hookSpecificOutput.tool_input"'],
  [{ modifiedArgs: { command: 'ls' } }, '"hookSpecificOutput.tool_input"'],
  [{ updatedToolOutput: 'x' }, '"decision"'],
  [{ result: { decision: 'deny' } }, '"decision"'],
  [{ hookSpecificOutput: { decision: 'deny' } }, '"decision"'],
  [{ hookSpecificOutput: { continue: false } }, '"continue"'],
  [{ hookSpecificOutput: { blocked: true } }, '"decision"'],
  [{ hookSpecificOutput: { updatedInput: {} } }, '"hookSpecificOutput.tool_input"'],
  [{ decision: 'Deny' }, '"decision"'],
  [{ decision: 'denied' }, '"decision"'],
  [{ decision: 'reject' }, '"decision"'],
  [{ decision: 'block ' }, '"decision"'],
  [{ decision: { behavior: 'deny' } }, '"decision"'],
  [{ decision: true }, '"decision"'],
  [{ continue: 'false' }, '"continue"'],
  [{ hookSpecificOutput: '{"permissionDecision":"deny"}' }, '"hookSpecificOutput"'],
  ['{"decision":"deny","decision":"allow"}', '"decision"'],
  ['{"decision":"allow","reason":"x","decision":"allow"}', '"decision"'],
  ['{"continue":false,"continue":true}', '"continue"'],
  ['{"decision":"deny","d\\u0065cision":"allow"}', '"decision"'],
  ['{"hookSpecificOutput":{},"hookSpecificOutput":{}}', '"hookSpecificOutput"'],
];

/** The same for fields that only some events have. */
const missesOf: [LifecycleEvent, object | string, string][] = [
  ['BeforeTool', { permissionDecision: 'deny' }, '"hookSpecificOutput.permissionDecision"'],
  ['BeforeAgent', { permissionDecision: 'deny' }, '"decision"'],
  ['BeforeAgent', { hookSpecificOutput: { permissionDecision: 'deny' } }, '"decision"'],
  ['BeforeTool', { permission_decision: 'deny' }, '"hookSpecificOutput.permissionDecision"'],
  ['BeforeTool', { toolInput: { a: 1 } }, '"hookSpecificOutput.tool_input"'],
  ['BeforeTool', { tool_input: { a: 1 } }, '"hookSpecificOutput.tool_input"'],
  ['BeforeTool', { hookSpecificOutput: { toolInput: {} } }, '"tool_input"'],
  ['BeforeTool', { hookSpecificOutput: { tool_inputs: {} } }, '"tool_input"'],
  ['BeforeTool', { hookSpecificOutput: { PermissionDecision: 'x' } }, '"permissionDecision"'],
  ['BeforeTool', { hookSpecificOutput: { permissionDecison: 'x' } }, '"permissionDecision"'],
  ['BeforeTool', { hookSpecificOutput: { permissionDecision: 'Deny' } }, '"permissionDecision"'],
  [
    'BeforeTool',
    '{"hookSpecificOutput":{"permissionDecision":"deny","permissionDecision":"allow"}}',
    '"hookSpecificOutput.permissionDecision"',
  ],
  ['BeforeModel', { llm_request: {} }, '"hookSpecificOutput.llm_request"'],
  ['BeforeModel', { hookSpecificOutput: { llmRequest: {} } }, '"llm_request"'],
  ['AfterModel', { llmResponse: { text: 'x' } }, '"hookSpecificOutput.llm_response"'],
  ['AfterModel', { hookSpecificOutput: { llmResponse: {} } }, '"llm_response"'],
  ['AfterModel', { hookSpecificOutput: { llm_response: 'clean' } }, 'llm_response'],
  ['BeforeToolSelection', { hookSpecificOutput: { tool_config: {} } }, '"toolConfig"'],
  ...(
    [
      ['AfterModel', { llm_response: { Text: 'clean' } }, '"text"'],
      ['AfterModel', { llm_response: { candidate: [] } }, '"candidates"'],
      ['AfterModel', { llm_response: { content: 'clean' } }, '"text"'],
      ['AfterModel', { llm_response: { text: 5 } }, 'llm_response.text'],
      ['AfterModel', { llm_response: { text: ['clean'], candidates: [] } }, 'llm_response.text'],
      ['AfterModel', { text: 'clean' }, '"hookSpecificOutput.llm_response.text"'],
      ['AfterModel', { response: { text: 'clean' } }, '"llm_response"'],
      ['BeforeModel', { llm_request: { mesages: [] } }, '"messages"'],
      ['BeforeModel', { llm_request: { messages: 'none' } }, 'llm_request.messages'],
      ['BeforeModel', { messages: [] }, '"hookSpecificOutput.llm_request.messages"'],
      [
        'BeforeToolSelection',
        { toolConfig: { allowed_function_names: [] } },
        '"allowedFunctionNames"',
      ],
      ['BeforeToolSelection', { toolConfig: { Mode: 'NONE' } }, '"mode"'],
      [
        'BeforeToolSelection',
        { toolConfig: { mode: 'none', allowedFunctionNames: [] } },
        'toolConfig.mode',
      ],
      [
        'BeforeToolSelection',
        { toolConfig: { functionCallingConfig: { mode: 'NONE' } } },
        '"mode"',
      ],
      ['BeforeToolSelection', { mode: 'NONE' }, '"hookSpecificOutput.toolConfig.mode"'],
    ] as const
  ).map(([event, specific, meant]): [LifecycleEvent, object, string] => [
    event,
    { hookSpecificOutput: specific },
    meant,
  ]),
  ['AfterModel', { text: 'clean', candidates: [] }, '"hookSpecificOutput.llm_response.text"'],
  [
    'AfterModel',
    '{"hookSpecificOutput":{"llm_response":{"text":"clean","text":"secret"}}}',
    '"hookSpecificOutput.llm_response.text"',
  ],
];

const everywhere = hookEventNames.flatMap((event) =>
  misses.map(([answer, meant]): [LifecycleEvent, object | string, string] => [
    event,
    answer,
    meant,
  ]),
);

describe('near misses (S-04, S-05)', () => {
  test.each([...everywhere, ...missesOf])(
    'the near miss in answer to %s, %j, gets a note that names %s, decides nothing, and denies if a failure blocks',
    (event, printed, meant) => {
      const answer = answerTo(event, printed);
      expect(answer.notes.join('\n')).toContain(meant);
      expect(answer).toMatchObject({ status: 'ok', success: true });
      expect(answer.decision).not.toBe('deny');
      const closed = denyFailure(answer, 'guard');
      expect(closed).toMatchObject({ decision: 'deny', status: 'failed', success: false });
      expect(closed.output?.reason).toContain(meant.replaceAll('"', ''));
    },
  );

  test.each(hookEventNames)('a denial next to a near miss counts in %s', (event) => {
    for (const [miss] of misses) {
      if (typeof miss === 'string' || 'decision' in miss || 'continue' in miss) continue;
      const answer = answerTo(event, { ...miss, decision: 'deny', reason: 'mine' });
      expect(answer.decision).toBe('deny');
      expect(denyFailure(answer, 'guard').output?.reason).toBe('mine');
    }
  });
});

/** Answers with no opinion, or with one that is not a denial. */
const legal: (object | string)[] = [
  {},
  { reason: 'Just so.' },
  { systemMessage: 'Hi.' },
  { suppressOutput: true },
  { stopReason: 'unused' },
  { hookSpecificOutput: {} },
  { hookSpecificOutput: { additionalContext: 'Context.' } },
  { hookSpecificOutput: { hookEventName: 'BeforeTool', additionalContext: 'Context.' } },
  { decision: null },
  { decision: 'allow' },
  { decision: 'approve', reason: 'fine' },
  { continue: true },
  { version: 2, status: 'ok', checked: ['a'], durationMs: 4 },
  { revision: 7, division: 'x', precision: 0.5, locked: true, session: 's', context: 'c' },
  { ok: true, allow: true, action: 'lint', stop: 'x' },
  { metadata: { decision: 'allow' }, data: { text: 'denied' } },
  { __proto__: null, constructor: 'x', toString: 'y' },
];

test.each(hookEventNames)('an answer without an opinion is not a failure in %s (S-05)', (event) => {
  for (const answer of legal) {
    const read = answerTo(event, answer);
    expect([answer, read.notes]).toEqual([answer, []]);
    expect(denyFailure(read, 'guard')).toBe(read);
  }
});

test('fields that a hook only repeats from its input are not near misses', () => {
  for (const event of hookEventNames) {
    const payload = { ...inputOf(event), permission: 'deny', cwd: '/' };
    expect(answerTo(event, { ...payload, decision: 'allow' }, payload).notes).toEqual([]);
  }
});

test('an answer with very many keys is read, and only the first misses are noted', () => {
  const many = Object.fromEntries(Array.from({ length: 200_000 }, (_, key) => [`key${key}`, 1]));
  expect(answerTo('BeforeTool', { ...many, descision: 'deny' }).notes).toHaveLength(1);
  const missed = Object.fromEntries(
    Array.from({ length: 5000 }, (_, key) => [`decision${key}`, 'deny']),
  );
  expect(answerTo('BeforeTool', missed).notes.length).toBeLessThan(30);
});

test('very many meaningless fields in hookSpecificOutput are dropped, and deciding ones are kept', () => {
  const many = Object.fromEntries(Array.from({ length: 20_000 }, (_, key) => [`key${key}`, 1]));
  const specific = { ...many, permissionDecision: 'deny', additionalContext: 'why' };
  const answer = answerTo('BeforeTool', { hookSpecificOutput: specific });
  expect(answer.decision).toBe('deny');
  expect(answer.output?.hookSpecificOutput).toEqual({
    permissionDecision: 'deny',
    additionalContext: 'why',
  });
  expect(answer.notes).toEqual([expect.stringContaining('has 20002 fields')]);
  const missed = answerTo('BeforeTool', { hookSpecificOutput: { ...many, permision: 'deny' } });
  expect(denyFailure(missed, 'guard').decision).toBe('deny');
  const silent = answerTo('BeforeTool', { hookSpecificOutput: many });
  expect(denyFailure(silent, 'guard').decision).toBeUndefined();
});

const kodelet = (event: LifecycleEvent, answer: object | string) =>
  readKodelet(
    event,
    exited({ stdout: typeof answer === 'string' ? answer : JSON.stringify(answer) }),
    inputOf(event),
  );

describe('near misses of Kodelet hooks', () => {
  test.each<[LifecycleEvent, object | string, string]>([
    ['BeforeTool', { bloked: true }, '"blocked"'],
    ['BeforeTool', { is_blocked: true }, '"blocked"'],
    ['BeforeTool', { blocked: 'true' }, '"blocked"'],
    ['BeforeTool', { decision: 'deny' }, '"blocked"'],
    ['BeforeTool', { Descision: 'deny' }, '"blocked"'],
    ['BeforeTool', { permission: 'deny' }, '"blocked"'],
    ['BeforeTool', { permissionDecision: 'deny' }, '"blocked"'],
    ['BeforeTool', { continue: false }, '"blocked"'],
    ['BeforeTool', { block: true }, '"blocked"'],
    ['BeforeTool', { deny: true }, '"blocked"'],
    ['BeforeTool', { hookSpecificOutput: { permissionDecision: 'deny' } }, '"blocked"'],
    ['BeforeTool', { toolInput: {} }, '"input"'],
    ['BeforeTool', { updatedInput: {} }, '"input"'],
    ['BeforeTool', { input: 'rm' }, '"input"'],
    ['BeforeTool', '{"blocked":true,"blocked":false}', '"blocked"'],
    ['BeforeTool', '{"Blocked":true,"blocked":false}', '"blocked"'],
    ['AfterTool', { blocked: true }, '"blocked"'],
    ['AfterTool', { output: 'x' }, '"output"'],
    ['AfterTool', { updatedToolOutput: {} }, '"output"'],
    ['BeforeAgent', { decision: 'block' }, '"blocked"'],
    ['AfterAgent', { followUpMessages: ['x'] }, '"follow_up_messages"'],
    ['AfterAgent', { follow_up_message: ['x'] }, '"follow_up_messages"'],
  ])(
    'the near miss of a Kodelet hook for %s, %j, gets a note that names %s, and denies if a failure blocks',
    (event, printed, meant) => {
      const answer = kodelet(event, printed);
      expect(answer.notes.join('\n')).toContain(meant);
      expect(answer).toMatchObject({ status: 'ok', success: true });
      expect(answer.decision).not.toBe('deny');
      expect(denyFailure(answer, 'guard').decision).toBe('deny');
    },
  );

  test('answers of Kodelet hooks without an opinion, or with fields in another case, are not near misses', () => {
    for (const answer of [{}, { reason: 'x' }, { Blocked: false }, { note: 1 }, { input: null }]) {
      const read = kodelet('BeforeTool', answer);
      expect([answer, read.notes, read.unreadable]).toEqual([answer, [], undefined]);
    }
    const repeated = toStdin('BeforeTool', inputOf('BeforeTool'), {});
    expect(kodelet('BeforeTool', { ...repeated, blocked: false }).notes).toEqual([]);
  });
});

describe.each(['allow', 'block'] as const)('real hooks, onFailure "%s"', (onFailure) => {
  test.concurrent.each<[string, string, string]>([
    ['a misspelled key', print({ descision: 'deny' }), 'decision'],
    ["another host's word", print({ permission: 'deny' }), 'decision'],
    ['a key in the wrong place', print({ hookSpecificOutput: { decision: 'deny' } }), 'decision'],
    ['a doubled key', `printf '{"decision":"deny","decision":"allow"}'`, 'decision'],
    ['a wrong value', print({ decision: 'Deny' }), 'decision'],
    [
      'a log line before a denial',
      `echo checking; ${print({ decision: 'deny' })}`,
      'denial was NOT',
    ],
    [
      'a denial in a code fence',
      `printf '%s\\n' '\`\`\`json' '{"decision": "deny"}' '\`\`\`'`,
      'denial was NOT',
    ],
  ])('%s is reported with the hook’s name', async (_, command, named) => {
    const session = await startSession({
      BeforeTool: inParallel({ command, name: 'guard', onFailure }),
    });
    const result = await session.fire('BeforeTool', someFields.BeforeTool);
    expect(result.finalOutput?.isBlockingDecision()).toBe(onFailure === 'block');
    const lines = session.warnings.filter((line) => line.includes('hook "guard" (BeforeTool)'));
    expect(lines.join('\n')).toContain(named);
    // Nothing is reported twice.
    for (const line of lines.slice(1)) expect(lines[0]).not.toContain(line.split('): ')[1]);
    expect(result.results[0]!.success).toBe(onFailure === 'allow');
  });
});
