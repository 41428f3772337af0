import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { lives } from '../../handlers/process/run-hook.ts';
import { call, temporaryFolder, textOf } from './call.ts';
import { waitUntil } from '../../support/until.ts';

let cwd: string;
beforeEach(() => {
  cwd = temporaryFolder();
});

const run = (command: string, rest: object = {}, signal?: AbortSignal) =>
  call('run_shell_command', { command, ...rest }, cwd, signal);

const lines = (...texts: string[]) => texts.join('\n');

/** The process group of a command that wrote `$$` to the file `group`. */
const groupOf = async () => Number(await readFile(join(cwd, 'group'), 'utf8'));

/** Starts a command, and aborts it once it has created the file `ready`. */
async function abortWhenReady(command: string) {
  const controller = new AbortController();
  const running = run(`echo $$ > group; ${command}`, {}, controller.signal);
  await waitUntil(() => existsSync(join(cwd, 'ready')));
  controller.abort();
  return running;
}

test('output, exit code and folder are reported line by line', async () => {
  const result = await run('echo out; echo err >&2');
  expect(result.llmContent).toBe(
    lines(
      'Command: echo out; echo err >&2',
      'Directory: (root)',
      'Stdout: out',
      '',
      'Stderr: err',
      '',
      'Exit Code: 0',
    ),
  );
  expect(result.returnDisplay).toBe('out\nerr\n');
  expect(result.metadata).toEqual({ exitCode: 0, signal: null });
});

test('a command that fails is reported, but is not an error of the tool', async () => {
  const result = await run('exit 3');
  expect(result.llmContent).toBe(
    lines(
      'Command: exit 3',
      'Directory: (root)',
      'Stdout: (empty)',
      'Stderr: (empty)',
      'Exit Code: 3',
    ),
  );
  expect(result.returnDisplay).toBe('Command exited with code: 3');
  expect(result.error).toBeUndefined();
});

test('a command killed by a signal names the signal', async () => {
  const result = await run('kill -KILL $$');
  expect(result.llmContent).toContain('Exit Code: (none)\nSignal: SIGKILL');
  expect(result.returnDisplay).toBe('Command terminated by signal: SIGKILL');
});

test('a command runs in the requested folder', async () => {
  await mkdir(join(cwd, 'src'));
  for (const name of ['directory', 'dir_path']) {
    const { llmContent } = await run('pwd', { [name]: 'src' });
    expect(llmContent).toContain(`Directory: src\nStdout: ${join(cwd, 'src')}\n`);
  }
});

test('a folder that is a file or missing is an error', async () => {
  await writeFile(join(cwd, 'file'), '');
  expect((await run('pwd', { directory: 'file' })).error?.type).toBe('path_is_not_a_directory');
  expect((await run('pwd', { directory: 'none' })).error?.type).toBe('file_not_found');
});

test('bash runs the command, or sh if there is no bash', async () => {
  expect((await run('[[ a == a ]] && echo $0')).llmContent).toContain('bash');
  vi.stubEnv('PATH', '');
  onTestFinished(() => {
    vi.unstubAllEnvs();
  });
  expect((await run('echo $0')).llmContent).toContain('Stdout: /bin/sh');
});

test('a command that cannot be started is an error', async () => {
  const result = await run(`echo ${'x'.repeat(4_000_000)}`);
  expect(result.error?.type).toBe('shell_execute_error');
  expect(result.llmContent).toMatch(/^The command could not be started: .*E2BIG/);
});

test('a command has an empty stdin', async () => {
  const { llmContent } = await run('cat; read line || echo "no line"');
  expect(llmContent).toContain('Stdout: no line');
});

test('output can be written to /dev/stdout and /dev/stderr by name', async () => {
  const { llmContent } = await run('echo out > /dev/stdout; echo err > /dev/stderr');
  expect(llmContent).toContain('Stdout: out\n\nStderr: err\n');
});

test('a character that arrives in two chunks stays whole', async () => {
  const { llmContent } = await run("printf 'a\\342\\202'; sleep 0.2; printf '\\254b'");
  expect(llmContent).toContain('Stdout: a€b\n');
});

test('the start and the end of 5 MB of output are kept, cut between characters', async () => {
  const text = textOf(await run("printf 'first€'; yes '€€€' | head -c 5000000; echo last"));
  expect(text.length).toBeLessThan(70_000);
  expect(text).toContain('Stdout: first€');
  expect(text).toContain('last\n\nStderr');
  expect(text).toMatch(/\n\[… \d+ bytes left out …\]\n/);
  expect(text.slice(0, text.indexOf('last'))).not.toContain('\uFFFD');
});

test('a background child that holds stdout does not delay the result, and keeps running', async () => {
  const { llmContent } = await run('echo $$ > group; sleep 100 & echo done');
  const group = await groupOf();
  onTestFinished(() => void process.kill(-group, 'SIGKILL'));
  expect(llmContent).toContain('Stdout: done\n');
  expect(llmContent).toContain(`Process Group PGID: ${group} (is still running`);
  expect(lives(group)).toBe(true);
});

test('a background child that keeps writing does not delay the result and is not killed by its pipe', async () => {
  const { llmContent } = await run(
    'echo $$ > group; while :; do echo tick; touch alive; sleep 0.01; done & echo done',
  );
  const group = await groupOf();
  onTestFinished(() => void process.kill(-group, 'SIGKILL'));
  expect(llmContent).toContain('done\n');
  await rm(join(cwd, 'alive'), { force: true });
  await waitUntil(() => existsSync(join(cwd, 'alive')));
});

test('an abort kills the whole process group of a pipeline', async () => {
  const result = await abortWhenReady('echo begun; touch ready; sleep 300 | sleep 300 | cat');
  expect(result.error?.type).toBe('cancelled');
  expect(result.llmContent).toContain('was cancelled');
  expect(result.llmContent).toContain('Stdout: begun');
  expect(lives(await groupOf())).toBe(false);
});

test('an abort kills a process group that ignores SIGTERM', async () => {
  const result = await abortWhenReady(
    "trap '' TERM; (trap '' TERM; touch ready; while :; do sleep 0.05; done) | cat",
  );
  expect(result.error?.type).toBe('cancelled');
  const group = await groupOf();
  await waitUntil(() => !lives(group));
});

test('an abort gives up on a process that no signal can kill, and reports it', async () => {
  const kill = process.kill.bind(process);
  const failing = vi.spyOn(process, 'kill').mockImplementation(() => {
    throw Object.assign(new Error('kill EPERM'), { code: 'EPERM' });
  });
  onTestFinished(() => failing.mockRestore());
  const result = await abortWhenReady('touch ready; exec sleep 300');
  const group = await groupOf();
  onTestFinished(() => void kill(-group, 'SIGKILL'));
  expect(result.error?.type).toBe('cancelled');
  expect(result.llmContent).toContain(`PGID: ${group} (could not be ended and is still running;`);
});

test('an abort leaves the command time to clean up', async () => {
  await abortWhenReady("trap 'echo bye; exit 0' TERM; touch ready; while :; do sleep 0.05; done");
  expect(lives(await groupOf())).toBe(false);
});

test('a call that was aborted before it began runs nothing', async () => {
  const result = await run('touch ran', {}, AbortSignal.abort());
  expect(result.error?.type).toBe('cancelled');
  expect(existsSync(join(cwd, 'ran'))).toBe(false);
});

test('concurrent commands keep their outputs separate', async () => {
  const results = await Promise.all(
    Array.from({ length: 20 }, (_, index) => run(`echo only ${index}`)),
  );
  for (const [index, { llmContent }] of results.entries()) {
    expect(llmContent).toContain(`Stdout: only ${index}\n`);
  }
});
