import { describe, expect, test } from 'vitest';
import type { LifecycleEvent } from '../../../src/core/protocol/events.ts';
import { geminiBox, geminiFields } from '../../support/gemini-cli.ts';
import { groupOf, printing } from '../../support/host-box.ts';

/** Returns the outcome of an event's hook that runs this command. */
async function ran(
  command: string,
  event: LifecycleEvent = 'BeforeTool',
  hook: Readonly<Record<string, unknown>> = {},
) {
  const { local, start } = geminiBox();
  local({ hooks: { [event]: [groupOf([{ type: 'command', command, ...hook }])] } });
  const { fire } = await start();
  const result = await fire(event, geminiFields[event], { canAsk: true });
  const { decision, reason, stop, stopReason, message, notice, context, changes, own } =
    result.verdict;
  const [first] = result.results;
  return {
    decision,
    reason,
    stop,
    stopReason,
    message,
    notice,
    context,
    changes,
    own,
    notes: first?.notes.join('\n') ?? '',
    error: first?.error?.message,
  };
}

const deny = { decision: 'deny', reason: 'not here' };
const no = printing(deny);
const denied = { decision: 'deny', reason: 'not here' };
const nothing = {
  decision: undefined,
  stop: false,
  message: undefined,
  notice: undefined,
  changes: {},
};
const lost = expect.stringContaining('Gemini CLI would ignore this denial: ') as string;

describe('the outcome of a BeforeTool hook', () => {
  test.each<[string, string, object]>([
    ['a denial on stdout', no, denied],
    ['a denial on stdout with exit 1', `${no}; exit 1`, denied],
    ['a denial on stdout with exit 2', `${no}; echo other >&2; exit 2`, denied],
    ['a denial on stdout with exit 77', `${no}; exit 77`, denied],
    ['a denial on stderr alone', `${no} >&2`, denied],
    ['a denial on stderr with exit 3', `${no} >&2; exit 3`, denied],
    ['a denial behind blanks on stdout', `echo; ${no} >&2`, denied],
    ['a denial that was encoded twice', printing(JSON.stringify(JSON.stringify(deny))), denied],
    ['a byte order mark before it', `printf '\\357\\273\\277'; ${no}`, denied],
    ['a denial before a signal', `${no}; kill -KILL $$`, denied],
    ['a background child that holds stdout', `${no}; sleep 60 &`, denied],
    ['an array', `echo '[1]'`, nothing],
    ['an array with exit 1', `echo '[1]'; exit 1`, nothing],
    ['a number', 'echo 42', nothing],
    ['true with exit 3', 'echo true; exit 3', nothing],
    ['null', 'echo null', nothing],
    ['plain text, exit 0', 'echo fine', { ...nothing, notice: 'fine' }],
    ['plain text on stderr, exit 0', 'echo fine >&2', { ...nothing, notice: 'fine' }],
    ['plain text, exit 1', 'echo oops >&2; exit 1', { ...nothing, notice: 'Warning: oops' }],
    ['plain text, exit 2', 'echo why; echo other >&2; exit 2', { decision: 'deny', reason: 'why' }],
    ['stderr, exit 2', 'echo why >&2; exit 2', { decision: 'deny', reason: 'why' }],
    ['plain text, exit 3', 'echo why; exit 3', { decision: 'deny', reason: 'why' }],
    ['plain text, exit 255', 'echo why >&2; exit 255', { decision: 'deny', reason: 'why' }],
    ['a missing script', './missing.sh', { decision: 'deny' }],
    ['a syntax error', 'if then', { decision: 'deny' }],
    ['nothing, exit 0', ':', nothing],
    ['nothing, exit 1', 'exit 1', nothing],
    ['nothing, exit 3', 'exit 3', nothing],
    ['text before a signal', 'echo bye; kill -KILL $$', { ...nothing, notice: 'bye' }],
    ['200 kB of text', `head -c 200000 /dev/zero | tr '\\0' x`, { decision: undefined }],
    ['{}', `echo '{}'`, nothing],
    ['a lone reason', printing({ reason: 'because' }), { decision: undefined, reason: 'because' }],
    ['allow', printing({ decision: 'allow' }), { decision: 'allow' }],
    ['approve', printing({ decision: 'approve' }), { decision: 'allow' }],
    ['block', printing({ decision: 'block', reason: 'not here' }), denied],
    ['ask', printing({ decision: 'ask', reason: 'sure?' }), { decision: 'ask', reason: 'sure?' }],
    ['no reason', printing({ decision: 'deny' }), { decision: 'deny', reason: 'Blocked by hook' }],
    ['an unknown word', printing({ decision: 'maybe' }), nothing],
    ['a word of a wrong type', printing({ decision: 7 }), nothing],
    [
      'hookSpecificOutput that is text beside a denial',
      printing({ ...deny, hookSpecificOutput: 'x' }),
      denied,
    ],
    [
      'another event inside',
      printing({ ...deny, hookSpecificOutput: { hookEventName: 'Other' } }),
      denied,
    ],
    [
      'continue: false',
      printing({ continue: false, stopReason: 'enough', reason: 'because' }),
      { decision: undefined, stop: true, stopReason: 'enough' },
    ],
    [
      'continue: false with a reason alone, exit 1',
      `${printing({ continue: false, reason: 'because' })}; exit 1`,
      { stop: true, stopReason: 'because' },
    ],
    [
      'new arguments',
      printing({ hookSpecificOutput: { tool_input: { command: 'pwd' } } }),
      { decision: undefined, changes: { tool_input: { whole: { command: 'pwd' } } } },
    ],
    [
      'new arguments without those that are needed',
      printing({ hookSpecificOutput: { tool_input: { description: 'x' } } }),
      { changes: { tool_input: { whole: { description: 'x' } } } },
    ],
    ['updatedInput', printing({ hookSpecificOutput: { updatedInput: { command: 'x' } } }), nothing],
    [
      'new arguments beside a denial',
      printing({ ...deny, hookSpecificOutput: { tool_input: { command: 'pwd' } } }),
      { ...denied, changes: {} },
    ],
    [
      'context',
      printing({ hookSpecificOutput: { additionalContext: 'x' } }),
      {
        ...nothing,
        context: undefined,
        notes: expect.stringContaining('"additionalContext" has no effect'),
      },
    ],
    ['systemMessage', printing({ systemMessage: 'look' }), { notice: 'look' }],
    ["Cursor's words", printing({ permission: 'deny' }), nothing],
    ["Kodelet's words", printing({ blocked: true, reason: 'x' }), { decision: undefined }],
  ])(
    "a BeforeTool hook's outcome means what it means to Gemini CLI: %s",
    async (_, command, expected) => {
      expect(await ran(command)).toMatchObject(expected);
    },
  );

  test('a hook with a timeout of 0 is ended at once', async () => {
    const { decision, error } = await ran(`sleep 1; ${no}`, 'BeforeTool', { timeout: 0 });
    expect([decision, error]).toEqual([undefined, 'Hook timed out after 0ms']);
  });
});

describe('denials that Gemini CLI would lose', () => {
  test.each<[string, string, string]>([
    ['a silent exit 2', 'exit 2', 'Blocked by hook'],
    ['exit 2 with {}', `echo '{}'; echo why >&2; exit 2`, 'why'],
    ['exit 2 with an approval', `${printing({ decision: 'allow' })}; exit 2`, 'Blocked by hook'],
    ['exit 2 with a number', 'echo 42; exit 2', 'Blocked by hook'],
    ['exit 2 with an array', 'echo "[1]"; exit 2', 'Blocked by hook'],
    ['another case', printing({ decision: 'DENY', reason: 'not here' }), 'not here'],
    ['text before it', `echo checking; ${no}`, 'not here'],
    ['text after it', `${no}; echo; echo done`, 'not here'],
    ['text around it with exit 1', `echo checking; ${no}; exit 1`, 'not here'],
    [
      "Claude Code's words",
      printing({
        hookSpecificOutput: { permissionDecision: 'deny', permissionDecisionReason: 'not here' },
      }),
      'not here',
    ],
  ])('a denial that Gemini CLI would lose counts, with a note: %s', async (_, command, reason) => {
    expect(await ran(command)).toMatchObject({ decision: 'deny', reason, notes: lost });
  });

  test('a denial of a prompt that Gemini CLI would lose counts, with a note', async () => {
    expect(await ran('exit 2', 'BeforeAgent')).toMatchObject({ decision: 'deny', notes: lost });
  });
});

const response = { candidates: [{ content: { role: 'model', parts: ['Other'] } }] };
const more = { hookSpecificOutput: { additionalContext: 'a <b>' } };
const refusing = printing({ decision: 'deny', reason: 'no', continue: false, stopReason: 'end' });

describe('the effects of answers, by event', () => {
  test.each<[string, LifecycleEvent, string, object]>([
    [
      'a denial after a tool replaces the result with the reason, and drops the context',
      'AfterTool',
      printing({ ...deny, ...more }),
      {
        ...denied,
        context: undefined,
        changes: { tool_response: { whole: { llmContent: 'not here' } } },
      },
    ],
    ['exit 2 after a tool', 'AfterTool', 'echo why >&2; exit 2', { decision: 'deny' }],
    ['a silent exit 2 after a tool', 'AfterTool', 'exit 2', nothing],
    ['context after a tool is escaped', 'AfterTool', printing(more), { context: 'a &lt;b&gt;' }],
    ['a stop after a tool', 'AfterTool', printing({ continue: false }), { stop: true }],
    ['plain text after a tool', 'AfterTool', 'echo x', { ...nothing, notice: 'x' }],
    [
      'a tail call is reported',
      'AfterTool',
      printing({ hookSpecificOutput: { tailToolCallRequest: { name: 'glob', args: {} } } }),
      { own: { tailToolCallRequest: { name: 'glob', args: {} } } },
    ],
    ['a denied prompt', 'BeforeAgent', no, denied],
    ['a prompt that ends the agent', 'BeforeAgent', printing({ continue: false }), { stop: true }],
    ['context of a prompt', 'BeforeAgent', printing(more), { context: 'a &lt;b&gt;' }],
    ['ask at a prompt', 'BeforeAgent', printing({ decision: 'ask' }), { decision: undefined }],
    ['a denial at the end', 'AfterAgent', no, denied],
    [
      'a stop that takes precedence over a denial at the end',
      'AfterAgent',
      refusing,
      { decision: undefined, stop: true },
    ],
    ['a silent exit 2 at the end', 'AfterAgent', 'exit 2', nothing],
    ['context at the end', 'AfterAgent', printing(more), { ...nothing, context: undefined }],
    [
      'a wish to clear the context',
      'AfterAgent',
      printing({ ...deny, hookSpecificOutput: { clearContext: true } }),
      { ...denied, own: { clearContext: true } },
    ],
    ['context of a session', 'SessionStart', printing(more), { context: 'a &lt;b&gt;' }],
    ['text at a session’s start', 'SessionStart', 'echo hi', { ...nothing, notice: 'hi' }],
    ['denial and stop at a session’s start', 'SessionStart', refusing, nothing],
    ['exit 2 at a session’s start', 'SessionStart', 'echo x >&2; exit 2', { decision: undefined }],
    ['a denial of a notification', 'Notification', no, nothing],
    ['a denial of compression', 'PreCompress', refusing, nothing],
    ['a denial of the choice of tools', 'BeforeToolSelection', refusing, { ...nothing }],
    [
      'a denied model call with an answer of its own',
      'BeforeModel',
      printing({ ...deny, hookSpecificOutput: { llm_response: response } }),
      { ...denied, changes: { llm_response: { patch: response } } },
    ],
    [
      'an answer without a denial before the model',
      'BeforeModel',
      printing({ hookSpecificOutput: { llm_response: response } }),
      nothing,
    ],
    [
      'a changed request',
      'BeforeModel',
      printing({ hookSpecificOutput: { llm_request: { model: 'other' } } }),
      { changes: { llm_request: { patch: { model: 'other' } } } },
    ],
    ['a denial of the response, which ends the agent', 'AfterModel', no, { ...denied, stop: true }],
    [
      'another answer',
      'AfterModel',
      printing({ hookSpecificOutput: { llm_response: response } }),
      { changes: { llm_response: { patch: response } } },
    ],
    [
      'a choice of tools',
      'BeforeToolSelection',
      printing({
        hookSpecificOutput: { toolConfig: { mode: 'ANY', allowedFunctionNames: ['b', 'a'] } },
      }),
      { changes: { toolConfig: { patch: { mode: 'ANY', allowedFunctionNames: ['a', 'b'] } } } },
    ],
  ])(
    'an answer has the effect that it has in Gemini CLI: %s',
    async (_, event, command, expected) => {
      expect(await ran(command, event)).toMatchObject(expected);
    },
  );
});
