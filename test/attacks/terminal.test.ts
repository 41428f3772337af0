import { describe, expect, test } from 'vitest';
import { quoted } from '../support/session.ts';
import { group } from '../support/project.ts';
import { inProcess } from '../support/in-process.ts';
import { sandbox } from '../support/sandbox.ts';

/**
 * Escape sequences that clear the screen, move the cursor, rename the window, write to the clipboard, and
 * reverse text; characters that nobody sees, and a flood of marks.
 */
const tricks =
  '\u001B[2J\u001B[1A\u001B]0;title\u0007\u001B]52;c;cm0=\u0007\u009B31m\u0085\r\u202Emr\u2066' +
  `r\u200Bm \u2060\uFEFF\u00AD\u180E\u{E0072}\u{E006D}\uFE0E\uFE0F\u{E0100}\u3164\u115F\u2800\u206A\u2028z${'\u0301'.repeat(40)}`;
const trick =
  // oxlint-disable-next-line no-control-regex, no-misleading-character-class -- these are what must not reach a terminal
  /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u00AD\u061C\u115F\u180E\u200B-\u200F\u2028-\u202E\u2060-\u206F\u2800\u3164\uFE00-\uFE0F\uFEFF]|[\u{E0000}-\u{E0FFF}]|\p{M}{12}/u;

const denying = (reason: string) =>
  `printf '%s' ${quoted(JSON.stringify({ decision: 'deny', reason }))}`;
const stopping = (stopReason: string) =>
  `printf '%s' ${quoted(JSON.stringify({ continue: false, stopReason }))}`;
const failing = (said: string) => `printf '%s' ${quoted(said)} >&2; exit 1`;

/** A project with these hooks around every tool. */
function projectWith(command: string, event = 'BeforeTool') {
  const box = sandbox();
  box.write(box.files.project, {
    enableHooks: true,
    hooks: { [event]: [group(command, { name: `hook ${tricks}` })] },
  });
  return box;
}

const input = JSON.stringify({ tool_name: 'write_file', tool_input: {} });
const toolArguments = ['tool', 'write_file', '--input', '{"file_path":"a.txt","content":"a"}'];

describe.each([
  ['a reason to block', denying(tricks)],
  ['a reason to stop', stopping(tricks)],
  ['the stderr of a failing hook', failing(tricks)],
])('%s plays no tricks on a terminal', (_, command) => {
  test('hostile text that fire shows plays no tricks on a terminal', async () => {
    const { stdout, stderr } = await inProcess(projectWith(command), ['fire', 'BeforeTool'], input);
    expect(stderr).not.toMatch(trick);
    expect(stdout).not.toMatch(trick);
    expect(JSON.parse(stdout)).toHaveProperty('event', 'BeforeTool');
  });

  test('hostile text that tool shows plays no tricks on a terminal', async () => {
    const { stdout, stderr } = await inProcess(projectWith(command), toolArguments);
    expect(stderr).not.toMatch(trick);
    expect(stdout).not.toMatch(trick);
  });

  test('hostile text that run shows, for people and as JSON, plays no tricks on a terminal', async () => {
    for (const more of [[], ['--json']]) {
      const box = projectWith(command);
      const model = box.write(
        'session.yaml',
        '- calls: [{ name: write_file, args: { file_path: a.txt, content: a } }]\n- text: Done.\n',
      );
      const { stdout, stderr } = await inProcess(box, [
        'run',
        'Hi',
        '--model',
        `scripted:${model}`,
        ...more,
      ]);
      expect(stdout).toContain('write_file');
      expect(stderr).not.toMatch(trick);
      expect(stdout).not.toMatch(trick);
    }
  });
});

test('output of the model and results of tools play no tricks on a terminal', async () => {
  for (const more of [[], ['--json']]) {
    const box = sandbox();
    box.write('project/evil.txt', `${tricks}\n`);
    const calls = [
      { name: `no_such_tool${tricks}`, args: { a: tricks } },
      { name: 'run_shell_command', args: { command: `cat evil.txt # ${tricks}` } },
      { name: 'read_file', args: { file_path: `evil.txt${tricks}` } },
    ];
    const model = box.write('session.yaml', [{ text: tricks, calls }, { text: tricks }]);
    const { stdout, stderr } = await inProcess(box, [
      'run',
      'Hi',
      '--model',
      `scripted:${model}`,
      ...more,
    ]);
    expect(stdout).toContain('no_such_tool');
    expect(stderr).not.toMatch(trick);
    expect(stdout).not.toMatch(trick);
  }
});

describe('settings, recordings and file names of strangers play no tricks on a terminal', () => {
  const commands: readonly (readonly [args: readonly string[], input?: string])[] = [
    [['list']],
    [['list', '--json']],
    [['check']],
    [['check', '--json']],
    [['trust', '--show']],
    [['trust', '--show', '--json']],
    [['trust', '--yes']],
    [['fire', 'BeforeTool'], input],
    [['fire', 'BeforeTool', '--why'], input],
    [['fire', 'BeforeTool', '--trust', '--why'], input],
    [['fire', `Before${tricks}`], input],
    [['fire', 'BeforeTool'], tricks],
    [['relay', 'claude-code'], tricks],
    [['test']],
    [['test', '--json']],
    [['matrix', `true # ${tricks}`, '--event', 'BeforeTool']],
    [['migrate']],
    [['migrate']],
    [['disable', `hook ${tricks}`]],
    [['enable', `no ${tricks}`]],
    [['init', tricks]],
    [['install', tricks]],
    [['explain', 'r.jsonl']],
    [['explain', 'r.jsonl', '1']],
    [['explain', 'r.jsonl', tricks]],
    [['explain', 'r.jsonl', '--stats']],
    [['explain', tricks]],
    [['replay', 'r.jsonl', '1', '--trust']],
    [['backtest', '--on', 'r.jsonl', '--trust']],
    [['backtest', '--on', tricks]],
    [['report', 'r.jsonl', '-o', `out${tricks}.html`]],
    [['audit', 'summary', 'audit.jsonl']],
    [['audit', 'summary', tricks]],
    [['policy', 'list']],
    [['policy', 'verify', tricks]],
    [['policy', 'add', tricks]],
    [['tool', tricks]],
    [['schema', tricks]],
    [[tricks]],
    [[`--${tricks}`]],
  ];

  test.each(
    commands.map(
      ([args, given = '']) => [args.join(' ').replaceAll(tricks, 'TRICKS'), args, given] as const,
    ),
  )('nothing that %s prints plays tricks on a terminal', async (_, args, given) => {
    const box = projectWith(`true # ${tricks}`);
    box.write(box.files.user, {
      enableHooks: tricks,
      hooks: {
        [`No${tricks}`]: [],
        BeforeTool: [
          { matcher: `a${tricks}`, hooks: [{ type: tricks, command: tricks }] },
          { hooks: [{ type: 'command', command: denying(tricks), name: tricks, [tricks]: 1 }] },
        ],
      },
    });
    box.write('project/.claude/settings.json', {
      hooks: {
        PreToolUse: [{ matcher: tricks, hooks: [{ type: 'command', command: `x${tricks}` }] }],
        [tricks]: [],
      },
    });
    box.write('project/.mcp.json', tricks);
    box.write('project/a.hooktest.yaml', JSON.stringify([{ name: tricks, event: 'BeforeTool', hook: tricks }])); // prettier-ignore
    box.write('project/audit.jsonl', `${auditLine}\n${tricks}\n`);
    box.write('project/r.jsonl', recorded.map((entry) => JSON.stringify(entry)).join('\n'));
    const { stdout, stderr } = await inProcess(box, args, given);
    expect(stdout + stderr, args.join(' ')).not.toBe('');
    expect(stdout, args.join(' ')).not.toMatch(trick);
    expect(stderr, args.join(' ')).not.toMatch(trick);
  });

  const auditLine = JSON.stringify({
    v: 1,
    at: `2026-11-20T08:12:01.442Z`,
    host: tricks,
    user: tricks,
    version: '0.1.0',
    project: tricks,
    guards: 0,
    session: tricks,
    kind: 'call',
    machine: 'toolCall',
    name: tricks,
    status: 'blocked',
    events: [
      {
        event: tricks,
        decision: 'deny',
        by: tricks,
        reason: tricks,
        hooks: [{ name: tricks, source: tricks, status: 'failed', error: tricks }],
      },
    ],
  });
  const at = 1_700_000_000_000;
  const planned = { name: tricks, source: tricks, dialect: tricks, command: tricks, timeout: 1 };
  const recorded = [
    { kind: 'recording', format: 'hookmachine', version: 1, at, payloads: true },
    { kind: 'warned', at, text: tricks },
    { kind: 'started', at, id: tricks, session: tricks, machine: 'toolCall', name: tricks, callId: tricks, payload: { [tricks]: tricks } }, // prettier-ignore
    { kind: 'started', at, id: 'e', parent: tricks, session: tricks, machine: 'hookEvent', name: 'BeforeTool', plan: { mode: 'parallel', hooks: [planned] }, payload: { tool_name: tricks, tool_input: { a: tricks } } }, // prettier-ignore
    { kind: 'started', at, id: 'h', parent: 'e', session: tricks, machine: 'hookProcess', name: tricks }, // prettier-ignore
    { kind: 'moved', at, id: 'h', to: tricks, event: tricks },
    { kind: 'answered', at, id: 'h', status: 'ok', decision: 'deny', stop: true, reason: tricks, stopReason: tricks, exitCode: null, signal: tricks, durationMs: 1, timedOut: false, error: tricks, failure: tricks, notes: [tricks], sets: [tricks], payload: { stdout: tricks, stderr: tricks } }, // prettier-ignore
    { kind: 'ended', at, id: 'h', status: tricks },
    { kind: 'verdict', at, id: 'e', blocked: true, stop: true, reason: tricks, by: tricks, stopBy: tricks, stopReason: tricks, setBy: { [tricks]: tricks }, conflicts: [{ field: tricks, hooks: [tricks, 'b'], winner: tricks }] }, // prettier-ignore
    { kind: 'ended', at, id: 'e', status: 'settled' },
    { kind: 'ended', at, id: tricks, status: tricks, reason: tricks, payload: tricks },
  ];
});

describe('the debug log has one line per record and plays no tricks', () => {
  test.each([
    ['a reason to block', denying(`${tricks}\nsecond\u2028third`)],
    ['the stderr of a failing hook', failing(`${tricks}\nsecond\rthird`)],
    ['output that is not JSON', `printf '%s' ${quoted(`{"a": ${tricks}\nsecond`)}`],
  ])('the debug log has one harmless line per record with %s', async (_, command) => {
    const box = projectWith(command);
    const env = { ...box.env, DEBUG: 'llxprt:core:hooks:*', DEBUG_COLORS: 'no' };
    const tricky = JSON.stringify({ tool_name: `no${tricks}\nsecond`, tool_input: { a: tricks } });
    const { stderr } = await inProcess({ ...box, env }, ['fire', 'BeforeTool'], tricky);
    expect(stderr).not.toMatch(trick);
    expect(stderr).not.toMatch(/[\u2028\u2029]/);
    const lines = stderr.split('\n').filter((line) => !line.startsWith('hookmachine: '));
    expect(lines.length).toBeGreaterThan(3);
    for (const line of lines) expect(line).toMatch(/llxprt:core:hooks:/);
  });
});

test('a recording that is explained, for people and as JSON, plays no tricks on a terminal', async () => {
  const box = projectWith(denying(tricks));
  const file = `${box.folder}/r.jsonl`;
  await inProcess(box, ['fire', 'BeforeTool', '--record', file, '--record-payloads'], input);
  for (const args of [[file], [file, '--json'], [file, '1'], [file, '1', '--json']]) {
    const { stdout, stderr } = await inProcess(box, ['explain', ...args]);
    expect(stdout).toContain('BeforeTool');
    expect(stdout).not.toMatch(trick);
    expect(stderr).not.toMatch(trick);
  }
});
