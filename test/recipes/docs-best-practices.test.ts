import { delimiter, join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, test, vi } from 'vitest';
import { inParallel } from '../support/session.ts';
import { last } from '../support/chat.ts';
import { untilWritten } from '../support/until.ts';
import { ranFor, recipe, statuses, switchedOn, writing } from './recipe.ts';

const write = { file_path: 'a.txt', content: 'x' };
const written = 'Successfully created and wrote to new file: a.txt.';
const before = (...commands: Parameters<typeof inParallel>): { text: string } =>
  switchedOn({ BeforeTool: inParallel(...commands) });

test('B1, bad input: stderr and exit 1 warn the user, the call goes on, and the model reads nothing of it (HOOK-031, 198, 209, C-27)', async () => {
  const { call } = recipe(before('cat >/dev/null; echo ignored; echo "No tool_name" >&2; exit 1'));
  const { status, modelReads, warnings } = await call('write_file', write);
  expect([status, modelReads]).toEqual(['done', written]);
  expect(warnings.join('\n')).toContain('No tool_name');
});

test('B2, a hook that exceeds its own timeout is ended, and the call goes on (HOOK-069)', async () => {
  const { call } = recipe(before({ command: 'sleep 30', timeout: 200 }));
  const { status, events, warnings } = await call('write_file', write);
  expect(status).toBe('done');
  expect(warnings.length).toBe(1);
  expect(events.find(({ type }) => type === 'hookDecision')).toMatchObject({
    hooks: [{ status: 'timedOut', error: 'Hook timed out after 200ms' }],
  });
});

describe('skeletons that are bash syntax errors as printed exit with 2, so they deny (C-31b, R-8b)', () => {
  test.each([
    ['B3, permission check', 'if [ "$1" = admin ]; then\n  # Allow\nfi\n'],
    ['B13, set -e', 'set -euo pipefail\nmain() {\n  # Your logic here\n}\nmain\n'],
  ])('%s: the printed skeleton is a bash syntax error, so it denies', async (_, body) => {
    const { call, put, has } = recipe(before('.llxprt/hooks/skeleton.sh'));
    put('.llxprt/hooks/skeleton.sh', `#!/usr/bin/env bash\n${body}`);
    const { status, modelReads } = await call('write_file', write);
    expect(status).toBe('blocked');
    expect(modelReads).toContain('syntax error');
    expect(has('a.txt')).toBe(false);
  });
});

test('B4, B11: a JavaScript hook finds secrets by patterns, and an error of its own denies too', async () => {
  const { session } = recipe(before('.llxprt/hooks/scan-secrets.mjs'));
  const contents = ['plain', 'AKIAIOSFODNN7EXAMPLE', 'broken!'];
  const { run } = session([
    {
      calls: contents.map((content, index) => writing(`${index}.txt`, content)),
    },
    { text: 'Done.' },
  ]);
  const events = await run();
  expect(statuses(events)).toEqual(['done', 'blocked', 'blocked']);
  expect(
    events.flatMap((event) => (event.type === 'toolResult' ? [event.llmContent] : [])).slice(1),
  ).toEqual(['Secret found: AKIA[0-9A-Z]{16}', 'the scanner broke']);
});

test('B5, the command of a hook in a container passes stdin in and takes the answer out', async () => {
  const { call, put, project } = recipe(
    before('docker run --rm -i --network none hooks:latest /check.sh'),
  );
  put(
    'bin/docker',
    '#!/bin/sh\nwc -c >bytes.txt\necho "{\\"decision\\":\\"deny\\",\\"reason\\":\\"$*\\"}"\n',
  );
  vi.stubEnv('PATH', `${join(project, 'bin')}${delimiter}${process.env['PATH']}`);
  const { modelReads } = await call('write_file', write);
  expect(modelReads).toBe('run --rm -i --network none hooks:latest /check.sh');
});

test('B5, without a container engine the call goes on, and that is reported (C-29)', async () => {
  const { call } = recipe(before('no-such-docker run --rm -i hooks:latest'));
  const { status, warnings } = await call('write_file', write);
  expect(status).toBe('done');
  expect(warnings.join('\n')).toContain('code 127');
});

test('B6, a costly answer comes from a cache', async () => {
  const { call, read } = recipe(switchedOn({ AfterTool: inParallel('.llxprt/hooks/hourly.sh') }));
  for (let round = 0; round < 2; round++) {
    const { modelReads } = await call('glob', { pattern: '*.none' });
    expect(modelReads).toMatch(/\n\nCostly to know\.$/);
  }
  expect(read('.llxprt/costly.log')).toBe('costly\n');
});

test('B7, B8, B21, B22: an entry without a type is skipped with a warning, and the entries beside it run (C-02, HOOK-083)', async () => {
  const { call } = recipe(
    switchedOn({
      BeforeTool: [
        {
          hooks: [
            { name: 'fast-validator', command: 'exit 2' },
            { type: 'command', name: 'good', command: 'true' },
          ],
        },
      ],
      AfterAgent: [{ hooks: [{ command: 'exit 2' }] }],
    }),
  );
  const { status, events, warnings } = await call('write_file', write);
  expect(status).toBe('done');
  expect(ranFor(events, 'BeforeTool')).toEqual(['good']);
  expect(warnings.length).toBe(2);
  expect(warnings.join('\n')).toMatch(/BeforeTool[^]*type[^]*AfterAgent[^]*type/);
});

test('B7, with its type, a final checker sends the answer back once, with its reason as the prompt (G-16)', async () => {
  const check =
    'grep -q \'"stop_hook_active":true\' || { echo "Say where the tests are." >&2; exit 2; }';
  const { session } = recipe(switchedOn({ AfterAgent: inParallel(check) }));
  const { run, requests } = session([
    { text: 'Done.' },
    { expect: 'Say where the tests are.', text: 'Done; they are in test/.' },
  ]);
  const events = await run();
  expect(last(events)).toMatchObject({ type: 'finalAnswer', text: 'Done; they are in test/.' });
  expect(requests[1]?.contents.map(({ role }) => role)).toEqual(['user', 'model', 'user']);
});

test('B9, a hook that reads a large input in pieces receives all of it', async () => {
  const { call, put, read } = recipe(before('.llxprt/hooks/stream.mjs'));
  put(
    '.llxprt/hooks/stream.mjs',
    `#!/usr/bin/env node
import { writeFileSync } from 'node:fs';
let bytes = 0;
let end = '';
for await (const chunk of process.stdin) {
  bytes += chunk.length;
  end = (end + chunk.toString()).slice(-2);
}
writeFileSync('saw.json', JSON.stringify({ bytes, end }));
`,
  );
  const { status } = await call('write_file', { ...write, content: 'ü'.repeat(1_000_000) });
  expect(status).toBe('done');
  const saw = JSON.parse(read('saw.json')) as { bytes: number; end: string };
  expect(saw.bytes).toBeGreaterThan(2_000_000);
  expect(saw.end).toBe('}}');
});

test('B10, B16: a hook keeps its input in a file, and the plain text that says so is for the model (HOOK-201)', async () => {
  const { call, read } = recipe(before('cat >input.json; echo "Logged input"'));
  const { modelReads } = await call('write_file', write);
  expect(modelReads).toBe(`${written}\n\n[System] Logged input`);
  expect(JSON.parse(read('input.json'))).toMatchObject({ hook_event_name: 'BeforeTool' });
});

test('B12, a hook that is run by hand with a sample answers as it does for the engine', async () => {
  const settings = before('tee sample.json | .llxprt/hooks/scan-secrets.py');
  const { call, project, read } = recipe(settings);
  const { modelReads } = await call('write_file', {
    ...write,
    content: 'AKIAIOSFODNN7EXAMPLE',
  });
  const { stdout } = await execa('.llxprt/hooks/scan-secrets.py', {
    cwd: project,
    input: read('sample.json'),
  });
  expect(JSON.parse(stdout)).toEqual({ decision: 'block', reason: modelReads });
});

test('B14, B27: settings for telemetry and redaction beside the hooks do no harm, and the environment is complete (C-13)', async () => {
  const { call } = recipe(
    switchedOn(
      { AfterTool: inParallel('echo "$SLACK_WEBHOOK_URL $MY_API_KEY"') },
      {
        telemetry: { enabled: true, target: 'local' },
        security: { environmentVariableRedaction: { enabled: false } },
      },
    ),
  );
  vi.stubEnv('SLACK_WEBHOOK_URL', 'http://hook');
  vi.stubEnv('MY_API_KEY', 'key-1');
  const { modelReads, warnings } = await call('write_file', write);
  expect(modelReads).toBe(`${written}\n\n[System] http://hook key-1`);
  expect(warnings).toEqual([]);
});

test('B15, B18: hooks are listed and reported under their names, with their descriptions and matchers (C-03, C-105)', async () => {
  const { call } = recipe(
    switchedOn({
      BeforeTool: [
        {
          matcher: 'write_file',
          hooks: [
            {
              type: 'command',
              name: 'secret-scanner',
              description: 'Looks for secrets.',
              command: 'true',
            },
          ],
        },
      ],
    }),
  );
  const { events, config } = await call('write_file', write);
  expect(ranFor(events, 'BeforeTool')).toEqual(['secret-scanner']);
  expect(config.getHookSystem()!.getRegistry().getAllHooks()).toMatchObject([
    {
      name: 'secret-scanner',
      description: 'Looks for secrets.',
      enabled: true,
      matcher: 'write_file',
    },
  ]);
});

test('B19, a hook picks the tools by what the user asks for (HOOK-055)', async () => {
  const { session } = recipe(
    switchedOn({ BeforeToolSelection: inParallel('.llxprt/hooks/pick-tools.py') }),
  );
  const { run, requests } = session([{ text: 'Yes.' }, { text: 'Yes.' }]);
  await run('Read and write it.');
  await run('Hello.');
  expect(requests.map(({ config }) => config?.toolConfig?.functionCallingConfig)).toEqual([
    { mode: 'ANY', allowedFunctionNames: ['glob', 'read_file', 'replace', 'write_file'] },
    undefined,
  ]);
});

test('B20, a hook that is disabled by its name or by its command never runs (C-04)', async () => {
  const hooks = {
    disabled: ['guard', 'echo two >&2; exit 2'],
    BeforeTool: [
      {
        hooks: [
          { type: 'command', name: 'guard', command: 'echo one >&2; exit 2' },
          { type: 'command', command: 'echo two >&2; exit 2' },
          { type: 'command', name: 'other', command: 'true' },
        ],
      },
    ],
  };
  const { call } = recipe(switchedOn(hooks));
  const { status, events, warnings } = await call('write_file', write);
  expect([status, warnings]).toEqual(['done', []]);
  expect(ranFor(events, 'BeforeTool')).toEqual(['other']);
});

/** A hook that waits for another one, so that neither would succeed if they ran one after the other. */
const meeting = (own: string, other: string): string =>
  `touch ${own}; while [ ! -e ${other} ]; do sleep 0.02; done`;

test('B21, a quick and a deep check with the same matcher run in parallel, each with its own timeout (000 s7.4)', async () => {
  const { call } = recipe(
    switchedOn({
      BeforeTool: [
        {
          matcher: 'write_file',
          hooks: [{ type: 'command', command: meeting('quick', 'deep'), timeout: 10_000 }],
        },
        {
          matcher: 'write_file',
          hooks: [{ type: 'command', command: meeting('deep', 'quick'), timeout: 30_000 }],
        },
      ],
    }),
  );
  const { status, events, warnings } = await call('write_file', write);
  expect([status, warnings]).toEqual(['done', []]);
  expect(ranFor(events, 'BeforeTool').length).toBe(2);
});

test('B22b, a hook that finds that its own answer is not JSON exits with 1, and the answer is ignored (HOOK-198)', async () => {
  const checked =
    'answer="{decision: deny}"; echo "$answer" | python3 -m json.tool >/dev/null 2>&1 || { echo "Bad answer" >&2; exit 1; }; echo "$answer"';
  const { call } = recipe(before(checked));
  const { status, modelReads, warnings } = await call('write_file', write);
  expect([status, modelReads]).toEqual(['done', written]);
  expect(warnings.join('\n')).toContain('Bad answer');
});

test('B23, a trap cleans up when the hook is ended at its timeout (000 s7.7)', async () => {
  const { call, has, read, project } = recipe(
    before({ command: '.llxprt/hooks/clean-up.sh', timeout: 5_000 }),
  );
  const { status } = await call('write_file', write);
  expect(status).toBe('done');
  expect(has('.llxprt/started')).toBe(true);
  await untilWritten(join(project, '.llxprt/cleaned'));
  expect(read('.llxprt/cleaned')).toBe('cleaned\n');
  expect(has('.llxprt/half-done')).toBe(false);
});

test('B24, B25: the project’s folder is in the environment, and a .env file is read from it (HOOK-071, 072)', async () => {
  const command =
    '[ -n "$LLXPRT_PROJECT_DIR" ] || exit 2; set -a; . "$LLXPRT_PROJECT_DIR/.env"; echo "$GREETING from $GEMINI_PROJECT_DIR $CLAUDE_PROJECT_DIR"';
  const { call, put, project } = recipe(before(command));
  put('.env', 'GREETING="Good day"\n');
  const { modelReads } = await call('write_file', write);
  expect(modelReads).toBe(`${written}\n\n[System] Good day from ${project} ${project}`);
});

test('B26, control characters in a hook’s output do not reach the terminal through a warning', async () => {
  const { call } = recipe(before(String.raw`printf 'bad\033[2Jword' >&2; exit 1`));
  const { warnings } = await call('write_file', write);
  expect(warnings.join('\n')).toContain('bad[2Jword');
});
