import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { endLive } from '../../src/handlers/live.ts';
import { isAlive } from '../support/until.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { answerOf, type Options, runHandler } from './run-handler.ts';

// The program of this name may be a script that looks up the real one each time.
const python = execFileSync('python3', ['-c', 'import sys; print(sys.executable)'], {
  encoding: 'utf8',
}).trim();

/** Reads events line by line in Python; `answer(id, output)` answers one. */
const reading = `
import json, os, sys, time
def answer(id, output):
    print(json.dumps({"id": id, "output": output}), flush=True)
open("starts", "a").write(str(os.getpid()) + "\\n")
count = 0
for line in sys.stdin:
    event = json.loads(line)
    id, input = event["id"], event["input"]
    count += 1
`;

/** A live hook in a folder of its own that runs until the test ends. */
function liveHook(code: string, concurrency?: number) {
  const cwd = tempFolder();
  const write = (text: string): void => writeFileSync(join(cwd, 'hook.py'), text);
  write(reading + code.replaceAll(/^/gm, '    '));
  const command = `exec '${python}' hook.py`;
  onTestFinished(() => endLive({ command, cwd }));
  const handler = { kind: 'live' as const, ...(concurrency !== undefined && { concurrency }) };
  const starts = (): number[] =>
    existsSync(join(cwd, 'starts'))
      ? readFileSync(join(cwd, 'starts'), 'utf8').trim().split('\n').map(Number)
      : [];
  return {
    cwd,
    command,
    write,
    starts,
    ask: (input: object = {}, options?: Options) =>
      answerOf(command, handler, { cwd, input, ...options }),
    run: (input: object = {}, options?: Options) =>
      runHandler(command, handler, { cwd, input, ...options }),
  };
}

const gone = (pid: number) => vi.waitUntil(() => !isAlive(pid), { timeout: 15_000 });

test('one process answers one event after another', async () => {
  const { ask, starts } = liveHook('answer(id, {"count": count, "input": input})');
  expect(await ask({ a: 1 })).toEqual({ count: 1, input: { a: 1 } });
  expect(await ask({ a: 'ö' })).toEqual({ count: 2, input: { a: 'ö' } });
  expect(starts()).toHaveLength(1);
});

test('no process is started before the first event', () => {
  const { starts } = liveHook('answer(id, {})');
  expect(starts()).toEqual([]);
});

test.each(['None', '{}'])('the output %s is no opinion', async (output) => {
  const { run } = liveHook(`answer(id, ${output})`);
  expect(await run()).toMatchObject({ status: 'exited', exit: { exitCode: 0 } });
});

test('events are passed on one after another unless the hook says otherwise', async () => {
  const { ask } = liveHook('answer(id, {"count": count}); time.sleep(0.01)');
  expect(await Promise.all([ask(), ask(), ask()])).toEqual([
    { count: 1 },
    { count: 2 },
    { count: 3 },
  ]);
});

test('several events are in flight if the hook says so, and answers are matched by id', async () => {
  const { ask } = liveHook(
    'if count == 1: first = id\nelse:\n    answer(id, {"is": 2})\n    answer(first, {"is": 1})',
    2,
  );
  expect(await Promise.all([ask(), ask()])).toEqual([{ is: 1 }, { is: 2 }]);
});

test('the deadline of an event that waits for its turn does not run', async () => {
  const { ask, run } = liveHook('time.sleep(input.get("wait", 0)); answer(id, {"count": count})');
  await ask();
  const outcomes = await Promise.all([run({ wait: 3 }), run({}, { timeout: 2_500 })]);
  expect(outcomes.map(({ status }) => status)).toEqual(['exited', 'exited']);
});

test('lines that are not answers become notes, and stderr is kept', async () => {
  const { run } = liveHook(
    'print("hello"); print(json.dumps({"id": 99, "output": {}})); sys.stderr.write("why\\n"); sys.stderr.flush(); time.sleep(0.1); answer(id, {})',
  );
  expect(await run()).toMatchObject({
    exit: {
      stdout: '{}',
      stderr: 'why\n',
      notes: [
        'it printed a line that is not an answer: hello',
        'it printed a line that is not an answer: {"id": 99, "output": {}}',
      ],
    },
  });
});

test('an answer that is written beside the id counts, with a note', async () => {
  const { run } = liveHook('print(json.dumps({"id": id, "decision": "deny"}), flush=True)');
  expect(await run()).toMatchObject({
    status: 'exited',
    exit: {
      stdout: '{"decision":"deny"}',
      notes: [
        'its answer has no "output", so the rest of the line was read; answer with {"id": …, "output": {…}}',
      ],
    },
  });
});

test('an output that is not an object is a failure', async () => {
  const { ask } = liveHook('answer(id, "yes")');
  expect(await ask()).toBe('its "output" is not an object; answer with {"id": …, "output": {…}}');
});

test('a line over 10 MiB is a failure, and the next event gets a new process', async () => {
  const { ask, starts } = liveHook(
    'answer(id, {"text": "x" * (11 << 20 if "long" in input else 1)})',
  );
  expect(await ask({ long: true })).toBe('it printed a line over 10 MiB; answer with less');
  expect(await ask()).toEqual({ text: 'x' });
  const [first] = starts();
  await gone(first!);
});

test('an output over 10 MiB fails only that event', async () => {
  const { ask, starts } = liveHook(
    'answer(id, {"text": "x" * ((10 << 20) if "long" in input else 1)})',
  );
  expect(await ask({ long: true })).toBe('its answer is over 10 MiB; answer with less');
  expect(await ask()).toEqual({ text: 'x' });
  expect(starts()).toHaveLength(1);
});

test('a process that ends fails its event with its exit code and stderr, and is restarted', async () => {
  const { ask, starts } = liveHook(
    'if "crash" in input: sys.exit("no luck")\nanswer(id, {"count": count})',
  );
  expect(await ask()).toEqual({ count: 1 });
  expect(await ask({ crash: true })).toBe('it ended with exit code 1: no luck');
  expect(await ask()).toEqual({ count: 1 });
  expect(starts()).toHaveLength(2);
});

test('a process that keeps ending is restarted with pauses', async () => {
  const now = Math.ceil(performance.now());
  vi.spyOn(performance, 'now').mockImplementation(() => now);
  onTestFinished(() => void vi.restoreAllMocks());
  const { ask, starts } = liveHook('sys.exit(3)');
  expect(await ask()).toBe('it ended with exit code 3');
  expect(await ask()).toBe('it ended with exit code 3');
  expect(await ask()).toBe('it ended with exit code 3 again and again; it is started again in 1 s');
  expect(starts()).toHaveLength(2);
  vi.spyOn(performance, 'now').mockImplementation(() => now + 1_000);
  expect(await ask()).toBe('it ended with exit code 3');
  expect(await ask()).toContain('again and again; it is started again in 2 s');
  expect(starts()).toHaveLength(3);
});

test('a command that cannot be started is a failure', async () => {
  const cwd = tempFolder();
  const handler = { kind: 'live' as const };
  const said = await answerOf('/nowhere/hook', handler, { cwd, args: [] });
  expect(said).toBe('it could not be started: spawn /nowhere/hook ENOENT');
  endLive({ command: '/nowhere/hook', args: [], cwd });
});

test('arguments reach the program without a shell', async () => {
  const cwd = tempFolder();
  const code =
    'import json, sys\nfor line in sys.stdin: print(json.dumps({"id": json.loads(line)["id"], "output": {"args": sys.argv[1:]}}), flush=True)';
  const args = ['-c', code, '$HOME; exit'];
  onTestFinished(() => endLive({ command: 'python3', args, cwd }));
  const said = await answerOf('python3', { kind: 'live' }, { cwd, args });
  expect(said).toEqual({ args: ['$HOME; exit'] });
});

test('a process that does not answer is ended after the deadline of its event, and the next event gets a new process', async () => {
  const { ask, run, starts } = liveHook(
    'time.sleep(1000 if "hang" in input else 0)\nanswer(id, {"count": count})',
  );
  expect(await ask()).toEqual({ count: 1 });
  const [first] = starts();
  expect(await run({ hang: true }, { timeout: 1 })).toMatchObject({ status: 'timedOut' });
  expect(await ask()).toEqual({ count: 1 });
  await gone(first!);
});

test('a process that answers late is kept, and its late answer is ignored', async () => {
  const { ask, cwd, run, starts } = liveHook(
    'while "late" in input and not os.path.exists("now"): time.sleep(0.01)\nanswer(id, {"late": "late" in input})',
  );
  await ask();
  const late = run({ late: true }, { timeout: 1 });
  setTimeout(() => writeFileSync(join(cwd, 'now'), ''), 100);
  expect(await late).toMatchObject({ status: 'timedOut' });
  expect(await ask()).toEqual({ late: false });
  expect(starts()).toHaveLength(1);
});

test('an event that is given up before its turn is never passed on', async () => {
  const { ask, run } = liveHook('time.sleep(0.3)\nanswer(id, {"count": count})');
  const abort = new AbortController();
  const [first, second] = [ask(), run({}, { cancel: abort.signal })];
  abort.abort();
  expect(await second).toMatchObject({ status: 'cancelled' });
  expect(await first).toEqual({ count: 1 });
  expect(await ask()).toEqual({ count: 2 });
});

test('a process whose environment or files have changed is replaced', async () => {
  const { ask, cwd, starts } = liveHook(
    'answer(id, {"count": count, "env": os.environ.get("OWN")})',
  );
  const filesBehind = async () => [join(cwd, 'hook.py')];
  expect(await ask({}, { filesBehind })).toEqual({ count: 1, env: null });
  expect(await ask({}, { filesBehind, env: { OWN: 'x' } })).toEqual({ count: 1, env: 'x' });
  writeFileSync(join(cwd, 'hook.py'), `${readFileSync(join(cwd, 'hook.py'), 'utf8')}\n# more`);
  expect(await ask({}, { filesBehind, env: { OWN: 'x' } })).toEqual({ count: 1, env: 'x' });
  expect(starts()).toHaveLength(3);
});

test('a hook that is dropped ends, together with what it has started', async () => {
  const { ask, command, cwd, starts } = liveHook(
    'import subprocess\nchild = subprocess.Popen(["sleep", "1000"])\nanswer(id, {"child": child.pid})',
  );
  const { child } = (await ask()) as { child: number };
  endLive({ command, cwd });
  await gone(starts()[0]!);
  await gone(child);
});

test('a dropped hook answers the events that it received before', async () => {
  const { ask, command, cwd, starts } = liveHook('answer(id, {"count": count})');
  const answers = [ask(), ask()];
  endLive({ command, cwd });
  expect(await Promise.all(answers)).toEqual([{ count: 1 }, { count: 2 }]);
  await gone(starts()[0]!);
});
