import { describe, expect, test } from 'vitest';
import { guards, relayBox, says } from '../../support/relay.ts';

const base = { conv_id: 'c1', cwd: '', invoked_by: 'main' };
const call = {
  ...base,
  event: 'before_tool_call',
  tool_name: 'file_write',
  tool_input: { file_path: 'a.txt', text: 'x' },
  tool_user_id: 'u1',
};

describe('the relay for Kodelet', () => {
  test.each([
    ['a denial', guards.deny, { blocked: true, reason: 'not here' }],
    [
      'a denial if nobody can be asked',
      guards.ask,
      { blocked: true, reason: expect.stringContaining('sure?') },
    ],
    ['a denial for a stop (S-06)', guards.stop, { blocked: true, reason: 'enough' }],
    [
      'all arguments under its own names',
      says({ hookSpecificOutput: { tool_input: { content: 'y' } } }),
      { input: { file_path: 'a.txt', text: 'y' } },
    ],
  ])('Kodelet is given %s', async (_, guard, expected) => {
    const { guard: set, relay } = relayBox();
    set({ 'tool.before': guard });
    expect(await relay('kodelet', call)).toMatchObject({ answer: expected, exitCode: 0 });
  });

  test('Kodelet is given a block of a prompt', async () => {
    const { guard, relay } = relayBox();
    guard({ 'prompt.submit': guards.deny });
    expect(
      (await relay('kodelet', { ...base, event: 'user_message_send', message: 'hi' })).answer,
    ).toEqual({ blocked: true, reason: 'not here' });
  });

  test('Kodelet is given what the agent must do next', async () => {
    const { guard, relay } = relayBox();
    guard({ 'agent.stop': guards.deny });
    expect((await relay('kodelet', { ...base, event: 'agent_stop', messages: [] })).answer).toEqual(
      { follow_up_messages: ['not here'] },
    );
  });

  test('Kodelet is given nothing for an event that is not known here, and stderr says so', async () => {
    const { relay } = relayBox();
    const answer = await relay('kodelet', { ...call, event: 'newest' });
    expect(answer).toMatchObject({ stdout: '', exitCode: 1 });
    expect(answer.stderr).toContain('Kodelet has an event that is unknown here');
  });

  test('Kodelet is given nothing if there is nothing to say, with a status that does not undo the denials of others', async () => {
    const { guard, relay } = relayBox();
    guard({ 'tool.before': guards.silence });
    expect(await relay('kodelet', call)).toMatchObject({ stdout: '', stderr: '', exitCode: 1 });
  });
});
