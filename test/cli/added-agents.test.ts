import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeEach, describe, expect, test } from 'vitest';
import { hasEtcOfItsOwn } from '../support/hookmachine.ts';
import { type Done, inOwnProcess } from '../support/in-process.ts';
import { sandbox, type Sandbox } from '../support/sandbox.ts';
import { noWarmth, warmth } from '../support/warm.ts';

/** The agent of docs/new-host.md, which is not one of ours. */
const otter = fileURLToPath(new URL('../../examples/new-host', import.meta.url));
const table = `
  names: { event: 'event', session: 'session', folder: 'project', prompt: 'text' },
  tools: [], waits: 60_000, answers: () => ({}),
  installation: { kind: 'files', programs: ['heron'], files: () => [], after: () => [] },`;
const heron = (more = '', name = 'heron'): string =>
  `import { tableHost } from 'hookmachine/dialects';
export const heron = tableHost({ name: '${name}', events: { before: { at: 'BeforeTool' } }, ${more}
  load: async () => ({ table: { title: 'Heron', ${table} } }) });`;

let box: Sandbox;
beforeEach(() => {
  box = sandbox();
  cpSync(otter, join(box.home, '.hookmachine/agents/otter'), { recursive: true });
  box.write(box.own.user, {
    hooks: { 'tool.before': [{ hooks: [{ type: 'command', command: 'echo never >&2; exit 2' }] }] },
  });
});

const run = (args: readonly string[], input: unknown = ''): Promise<Done> =>
  inOwnProcess(box, args, typeof input === 'string' ? input : JSON.stringify(input));
const call = () => ({
  event: 'before_tool',
  session: 's1',
  project: box.project,
  tool_name: 'shell',
  tool_input: { script: 'ls' },
});
const denial = { stdout: '{"verdict":"no","why":"never"}', stderr: '', exitCode: 0 };

describe('an agent whose folder a user has put into ~/.hookmachine/agents', () => {
  test('is installed, judged by every hook, and removed again like those that we know', async () => {
    const file = join(box.home, '.otter/hooks.json');
    expect(await run(['install', 'otter', '--scope', 'user'])).toMatchObject({ exitCode: 0 });
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({
      hooks: { before_tool: [{ timeout: 60 }] },
    });
    expect(await run(['relay', 'otter'], call())).toEqual(denial);
    const { stdout } = await run(['doctor', '--json']);
    expect(JSON.parse(stdout)).toMatchObject({
      agents: [{ agent: 'otter', title: 'Otter', findings: [] }],
    });
    expect((await run(['list', '--all'])).stdout).toContain(file);
    await run(['uninstall', 'otter', '--scope', 'user']);
    expect(existsSync(file)).toBe(false);
  });

  test('has its own hooks run with its semantics, beside those of all other agents', async () => {
    rmSync(box.own.user);
    box.write(join(box.home, '.otter/hooks.json'), {
      hooks: { before_tool: [{ matcher: '^shell$', command: 'echo wet >&2; exit 3' }] },
    });
    const fired = { tool_name: 'run_shell_command', tool_input: { command: 'ls' } };
    expect(await run(['fire', 'tool.before'], fired)).toMatchObject({ exitCode: 2 });
    const { event: _, ...theirs } = call();
    const { stdout } = await run(['fire', 'before_tool', '--dialect', 'otter'], theirs);
    expect(JSON.parse(stdout)).toMatchObject({ decision: 'deny' });
    const { stdout: shown } = await run(['matrix', "sh -c 'exit 3'"]);
    expect(shown).toMatch(/^otter before_tool +denies/m);
    expect(await run(['check'])).toMatchObject({ exitCode: 0 });
  });

  test('has its places guarded from its own tools', async () => {
    box.write(box.own.user, { guards: { shell: 'on' } });
    const write = {
      ...call(),
      tool_name: 'write',
      tool_input: { path: '.otter/hooks.json', content: '{}' },
    };
    const { stdout } = await run(['relay', 'otter'], write);
    expect(JSON.parse(stdout)).toMatchObject({ verdict: 'no' });
  });

  test('may be JavaScript, for an agent whose hooks are functions in a plugin', async () => {
    const at = join(box.home, '.hookmachine/agents/heron/index.js');
    box.write(at, heron('plainDenial: (no) => ({ no }),'));
    // Its table says nothing of a denial, so it is said as plainly as the agent allows.
    const event = { event: 'before', tool_name: 'x', tool_input: {} };
    const { stdout } = await run(['relay', 'heron'], event);
    expect(JSON.parse(stdout)).toEqual({ no: 'never' });
    box.write(at, heron());
    expect(await run(['relay', 'heron'], event)).toMatchObject({ stdout: '', exitCode: 2 });
  });

  test.runIf(noWarmth === undefined)(
    'is answered by a warm process until its files change',
    async () => {
      const { relay, started, coldRuns } = warmth();
      const ask = () => relay(box, ['otter'], JSON.stringify(call()));
      expect(await ask()).toEqual(denial);
      await started();
      expect([await ask(), await ask(), coldRuns()]).toEqual([denial, denial, 1]);
      const answer = join(box.home, '.hookmachine/agents/otter/table.ts');
      box.write(
        answer,
        readFileSync(answer, 'utf8').replace(
          "verdict: 'no', why }",
          "verdict: 'no', because: why }",
        ),
      );
      expect(await ask()).toEqual({ ...denial, stdout: '{"verdict":"no","because":"never"}' });
      expect(coldRuns()).toBe(2);
    },
  );
});

describe('a folder in ~/.hookmachine/agents that holds no usable agent', () => {
  test.each([
    ['no module', 'notes.txt', 'x', 'holds no agent'],
    ['a module with a mistake', 'index.js', 'export const = 1', 'could not be loaded'],
    ['a module that throws', 'index.js', 'throw new Error("wet")', 'could not be loaded: wet'],
    ['a module without an agent', 'index.js', 'export const heron = 1', 'exports no agent'],
    ['a name that is ours', 'index.js', heron('', 'codex'), 'there is an agent "codex" already'],
    [
      'an event that is none',
      'index.js',
      heron().replace('BeforeTool', 'Before'),
      'before is not one of our events',
    ],
    [
      'no installation',
      'index.js',
      'export const heron = { name: "heron", events: {}, readCall() {}, reportCall() {}, speak() {} }',
      'has no "install"',
    ],
  ])('is reported, and the others count: %s', async (_, name, text, message) => {
    const folder = join(box.home, '.hookmachine/agents/heron');
    box.write(join(folder, name), text);
    const answer = await run(['relay', 'otter'], call());
    expect(answer).toMatchObject({ stdout: denial.stdout, exitCode: 0 });
    expect(answer.stderr).toContain(message);
    expect(answer.stderr).toContain(folder);
    const checked = await run(['check', '--json']);
    expect(checked).toMatchObject({ exitCode: 1 });
    expect(JSON.parse(checked.stdout)).toMatchObject([
      { message: expect.stringContaining(message) },
    ]);
  });

  test('is not loaded if others can write it', async () => {
    const file = join(box.home, '.hookmachine/agents/heron/index.js');
    box.write(file, 'throw new Error("wet")');
    chmodSync(file, 0o666);
    const { stderr } = await run(['relay', 'otter'], call());
    expect(stderr).toContain('can be written by others');
    expect(stderr).not.toContain('wet');
  });

  test('has its events denied, as nobody can judge them', async () => {
    box.write(join(box.home, '.hookmachine/agents/otter/index.ts'), 'throw new Error("wet")');
    const { stdout, stderr, exitCode } = await run(['relay', 'otter'], call());
    expect([stdout, exitCode]).toEqual(['', 2]);
    expect(stderr).toContain('there is no host "otter"');
  });
});

test.runIf(hasEtcOfItsOwn)(
  "only an administrator's agents count where there are administrator's settings",
  async () => {
    const etc = join(box.folder, 'etc/hookmachine');
    mkdirSync(join(etc, 'agents'), { recursive: true });
    box.write(join(etc, 'settings.json'), {});
    const ignored = await run(['relay', 'otter'], call());
    expect(ignored.exitCode).toBe(2);
    expect(ignored.stderr).toContain("an agent's code runs together with the guards");
    cpSync(otter, join(etc, 'agents/otter'), { recursive: true });
    rmSync(join(box.home, '.hookmachine/agents'), { recursive: true });
    expect(await run(['relay', 'otter'], call())).toEqual(denial);
  },
);
