import { join } from 'node:path';
import { expect, test } from 'vitest';
import { group } from '../../support/project.ts';
import { print } from '../../support/session.ts';
import { isAlive, untilWritten, waitUntil } from '../../support/until.ts';
import { done, wantsWrite, type Suite } from './agent.ts';

const note = group(`jq -r '[.hook_event_name, .session_id] | join(" ")' >> events`);

/** Sessions, turns, and what ends them early. */
export function turns({ agent }: Suite): void {
  test('session and turn events come in order, in one session', async () => {
    const events = [
      'SessionStart',
      'BeforeAgent',
      'BeforeModel',
      'AfterModel',
      'BeforeTool',
      'AfterTool',
      'AfterAgent',
      'SessionEnd',
    ];
    const { run, hooks, left } = await agent({
      hooks: Object.fromEntries(events.map((event) => [event, [note]])),
      answers: [wantsWrite, done],
      tools: { write: () => 'written' },
      options: { sessionId: 's-1' },
    });
    await run('Go');
    await hooks.end();
    const lines = left('events').trim().split('\n');
    expect(lines.map((line) => line.split(' ')[0])).toEqual([
      'SessionStart',
      'BeforeAgent',
      'BeforeModel',
      'AfterModel',
      'BeforeTool',
      'AfterTool',
      'BeforeModel',
      'AfterModel',
      'AfterAgent',
      'SessionEnd',
    ]);
    expect(new Set(lines.map((line) => line.split(' ')[1]))).toEqual(new Set(['s-1']));
  });

  test('every request of a turn has the context of BeforeAgent hooks', async () => {
    const context = print({ hookSpecificOutput: { additionalContext: 'It is Monday.' } });
    const { run, asked } = await agent({
      hooks: { BeforeAgent: [group(context)] },
      answers: [wantsWrite, done],
      tools: { write: () => 'written' },
    });
    await run('Go');
    expect(asked()).toHaveLength(2);
    for (const { prompt } of asked()) expect(JSON.stringify(prompt[0])).toContain('It is Monday.');
  });

  test('AfterAgent hooks make the agent continue within the same call', async () => {
    const once = `[ -e sent ] || { touch sent; echo 'Test it too.' >&2; exit 2; }`;
    const { run, asked } = await agent({
      hooks: { AfterAgent: [group(once)] },
      answers: [done, { text: 'Tested.' }],
    });
    const { text } = await run('Go');
    expect(text).toContain('Tested.');
    const said = asked()[1]!.prompt.map(({ role, content }) => [role, JSON.stringify(content)]);
    expect(said.map(([role]) => role)).toEqual(['user', 'assistant', 'user']);
    expect(said[1]![1]).toContain('Done.');
    expect(said[2]![1]).toContain('Test it too.');
  });

  test('a hook that is running ends when its run is aborted', async () => {
    const { run, folder } = await agent({
      hooks: { BeforeModel: [group('echo $$ > pid; sleep 60')] },
      answers: [done],
    });
    const abort = new AbortController();
    const ran = run('Go', { abortSignal: abort.signal }).catch((error: unknown) => error);
    const pid = Number(await untilWritten(join(folder, 'pid')));
    abort.abort();
    await ran;
    await waitUntil(() => !isAlive(pid));
  });
}
