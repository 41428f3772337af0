import { chmodSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { inProcess } from '../../support/in-process.ts';
import { relayBox, type RelayBox } from '../../support/relay.ts';

type Fields = Readonly<Record<string, unknown>>;

/** A host's own file with one hook for its event before a tool, as its documentation writes it. */
interface TableCase {
  readonly host: string;
  /** Below the project, or the home folder if it begins with `~/`. */
  readonly file: string;
  readonly of: (command: string, more?: Fields) => unknown;
  /** What the hook receives before a shell command. */
  readonly told: Fields;
  /** How it denies; and how it gives another command. */
  readonly denies: readonly string[];
  readonly rewrites?: string;
  /** What evidently means to deny, and what this host would not obey. */
  readonly lost: readonly string[];
  readonly env?: Fields;
}

const grouped = (command: string, matcher: string, more: Fields = {}) => [
  { matcher, hooks: [{ type: 'command', command, ...more }] },
];
const prints = (answer: object, status = 0): string =>
  `echo '${JSON.stringify(answer)}'; exit ${status}`;
const onStderr = 'echo "not here" >&2; exit 2';

const cases: readonly TableCase[] = [
  {
    host: 'crush',
    file: 'crush.json',
    of: (command) => ({ hooks: { pre_tool_use: [{ matcher: '^bash$', command }] } }),
    told: { event: 'PreToolUse', tool_name: 'bash', tool_input: { command: 'ls' } },
    denies: [
      onStderr,
      prints({ decision: 'deny', reason: 'not here' }),
      'echo "not here" >&2; exit 49',
    ],
    rewrites: prints({ updated_input: { command: 'touch other' } }),
    lost: [
      prints({ decision: 'block', reason: 'not here' }),
      prints({ decision: 'deny', reason: 'not here' }, 1),
    ],
    env: { CRUSH_TOOL_INPUT_COMMAND: 'ls', CRUSH_TOOL_NAME: 'bash', AGENT: 'crush' },
  },
  {
    host: 'factory',
    file: '.factory/settings.json',
    of: (command) => ({ hooks: { PreToolUse: grouped(command, 'Execute') } }),
    told: {
      hook_event_name: 'PreToolUse',
      tool_name: 'Execute',
      tool_input: { command: 'ls' },
      permission_mode: 'default',
    },
    denies: [
      onStderr,
      prints({
        hookSpecificOutput: { permissionDecision: 'deny', permissionDecisionReason: 'not here' },
      }),
      prints({ decision: 'block', reason: 'not here' }),
    ],
    rewrites: prints({ hookSpecificOutput: { updatedInput: { command: 'touch other' } } }),
    lost: [
      prints({ permissionDecision: 'deny', reason: 'not here' }),
      prints({ decision: 'block', reason: 'not here' }, 1),
    ],
  },
  {
    host: 'goose',
    file: '.agents/plugins/mine/hooks/hooks.json',
    of: (command, more) => ({ hooks: { PreToolUse: grouped(command, 'developer__shell', more) } }),
    told: {
      event: 'PreToolUse',
      matcher_context: 'developer__shell',
      tool_name: 'developer__shell',
      tool_input: { command: 'ls' },
    },
    denies: [
      onStderr,
      prints({ decision: 'block', reason: 'not here' }),
      prints({ decision: 'block', reason: 'not here' }, 1),
    ],
    lost: [prints({ decision: 'deny', reason: 'not here' })],
  },
  {
    host: 'openhands',
    file: '.openhands/hooks.json',
    of: (command) => ({ pre_tool_use: grouped(command, 'terminal') }),
    told: { event_type: 'PreToolUse', tool_name: 'terminal', tool_input: { command: 'ls' } },
    denies: [onStderr, prints({ decision: 'deny', reason: 'not here' })],
    lost: [prints({ decision: 'block', reason: 'not here' })],
    env: { OPENHANDS_TOOL_NAME: 'terminal', OPENHANDS_EVENT_TYPE: 'PreToolUse' },
  },
  {
    host: 'antigravity',
    file: '.agents/hooks.json',
    of: (command) => ({
      gate: { PreToolUse: grouped(command, 'run_command') },
      off: { enabled: false, PreToolUse: grouped('exit 2', '*') },
    }),
    told: { toolCall: { name: 'run_command', args: { CommandLine: 'ls' } } },
    denies: [prints({ decision: 'deny', reason: 'not here' })],
    lost: [prints({ decision: 'block', reason: 'not here' })],
  },
  {
    host: 'kimi',
    file: '~/.kimi-code/config.toml',
    of: (command) =>
      `default_model = "m"\n[[hooks]]\nevent = "PreToolUse"\nmatcher = "Bash|Write"\ncommand = ${JSON.stringify(command)}\n`,
    told: {
      hook_event_name: 'PreToolUse',
      tool_name: 'Bash',
      tool_input: { command: 'ls' },
      tool_call_id: 't',
    },
    denies: [
      onStderr,
      prints({
        hookSpecificOutput: { permissionDecision: 'deny', permissionDecisionReason: 'not here' },
      }),
    ],
    lost: [
      prints({ decision: 'block', reason: 'not here' }),
      prints({ continue: false, stopReason: 'not here' }),
    ],
  },
];

const makeExecutable = (box: RelayBox, text: string): void =>
  chmodSync(
    box.write(join(box.project, '.clinerules/hooks/PreToolUse'), `#!/bin/sh\n${text}\n`),
    0o755,
  );

const fileIn = ({ project, home }: RelayBox, file: string): string =>
  file.startsWith('~/') ? join(home, file.slice(2)) : join(project, file);

const before = (command: string, tool = 'Bash', input: Fields = { command }): Fields => ({
  hook_event_name: 'PreToolUse',
  session_id: 's',
  tool_name: tool,
  tool_input: input,
  tool_use_id: 't',
});

/** What Claude Code is answered if this hook stands in that host's file. */
async function asked(one: TableCase, command: string, event = before('ls'), more?: Fields) {
  const box = relayBox();
  box.write(fileIn(box, one.file), one.of(command, more));
  const relayed = await box.relay('claude-code', event, { env: { HOOKMACHINE_TRUST: '1' } });
  return { ...relayed, box };
}

const denial = {
  hookSpecificOutput: expect.objectContaining({
    permissionDecision: 'deny',
    permissionDecisionReason: expect.stringContaining('not here'),
  }),
};

describe.each(cases)('hooks in the file of $host, in another agent', (one) => {
  const { told, denies, lost, rewrites, env, host } = one;

  test('receive what they do at home', async () => {
    const { box } = await asked(
      one,
      `cat > stdin.json; env > env.txt; ${host === 'antigravity' ? prints({ decision: 'allow' }) : ''}`,
    );
    const given = JSON.parse(readFileSync(join(box.project, 'stdin.json'), 'utf8')) as Fields;
    expect(given).toMatchObject(told);
    expect(Object.keys(given)).not.toContain('timestamp');
    const variables = readFileSync(join(box.project, 'env.txt'), 'utf8').split('\n');
    for (const [name, value] of Object.entries(env ?? {}))
      expect(variables).toContain(`${name}=${String(value)}`);
  });

  test.each(denies)('deny with %s', async (command) => {
    const { answer, stderr } = await asked(one, command);
    expect(answer).toMatchObject(denial);
    expect(stderr).not.toContain('would ignore');
  });

  test.each(lost)('deny with %s too, which their host would not obey', async (command) => {
    const { answer, stderr } = await asked(one, command);
    expect(answer).toMatchObject(denial);
    expect(stderr).toContain('would ignore this denial');
  });

  test('are not asked about tools that their matcher does not name', async () => {
    const { stdout } = await asked(
      one,
      onStderr,
      before('', 'WebFetch', { url: 'https://a', prompt: 'x' }),
    );
    expect(stdout).toBe('');
  });

  test.skipIf(rewrites === undefined)('give other arguments', async () => {
    const { answer } = await asked(one, rewrites!);
    expect(answer).toMatchObject({
      hookSpecificOutput: { updatedInput: { command: 'touch other' } },
    });
  });
});

const of = (host: string): TableCase => cases.find((one) => one.host === host)!;

async function askedByCline(text: string) {
  const box = relayBox();
  makeExecutable(box, text);
  const event = before('ls');
  return { box, ...(await box.relay('claude-code', event, { env: { HOOKMACHINE_TRUST: '1' } })) };
}

describe('the executables of Cline, in another agent', () => {
  test('receive what they do at home', async () => {
    const { box } = await askedByCline('cat > stdin.json');
    expect(JSON.parse(readFileSync(join(box.project, 'stdin.json'), 'utf8'))).toMatchObject({
      hookName: 'tool_call',
      workspaceRoots: [box.project],
      tool_call: { name: 'run_commands', input: { commands: ['ls'] } },
      preToolUse: { toolName: 'run_commands', parameters: { commands: '["ls"]' } },
    });
  });

  test('deny with "cancel", which also stops the agent, and with what evidently denies', async () => {
    const cancelled = await askedByCline(prints({ cancel: true, errorMessage: 'not here' }));
    expect(cancelled.answer).toMatchObject({ ...denial, continue: false });
    for (const meant of [prints({ decision: 'deny', reason: 'not here' }), onStderr]) {
      const lost = await askedByCline(meant);
      expect(lost.answer).toMatchObject(denial);
      expect(lost.stderr).toContain('Cline would ignore this denial');
    }
  });

  test('give other arguments, and context', async () => {
    const { answer } = await askedByCline(
      prints({ overrideInput: { commands: ['touch other'] }, context: 'of the hook' }),
    );
    expect(answer).toMatchObject({
      hookSpecificOutput: {
        updatedInput: { command: 'touch other' },
        additionalContext: 'of the hook',
      },
    });
  });

  test('that are not executable, or call our relay, do not run', async () => {
    const box = relayBox();
    box.write(join(box.project, '.clinerules/hooks/PreToolUse'), '#!/bin/sh\ntouch ran\n');
    await inProcess(box, ['install', 'cline', '--scope', 'user']);
    const { stdout } = await box.relay('claude-code', before('ls'), {
      env: { HOOKMACHINE_TRUST: '1' },
    });
    expect([stdout, existsSync(join(box.project, 'ran'))]).toEqual(['', false]);
  });
});

async function deniedInCline(name: string, input: Fields): Promise<unknown> {
  const box = relayBox();
  box.guard({ 'tool.before': onStderr });
  const given = { workspaceRoots: [box.project], tool_call: { id: 'c', name, input } };
  return (await box.relay('cline', given, { event: 'PreToolUse' })).answer;
}

describe('a denial in Cline', () => {
  test('of a command is another command, which prints the reason and fails', async () => {
    expect(await deniedInCline('run_commands', { commands: ['rm a', 'rm b'] })).toEqual({
      overrideInput: { commands: [expect.stringMatching(/not here.*exit 1$/)] },
      context: expect.stringContaining('not here'),
    });
  });

  test('of a tool of its own is a call with arguments that fail', async () => {
    expect(await deniedInCline('editor', { path: '/a', new_text: 'x' })).toEqual({
      overrideInput: { denied: expect.stringContaining('not here') },
      context: expect.stringContaining('not here'),
    });
  });

  test('of one of several files that are read is one of all', async () => {
    const box = relayBox();
    box.guard({
      'tool.before': 'grep -q \'"file_path":"/b/.env"\' && { echo not here >&2; exit 2; }; exit 0',
    });
    const read = (...paths: readonly string[]) =>
      box.relay(
        'cline',
        {
          workspaceRoots: [box.project],
          tool_call: {
            id: 'c',
            name: 'read_files',
            input: { files: paths.map((path) => ({ path })) },
          },
        },
        { event: 'PreToolUse' },
      );
    expect((await read('/a', '/b/.env')).answer).toMatchObject({
      context: expect.stringContaining('not here'),
    });
    expect((await read('/a', '/b')).stdout).toBe('');
  });

  test('of a file in a patch is one of the patch, in any host', async () => {
    const box = relayBox();
    box.guard({
      'tool.before':
        'grep -q \'"file_path":"[^"]*.env"\' && { echo not here >&2; exit 2; }; exit 0',
    });
    const patch = '*** Begin Patch\n*** Add File: a\n+x\n*** Add File: .env\n+x\n*** End Patch';
    const { answer } = await box.relay('factory', {
      hook_event_name: 'PreToolUse',
      session_id: 's',
      cwd: box.project,
      tool_name: 'ApplyPatch',
      tool_input: { input: patch },
    });
    expect(answer).toMatchObject(denial);
  });

  test('of any other tool, which might run without arguments, ends the task', async () => {
    expect(await deniedInCline('mcp__a__b', {})).toEqual({
      cancel: true,
      errorMessage: expect.stringContaining('not here'),
    });
  });
});

describe('what only one host has', () => {
  test('Antigravity CLI: a hook that fails, or does not decide, denies', async () => {
    for (const command of ['true', 'exit 1', 'echo hello', 'echo "{}"']) {
      const { answer } = await asked(of('antigravity'), command);
      expect(answer).toMatchObject({
        hookSpecificOutput: { permissionDecision: 'deny' },
      });
    }
  });

  test('Factory Droid: a hook that stops the agent is obeyed there, and says nothing of a denial', async () => {
    const stops = prints({ continue: false, stopReason: 'not here' });
    const { answer, stderr } = await asked(of('factory'), stops);
    expect(answer).toMatchObject({ continue: false, stopReason: 'not here' });
    expect(stderr).not.toContain('would ignore');
  });

  test.each(['goose', 'antigravity', 'openhands'])(
    '%s: "allow" only lets a call pass, and spares the user no question',
    async (host) => {
      const { stdout } = await asked(of(host), prints({ decision: 'allow' }));
      expect(stdout).not.toContain('allow');
    },
  );

  test.each(['crush', 'factory'])('%s: "allow" approves', async (host) => {
    const { stdout } = await asked(of(host), prints({ decision: 'allow' }));
    expect(stdout).toContain('"permissionDecision":"allow"');
  });

  test('goose: with "on_failure": "block", a hook that fails denies', async () => {
    const denied = await asked(of('goose'), 'exit 1', before('ls'), { on_failure: 'block' });
    expect(denied.answer).toMatchObject({ hookSpecificOutput: { permissionDecision: 'deny' } });
    expect((await asked(of('goose'), 'exit 1')).answer).toBeUndefined();
  });

  test('OpenHands: its one tool for files is three of ours', async () => {
    const one = {
      ...of('openhands'),
      of: (command: string) => ({ hooks: { PreToolUse: grouped(command, 'file_editor') } }),
    };
    const { box, answer } = await asked(
      one,
      `cat > stdin.json; ${onStderr}`,
      before('', 'Write', { file_path: '/a', content: 'x' }),
    );
    expect(answer).toMatchObject(denial);
    expect(JSON.parse(readFileSync(join(box.project, 'stdin.json'), 'utf8'))).toMatchObject({
      tool_name: 'file_editor',
      tool_input: { command: 'create', path: '/a', file_text: 'x' },
    });
  });

  test('a broken file is reported with its place, and hooks of other files still count', async () => {
    const box = relayBox();
    box.write(fileIn(box, 'crush.json'), '{ "hooks": [');
    box.write(join(box.home, '.kimi-code/config.toml'), 'hooks = [\n');
    box.guard({ 'tool.before': onStderr });
    const { answer, stderr } = await box.relay('claude-code', before('ls'), {
      env: { HOOKMACHINE_TRUST: '1' },
    });
    expect(answer).toMatchObject(denial);
    expect(stderr).toContain('crush.json');
    expect(stderr).toContain('config.toml');
  });

  test.each([
    ['crush', { hooks: { PreToolUse: [{ matcher: 'bash' }] } }, 'hooks.PreToolUse[0].command'],
    ['factory', { hooks: { PreToolUze: [] } }, 'hooks.PreToolUze'],
    ['openhands', { stop: { command: 'x' } }, 'stop'],
    [
      'antigravity',
      { mine: { PreToolUse: [{ hooks: [{}] }] } },
      'mine.PreToolUse[0].hooks[0].command',
    ],
    ['kimi', '[[hooks]]\nevent = "Nothing"\ncommand = "x"\n', 'hooks[0].event'],
  ])('a bad entry in the file of %s is reported with its place', async (host, content, place) => {
    const box = relayBox();
    box.write(fileIn(box, of(host).file), content);
    const { stderr } = await box.relay('claude-code', before('ls'), {
      env: { HOOKMACHINE_TRUST: '1' },
    });
    expect(stderr).toContain(place);
  });

  test('nothing of an untrusted project runs', async () => {
    for (const one of cases.filter(({ file }) => !file.startsWith('~/'))) {
      const box = relayBox();
      const mark = join(box.folder, 'ran');
      box.write(fileIn(box, one.file), one.of(`touch '${mark}'`));
      const { stderr } = await box.relay('claude-code', before('ls'), {
        env: { HOOKMACHINE_TRUST: '' },
      });
      expect(existsSync(mark)).toBe(false);
      expect(stderr).toContain('not trusted');
    }
  });
});
