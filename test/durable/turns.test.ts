import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { waitUntil } from '../support/until.ts';
import { isInstalled, isWhole } from './installed.ts';
import { ownServer } from './own-server.ts';
import { noServer } from './postgres.ts';
import { type Scene, toolCommand } from './scene.ts';

type Fields = Readonly<Record<string, unknown>>;

/** A conversation as the host keeps it. */
type History = readonly { readonly role: string; readonly parts: readonly Fields[] }[];

const shell = { name: 'run_shell_command', args: { command: toolCommand } };
const list = { name: 'list_directory', args: { path: '.' } };
const done = { text: 'All done.' };

/** What an agent's host printed. */
function told(stdout: string) {
  const lines = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Fields);
  const all = <Of>(name: string): Of[] =>
    lines.flatMap((line) => (name in line ? [line[name] as Of] : []));
  const events = all<Fields & { readonly type: string }>('event');
  const [history = []] = all<History>('history');
  return {
    events,
    last: events.at(-1),
    results: events.filter(({ type }) => type === 'toolResult'),
    refused: all<string>('refused'),
    /** The conversation at each call of the model. */
    asked: all<History>('asked'),
    history,
  };
}

const chat = async (scene: Scene, order: object) => {
  const { stdout, stderr, exitCode } = await scene.chat(order);
  expect([exitCode, stderr]).toEqual([0, '']);
  return told(stdout);
};

/** The names and texts of the results in a message. */
const resultsIn = (message: History[number] | undefined) =>
  (message?.parts ?? []).map(({ functionResponse }) => {
    const { name, response } = functionResponse as { name: string; response: Fields };
    return [name, response['output'] ?? response['error']];
  });

/** Whether every call in the database has ended. */
const isAtRest = async (scene: Scene): Promise<boolean> =>
  (await scene.query(`select from hookmachine.calls where status <> 'ended'`)).length === 0;

const missing =
  noServer ?? (isInstalled ? undefined : 'pg is not installed: npm ci --prefix test/durable');

describe.skipIf(missing !== undefined)('a turn with durable calls', () => {
  const own = ownServer();

  /** A project whose guard asks about shell commands. */
  async function make(): Promise<Scene> {
    const scene = await own.make();
    const guard = { type: 'command', name: 'guard', command: './guard.sh' };
    const before = [{ matcher: 'run_shell_command', hooks: [guard] }];
    const settings = { hooks: { 'tool.before': before } };
    writeFileSync(join(scene.project, '.hookmachine/settings.json'), JSON.stringify(settings));
    return scene;
  }

  test('a turn ends when a hook asks, and continues in another process once someone has answered', async () => {
    const scene = await make();
    const first = await chat(scene, {
      prompt: 'Tidy up.',
      turns: [{ text: 'I will.', calls: [shell, list] }],
    });
    expect(first.last).toMatchObject({
      type: 'suspended',
      approvals: [{ approval: 'ap-1', name: 'run_shell_command', reason: 'May it?' }],
    });
    expect(first.results).toMatchObject([{ name: 'list_directory', status: 'done' }]);
    expect(first.refused).toEqual(['TURN_SUSPENDED']);
    expect([first.asked.length, scene.starts('tool')]).toEqual([1, 0]);

    const early = await chat(scene, { history: first.history, turns: [done] });
    expect(early.events).toEqual([first.last]);
    expect(early.history).toEqual(first.history);

    const { approvals } = await scene.records();
    await approvals.answer('ap-1', { decision: 'approve', by: 'ann' });
    const later = await chat(scene, { history: early.history, turns: [done] });
    expect(later.results).toMatchObject([{ name: 'run_shell_command', status: 'done' }]);
    expect(later.last).toEqual({ type: 'finalAnswer', text: 'All done.', steps: 1 });
    // In the order in which they were asked, and each of them once.
    expect(resultsIn(later.asked[0]?.at(-1))).toEqual([
      ['run_shell_command', expect.stringContaining('Stdout: ran')],
      ['list_directory', expect.stringContaining('guard.sh')],
    ]);
    expect([scene.starts('guard'), scene.starts('tool'), await isAtRest(scene)]).toEqual([1, 1, true]); // prettier-ignore
  });

  describe.skipIf(!isWhole)('while it waits', () => {
    test('a turn that waits for two answers continues with the second, and tells the model who denied what', async () => {
      const scene = await make();
      const two = [shell, { ...shell, args: { command: 'echo two' } }];
      const first = await chat(scene, { prompt: 'Go.', turns: [{ calls: two }] });
      const { approvals } = await scene.records();
      // They run side by side, so either may have been asked first.
      const asked = await approvals.list();
      const second = asked.find(({ shown }) => shown.includes('two'))!;
      const other = asked.find(({ shown }) => !shown.includes('two'))!;
      await approvals.answer(second.id, { decision: 'approve', by: 'ann' });
      const half = await chat(scene, { history: first.history, turns: [done] });
      expect(half.results).toMatchObject([{ status: 'done' }]);
      expect(half.last).toMatchObject({ type: 'suspended', approvals: [{ approval: other.id }] });
      await approvals.answer(other.id, { decision: 'deny', by: 'bob', note: 'not today' });
      const later = await chat(scene, { history: half.history, turns: [done] });
      expect(later.last).toMatchObject({ type: 'finalAnswer' });
      expect(resultsIn(later.asked[0]?.at(-1))).toEqual([
        ['run_shell_command', expect.stringMatching(/^Denied by bob at \S+: not today$/)],
        ['run_shell_command', expect.stringContaining('Stdout: two')],
      ]);
      expect(scene.starts('tool')).toBe(0);
    });

    test('a turn continues with a call that a worker has meanwhile finished', async () => {
      const scene = await make();
      const first = await chat(scene, { prompt: 'Go.', turns: [{ calls: [shell] }] });
      await scene.work();
      const { approvals } = await scene.records();
      await approvals.answer('ap-1', { decision: 'approve', by: 'ann' });
      await waitUntil(() => isAtRest(scene));
      const later = await chat(scene, { history: first.history, turns: [done] });
      expect(resultsIn(later.asked[0]?.at(-1))).toEqual([
        ['run_shell_command', expect.stringContaining('Stdout: ran')],
      ]);
      expect(scene.starts('tool')).toBe(1);
    });

    test('a turn whose host is killed while its tool runs does not run the tool again', async () => {
      const scene = await make();
      const first = await chat(scene, { prompt: 'Go.', turns: [{ calls: [shell] }] });
      const { approvals } = await scene.records();
      await approvals.answer('ap-1', { decision: 'approve', by: 'ann' });
      scene.hold('tool');
      const host = scene.chat({ history: first.history, turns: [done] });
      await waitUntil(() => scene.starts('tool') === 1);
      host.kill('SIGKILL');
      await host;
      scene.release('tool');
      const later = await chat(scene, { history: first.history, turns: [done] });
      expect(later.last).toMatchObject({ type: 'finalAnswer' });
      expect(resultsIn(later.asked[0]?.at(-1))).toEqual([
        ['run_shell_command', expect.stringContaining('It may have run')],
      ]);
      expect(scene.starts('tool')).toBe(1);
    });

    test.each([
      ['is cancelled', 'cancel', { type: 'cancelled', reason: 'enough' }],
      ['is cleared', 'clear', { type: 'suspended' }],
    ])('a waiting turn that %s never runs the tool it asked about', async (_, meanwhile, last) => {
      const scene = await make();
      scene.hold('tool');
      const slow = { name: 'run_shell_command', args: { command: 'sleep 100' } };
      // Something that is denied at once ends first; the other is about to wait.
      const calls = meanwhile === 'cancel' ? [list, shell, slow] : [shell];
      const ended = await chat(scene, { prompt: 'Go.', turns: [{ calls }], meanwhile });
      expect(ended.last).toMatchObject(last);
      await scene.work();
      await waitUntil(() => isAtRest(scene));
      const { approvals } = await scene.records();
      expect(await approvals.list()).toEqual([]);
      expect(scene.starts('tool')).toBe(0);
    });
  });
});
