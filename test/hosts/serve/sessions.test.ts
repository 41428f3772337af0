import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { WarmHooks, type SessionEvent } from '../../../src/hosts/serve/warm-hooks.ts';
import { createConfig } from '../../../src/hosts/system/create-config.ts';
import type { HookSystem } from '../../../src/hosts/system/hook-system.ts';
import { hookmachine as ours } from '../../../src/hosts/hookmachine/index.ts';
import { guards, relayBox } from '../../support/relay.ts';
import { callIn, startServe } from '../../support/serve.ts';
import { isAlive, untilWritten, waitUntil } from '../../support/until.ts';

/** A denial that says whose it is and where it runs. */
const says = (name: string): string => `echo "${name} $LLXPRT_PROJECT_DIR $PWD" >&2; exit 2`;

/** Sessions in this process, of which two are kept. */
function warmHooks() {
  const warnings: string[] = [];
  const warm = new WarmHooks({
    hooks: true,
    trust: true,
    observe: () => undefined,
    warn: (line) => void warnings.push(line),
    mostSessions: 2,
  });
  onTestFinished(() => warm.close());
  const verdictIn = async (folder: string, sessionId: string) => {
    const event: SessionEvent = {
      fired: {
        event: 'BeforeTool',
        fields: { tool_name: 'write_file', tool_input: {} },
        context: {},
        folder,
        canAsk: false,
      },
      host: 'claude-code',
      sessionId,
      dialects: [ours],
      signal: new AbortController().signal,
    };
    return (await warm.through(event)).result.verdict;
  };
  return { warnings, verdictIn };
}

test('serve ends the session that was idle for longest when there are more than it keeps, and reports that', async () => {
  const box = relayBox();
  box.guard({ 'tool.before': guards.deny });
  const { warnings, verdictIn } = warmHooks();
  const through = async (id: string) => (await verdictIn(box.project, id)).decision;
  for (const id of ['one', 'two', 'one']) expect(await through(id)).toBe('deny');
  expect(warnings).toEqual([]);
  expect(await through('three')).toBe('deny');
  expect(warnings).toEqual([expect.stringContaining('hooks of 2 sessions are kept')]);
  expect(await through('one')).toBe('deny');
  expect(warnings).toHaveLength(1);
  expect(await through('two')).toBe('deny');
  expect(warnings).toHaveLength(2);
});

test('each of many sessions at once has the hooks, the folder and the environment of its own project, and only idle ones are ended', async () => {
  const box = relayBox();
  const { warnings, verdictIn } = warmHooks();
  const [came, go] = [join(box.folder, 'came'), join(box.folder, 'go')];
  const project = (name: string, command: string): string => {
    const folder = join(box.folder, name);
    box.write(join(folder, '.hookmachine/settings.json'), {
      hooks: { 'tool.before': [{ hooks: [{ type: 'command', command }] }] },
    });
    return folder;
  };
  const slow = project(
    'slow',
    `echo > '${came}'; until [ -f '${go}' ]; do sleep 0.02; done; ${says('slow')}`,
  );
  const names = Array.from({ length: 20 }, (_, n) => `p${n}`);
  const folders = names.map((name) => project(name, says(name)));
  const first = verdictIn(slow, 's');
  await untilWritten(came);
  for (let round = 0; round < 2; round++) {
    const verdicts = await Promise.all(folders.map((folder) => verdictIn(folder, 's')));
    for (const [n, { reason }] of verdicts.entries())
      expect(reason).toBe(`${names[n]} ${folders[n]} ${folders[n]}`);
  }
  expect(warnings.length).toBeGreaterThan(36);
  expect(warnings.join()).not.toContain(slow);
  box.write(go, '');
  expect(await first).toMatchObject({ decision: 'deny', reason: `slow ${slow} ${slow}` });
});

/** The process of a system's hook, which says so. */
const pidIn = async (of: HookSystem): Promise<number> => {
  await of.initialize();
  const { verdict } = await of.getEventHandler().fireBeforeToolEvent('write_file', {});
  return Number(verdict.reason);
};

test('the live process of two hook systems in one folder ends with the last of them', async () => {
  const box = relayBox();
  const script = box.write(
    'live.mjs',
    `import { createInterface } from 'node:readline';
     for await (const line of createInterface({ input: process.stdin }))
       console.log(JSON.stringify({ id: JSON.parse(line).id, output: { decision: 'deny', reason: String(process.pid) } }));`,
  );
  box.write(box.own.project, {
    hooks: { 'tool.before': [{ hooks: [{ type: 'live', command: 'node', args: [script] }] }] },
  });
  const system = () => createConfig({ cwd: box.project, dialects: [ours] }).getHookSystem()!;
  const [one, other] = [system(), system()];
  const pid = await pidIn(one);
  expect(pid).toBeGreaterThan(0);
  expect(await pidIn(other)).toBe(pid);
  one.dispose();
  expect(await pidIn(other)).toBe(pid);
  other.dispose();
  await waitUntil(() => !isAlive(pid));
});

test('serve --record records what serve does', async () => {
  const box = relayBox();
  box.guard({ 'tool.before': guards.deny });
  const { post } = await startServe(box, ['--record', 'served.jsonl']);
  expect((await post(callIn(box.project))).status).toBe(200);
  expect(readFileSync(join(box.project, 'served.jsonl'), 'utf8')).toContain('not here');
});
