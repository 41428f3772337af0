import { describe, expect, test } from 'vitest';
import { qwenEvents } from '../../../src/hosts/qwen-code/events.ts';
import { groupOf, printing } from '../../support/host-box.ts';
import { qwenBox, qwenFields, type TestedEvent } from '../../support/qwen-code.ts';

/** Returns the outcome of an event's hook that runs this command. */
async function ran(
  command: string,
  event: TestedEvent = 'PreToolUse',
  hook: Readonly<Record<string, unknown>> = {},
) {
  const { local, start } = qwenBox();
  local({ hooks: { [event]: [groupOf([{ type: 'command', command, ...hook }])] } });
  const { fire } = await start();
  const result = await fire(qwenEvents.ours[event], qwenFields[event] as never, { canAsk: true });
  const { decision, reason, stop, notice, context, changes } = result.verdict;
  const [first] = result.results;
  return {
    decision,
    reason,
    stop,
    notice,
    context,
    changes,
    notes: first?.notes.join('\n') ?? '',
    error: first?.error?.message,
  };
}

const specific = (fields: object) => ({ hookSpecificOutput: fields });
const deny = { decision: 'deny', reason: 'not here' };
const no = printing(deny);
const denied = { decision: 'deny', reason: 'not here', stop: false };
const why = { decision: 'deny', reason: 'why' };
const nothing = { decision: undefined, stop: false, notice: undefined, changes: {} };
const warning = { ...nothing, notice: 'Warning: oops' };
const lost = expect.stringContaining('Qwen Code would ignore this denial: ') as string;

describe('the outcome of a PreToolUse hook', () => {
  test.each<[string, string, object]>([
    ['a denial on stdout', no, denied],
    ['a denial on stdout with exit 1', `${no}; exit 1`, denied],
    ['a denial on stdout with exit 7', `${no}; exit 7`, denied],
    ['a denial on stderr alone', `${no} >&2`, denied],
    ['a denial on stderr with exit 2', `${no} >&2; exit 2`, denied],
    ['a denial that was encoded twice', printing(JSON.stringify(JSON.stringify(deny))), denied],
    ['a denial before a signal', `${no}; kill -KILL $$`, denied],
    ['a background child that holds stdout', `${no}; sleep 60 &`, denied],
    ['an array', `echo '[1]'`, { ...nothing, notice: '[1]' }],
    ['a number', 'echo 42', { ...nothing, notice: '42' }],
    ['a number on stderr with exit 2', 'echo 42 >&2; exit 2', { decision: 'deny', reason: '42' }],
    ['null', 'echo null', { ...nothing, notice: 'null' }],
    ['broken JSON', `echo '{"a'`, nothing],
    ['broken JSON with exit 1', `echo '{"a'; exit 1`, nothing],
    ['broken JSON with exit 2', `echo '{"a' >&2; exit 2`, { decision: 'deny', reason: '{"a' }],
    ['plain text, exit 0', 'echo fine', { ...nothing, notice: 'fine', context: undefined }],
    ['plain text on stderr, exit 0', 'echo fine >&2', { ...nothing, notice: 'fine' }],
    ['plain text, exit 1', 'echo oops >&2; exit 1', warning],
    ['plain text, exit 3', 'echo oops; exit 3', warning],
    ['plain text, exit 255', 'echo oops >&2; exit 255', warning],
    ['plain text, exit 2', 'echo other; echo why >&2; exit 2', why],
    ['an object on stdout with exit 2', `echo '{}'; echo why >&2; exit 2`, why],
    [
      'an approval on stdout with exit 2',
      `${printing({ decision: 'allow' })}; echo why >&2; exit 2`,
      why,
    ],
    [
      'a missing script',
      './missing.sh',
      { decision: undefined, notice: expect.stringContaining('Warning: ') },
    ],
    ['a syntax error', 'if then', { decision: 'deny' }],
    ['nothing, exit 0', ':', nothing],
    ['nothing, exit 1', 'exit 1', nothing],
    ['nothing, exit 3', 'exit 3', nothing],
    ['text before a signal', 'echo oops; kill -KILL $$', warning],
    [
      'an object of more than 1 MiB',
      `printf '{"decision":"deny","reason":"not here","x":"'; head -c 1200000 /dev/zero | tr '\\0' x; printf '"}'`,
      denied,
    ],
    ['{}', `echo '{}'`, nothing],
    ['allow', printing({ decision: 'allow' }), { decision: 'allow' }],
    ['block', printing({ decision: 'block', reason: 'not here' }), denied],
    ['ask', printing({ decision: 'ask', reason: 'sure?' }), { decision: 'ask', reason: 'sure?' }],
    ['an unknown word', printing({ decision: 'maybe' }), nothing],
    [
      'permissionDecision deny',
      printing(specific({ permissionDecision: 'deny', permissionDecisionReason: 'not here' })),
      denied,
    ],
    [
      'permissionDecision with a common reason',
      printing({ reason: 'not here', ...specific({ permissionDecision: 'deny' }) }),
      denied,
    ],
    [
      'permissionDecision ask',
      printing(specific({ permissionDecision: 'ask' })),
      { decision: 'ask' },
    ],
    [
      'permissionDecision allow',
      printing(specific({ permissionDecision: 'allow' })),
      { decision: 'allow' },
    ],
    [
      'a denial without a reason',
      printing({ decision: 'deny' }),
      { decision: 'deny', reason: 'Blocked by hook' },
    ],
    ['hookSpecificOutput that is text', printing({ ...deny, hookSpecificOutput: 'x' }), denied],
    [
      'continue: false, which denies this call',
      printing({ continue: false, stopReason: 'not here' }),
      denied,
    ],
    ['tool_input', printing(specific({ tool_input: { command: 'pwd' } })), nothing],
    ['updatedInput', printing(specific({ updatedInput: { command: 'pwd' } })), nothing],
    ['context', printing(specific({ additionalContext: 'x' })), { ...nothing, context: undefined }],
    ["Cursor's words", printing({ permission: 'deny' }), nothing],
  ])(
    "a PreToolUse hook's outcome means what it means to Qwen Code: %s",
    async (_, command, expected) => {
      expect(await ran(command)).toMatchObject(expected);
    },
  );

  test('a hook with "async": true is not waited for, and its answer does not count', async () => {
    expect(await ran(no, 'PreToolUse', { async: true })).toMatchObject({ decision: undefined });
  });
});

describe('denials that Qwen Code would lose', () => {
  test.each<[string, string, string]>([
    ['a silent exit 2', 'exit 2', 'Blocked by hook'],
    ['exit 2 with text only on stdout', 'echo why; exit 2', 'why'],
    ['exit 2 with a denial only on stdout', `${no}; exit 2`, 'not here'],
    [
      'exit 2 with an object on stderr that does not deny',
      `echo '{}' >&2; exit 2`,
      'Blocked by hook',
    ],
    [
      'an inner approval next to it',
      printing({ ...deny, ...specific({ permissionDecision: 'allow' }) }),
      'not here',
    ],
    ['another case', printing({ decision: 'DENY', reason: 'not here' }), 'not here'],
    [
      'another word inside',
      printing({
        ...specific({ permissionDecision: 'block', permissionDecisionReason: 'not here' }),
      }),
      'not here',
    ],
    ['text before it', `echo checking; ${no}`, 'not here'],
    ['text after it', `${no}; echo; echo done`, 'not here'],
  ])('a denial that Qwen Code would lose counts, with a note: %s', async (_, command, reason) => {
    expect(await ran(command)).toMatchObject({ decision: 'deny', reason, notes: lost });
  });

  test('a denial of a prompt that Qwen Code would lose counts, with a note', async () => {
    expect(await ran('exit 2', 'UserPromptSubmit')).toMatchObject({
      decision: 'deny',
      notes: lost,
    });
  });
});

const more = specific({ additionalContext: 'a <b>' });
const escaped = 'a &lt;b&gt;';
const stopping = printing({ continue: false, stopReason: 'end' });
const behavior = (fields: object) => printing(specific({ decision: fields }));

describe('the effects of answers, by event', () => {
  test.each<[string, TestedEvent, string, object]>([
    ['a denial after a tool is reported', 'PostToolUse', no, { ...denied, changes: {} }],
    ['exit 2 after a tool is reported', 'PostToolUse', 'echo why >&2; exit 2', why],
    ['a silent exit 2 after a tool', 'PostToolUse', 'exit 2', nothing],
    ['context after a tool is escaped', 'PostToolUse', printing(more), { context: escaped }],
    [
      'a stop after a tool replaces the result with its reason',
      'PostToolUse',
      stopping,
      {
        decision: undefined,
        stop: false,
        changes: { tool_response: { whole: { llmContent: 'end', returnDisplay: 'end' } } },
      },
    ],
    ['context after a failed tool', 'PostToolUseFailure', printing(more), { context: escaped }],
    ['a denied prompt', 'UserPromptSubmit', no, denied],
    ['exit 2 at a prompt', 'UserPromptSubmit', 'echo why >&2; exit 2', why],
    [
      'a stop at a prompt blocks it',
      'UserPromptSubmit',
      stopping,
      { decision: 'deny', reason: 'end', stop: false },
    ],
    ['context of a prompt', 'UserPromptSubmit', printing(more), { context: escaped }],
    ['text at a prompt is context', 'UserPromptSubmit', 'echo hi', { context: 'hi', notice: 'hi' }],
    [
      'text on stderr at a prompt is not context',
      'UserPromptSubmit',
      'echo hi >&2',
      { context: undefined },
    ],
    ['ask at a prompt', 'UserPromptSubmit', printing({ decision: 'ask' }), nothing],
    ['a denial at the end', 'Stop', no, denied],
    [
      'a stop at the end makes the agent go on',
      'Stop',
      stopping,
      { decision: 'deny', reason: 'end', stop: false },
    ],
    ['a silent exit 2 at the end', 'Stop', 'exit 2', nothing],
    ['plain text at the end', 'Stop', 'echo x', { decision: undefined }],
    ['context at the end', 'Stop', printing(more), { ...nothing, context: undefined }],
    ['context of a session', 'SessionStart', printing(more), { context: escaped }],
    ['text at a session’s start is context', 'SessionStart', 'echo hi', { context: 'hi' }],
    ['a denial at a session’s start', 'SessionStart', no, nothing],
    ['a stop at a session’s start', 'SessionStart', stopping, nothing],
    ['exit 2 at a session’s start', 'SessionStart', 'echo why >&2; exit 2', nothing],
    [
      'a permission',
      'PermissionRequest',
      behavior({ behavior: 'allow', updatedInput: { command: 'pwd' } }),
      { decision: 'allow', changes: { tool_input: { whole: { command: 'pwd' } } } },
    ],
    [
      'a refused permission',
      'PermissionRequest',
      behavior({ behavior: 'deny', message: 'not here' }),
      denied,
    ],
    ['exit 2 at a permission', 'PermissionRequest', 'echo why >&2; exit 2', nothing],
    ['context of a batch', 'PostToolBatch', printing(more), { context: escaped }],
    ['a blocked batch', 'PostToolBatch', no, denied],
    ['a denial of a displayed message', 'MessageDisplay', no, nothing],
    ['a denial of a notification', 'Notification', no, nothing],
  ])(
    'an answer has the effect that it has in Qwen Code: %s',
    async (_, event, command, expected) => {
      expect(await ran(command, event)).toMatchObject(expected);
    },
  );
});
