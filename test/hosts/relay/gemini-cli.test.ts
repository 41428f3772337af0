import { describe, expect, test } from 'vitest';
import { guards, relayBox, replacesResult, says } from '../../support/relay.ts';

const base = { session_id: 's1', transcript_path: '/t.json', cwd: '/', timestamp: '2026-11-22T10:00:00.000Z' }; // prettier-ignore
const call = {
  ...base,
  hook_event_name: 'BeforeTool',
  tool_name: 'run_shell_command',
  tool_input: { command: 'ls', description: 'List' },
};
const after = {
  ...call,
  hook_event_name: 'AfterTool',
  tool_response: { llmContent: 'secret', returnDisplay: 'secret' },
};
const request = { model: 'm', messages: [{ role: 'user', content: 'hi' }] };
const response = { candidates: [{ content: { role: 'model', parts: ['yes'] } }] };
const beforeModel = { ...base, hook_event_name: 'BeforeModel', llm_request: request };
const prompt = { ...base, hook_event_name: 'BeforeAgent', prompt: 'hi' };
const end = {
  ...base,
  hook_event_name: 'AfterAgent',
  prompt: 'hi',
  prompt_response: 'ok',
  stop_hook_active: false,
};
const specific = (hookEventName: string, fields: object) => ({
  hookSpecificOutput: { hookEventName, ...fields },
});
const lost = (event: string, what: string) =>
  `hookmachine: Gemini CLI cannot accept this in answer to ${event}: ${what}`;

describe('the relay for Gemini CLI', () => {
  test.each([
    ['nothing if no hook has an opinion', 'tool.before', guards.silence, call, undefined, ''],
    [
      'nothing for an approval, which it ignores',
      'tool.before',
      guards.allow,
      call,
      undefined,
      lost('BeforeTool', 'an approval ("fine")'),
    ],
    ['a denial', 'tool.before', guards.deny, call, { decision: 'deny', reason: 'not here' }, ''],
    [
      'a question for the user',
      'tool.before',
      guards.ask,
      call,
      { decision: 'ask', reason: 'sure?' },
      '',
    ],
    [
      'a stop, and a denial of the tool (S-06)',
      'tool.before',
      guards.stop,
      call,
      { decision: 'deny', reason: 'enough', continue: false, stopReason: 'enough' },
      '',
    ],
    [
      'all arguments if one was changed',
      'tool.before',
      says({ hookSpecificOutput: { tool_input: { command: 'pwd' } } }),
      call,
      specific('BeforeTool', { tool_input: { command: 'pwd', description: 'List' } }),
      '',
    ],
    [
      'nothing for context before a tool, which reaches nobody',
      'tool.before',
      guards.context,
      call,
      undefined,
      lost('BeforeTool', 'context ("by the way")'),
    ],
    [
      'context after a tool',
      'tool.after',
      guards.context,
      after,
      specific('AfterTool', { additionalContext: 'by the way' }),
      '',
    ],
    [
      'another result in place of the reason',
      'tool.after',
      replacesResult,
      after,
      { decision: 'deny', reason: '***' },
      '',
    ],
    [
      'a denial of a prompt',
      'prompt.submit',
      guards.deny,
      prompt,
      { decision: 'deny', reason: 'not here' },
      '',
    ],
    [
      'context for a prompt',
      'prompt.submit',
      guards.context,
      prompt,
      specific('BeforeAgent', { additionalContext: 'by the way' }),
      '',
    ],
    [
      'a reason to continue',
      'agent.stop',
      guards.deny,
      end,
      { decision: 'deny', reason: 'not here' },
      '',
    ],
    [
      'a stop at the end of a turn',
      'agent.stop',
      guards.stop,
      end,
      { continue: false, stopReason: 'enough' },
      '',
    ],
    [
      'a denial of a request',
      'model.before',
      guards.deny,
      beforeModel,
      { decision: 'deny', reason: 'not here' },
      '',
    ],
    [
      'a response in place of the model’s, beside a denial',
      'model.before',
      says({ decision: 'deny', reason: 'here', hookSpecificOutput: { llm_response: response } }),
      beforeModel,
      {
        decision: 'deny',
        reason: 'here',
        ...specific('BeforeModel', { llm_response: expect.objectContaining(response) }),
      },
      '',
    ],
    [
      'an object at model events even if something cannot be given to it',
      'model.before',
      guards.context,
      beforeModel,
      {},
      lost('BeforeModel', 'context ("by the way")'),
    ],
    [
      'an object at model events, where stderr would be read otherwise',
      'model.before',
      guards.failure,
      beforeModel,
      {},
      expect.stringContaining('failed and was ignored'),
    ],
    [
      'the tools that are to be offered',
      'tool.select',
      says({ hookSpecificOutput: { toolConfig: { mode: 'ANY', allowedFunctionNames: ['glob'] } } }),
      { ...beforeModel, hook_event_name: 'BeforeToolSelection' },
      specific('BeforeToolSelection', { toolConfig: expect.objectContaining({ mode: 'ANY' }) }),
      '',
    ],
    [
      'context for a session',
      'session.start',
      guards.context,
      { ...base, hook_event_name: 'SessionStart', source: 'startup' },
      specific('SessionStart', { additionalContext: 'by the way' }),
      '',
    ],
  ])('Gemini CLI is given %s', async (_, point, guard, given, expected, stderr) => {
    const box = relayBox();
    if (guard === replacesResult) replacesResult(box);
    else box.guard({ [point]: guard as string });
    const relayed = await box.relay('gemini-cli', given);
    expect({ ...relayed, stdout: '' }).toEqual({
      answer: expected,
      stdout: '',
      stderr,
      exitCode: 0,
    });
  });
});
