import { existsSync, realpathSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { execa, execaSync } from 'execa';
import { describe, expect, test } from 'vitest';
import { projectWithHooks } from '../support/project.ts';
import { quoted } from '../support/session.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { main } from '../support/main.ts';

const hook = (name: string, command: string) => ({ type: 'command', name, command });
const sayJson = (value: unknown): string => `printf '%s' ${quoted(JSON.stringify(value))}`;

/** Hooks of all kinds; one reports whether it could reach a terminal. */
const hooks = {
  BeforeModel: [
    {
      hooks: [
        hook('calm', sayJson({ hookSpecificOutput: { llm_request: { config: { topK: 1 } } } })),
      ],
    },
  ],
  BeforeToolSelection: [
    {
      hooks: [
        hook(
          'tools',
          sayJson({
            hookSpecificOutput: {
              toolConfig: { mode: 'AUTO', allowedFunctionNames: ['write_file', 'read_file'] },
            },
          }),
        ),
      ],
    },
  ],
  BeforeTool: [
    {
      matcher: 'WRITE_FILE|write_file',
      sequential: true,
      hooks: [
        hook(
          'no-env',
          `grep -q '"file_path":"[^"]*İ.env"' && { echo 'Kein İ.env' >&2; exit 2; }; :`,
        ),
        hook(
          'rename',
          `grep -q draft && ${sayJson({ hookSpecificOutput: { tool_input: { file_path: 'final.txt' } } })}; :`,
        ),
        hook('fails', 'exit 3'),
      ],
    },
  ],
  AfterTool: [
    {
      hooks: [
        hook(
          'terminal',
          `if [ -t 0 ] || [ -t 1 ] || [ -t 2 ] || (: < /dev/tty) 2> /dev/null; then echo terminal; else echo none; fi`,
        ),
      ],
    },
  ],
  AfterModel: [
    {
      hooks: [
        hook(
          'redact',
          `grep -q secret && ${sayJson({ hookSpecificOutput: { llm_response: { text: 'I have DIŞ things: [redacted]' } } })}; :`,
        ),
      ],
    },
  ],
};

const script = `
- calls:
    - { name: write_file, args: { file_path: 'İ.env', content: 'KEY=1' } }
- calls:
    - { name: write_file, args: { file_path: draft.txt, content: 'ıIiİ' } }
- calls:
    - { name: run_shell_command, args: { command: 'true' } }
- text: The secret is 7.
`;

/** A way to run the command: a program with arguments, an environment, a working directory. */
type Mode = (project: string) => {
  readonly command: readonly string[];
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
};

const command = (project: string): string[] => [
  process.execPath,
  main,
  'run',
  'Go',
  `--model=scripted:${join(project, 'session.yaml')}`,
  '--json',
];

const shellLine = (words: readonly string[]): string => words.map(quoted).join(' ');

const works = (program: string, ...args: string[]): boolean =>
  execaSync(program, args, { reject: false, stdin: 'ignore' }).exitCode === 0;

/** A program that gives another one a terminal. */
const terminal: ((words: readonly string[]) => string[]) | undefined = works(
  'script',
  '-qec',
  'true',
  '/dev/null',
)
  ? (words) => ['script', '-qec', shellLine(words), '/dev/null']
  : works('python3', '-c', 'import pty')
    ? (words) => ['python3', '-c', 'import pty, sys; pty.spawn(sys.argv[1:])', ...words]
    : undefined;

/** The decisions and their results, without what differs from run to run. */
async function decisionsIn(mode: Mode): Promise<object[]> {
  const project = realpathSync(projectWithHooks(hooks, { 'session.yaml': script }));
  const { command: words, cwd = project, env = {} } = mode(project);
  const nowhere = tempFolder();
  const { stdout } = await execa(words[0]!, words.slice(1), {
    cwd,
    env: {
      HOME: nowhere,
      LLXPRT_SYSTEM_SETTINGS_PATH: join(nowhere, 'none.json'),
      HOOKMACHINE_TRUST: '1',
      ...env,
    },
    input: '',
    timeout: 120_000,
    reject: false,
  });
  return stdout
    .split(/\r?\n/)
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line, withoutChance) as { type: string })
    .filter(({ type }) => ['hookDecision', 'toolResult', 'finalAnswer', 'error'].includes(type))
    .map((event) => JSON.parse(JSON.stringify(event).replaceAll(project, '<project>')) as object);
}

/** A shell complains about a missing locale on stderr, which is the reason of an exit 2. */
const withoutChance = (key: string, value: unknown): unknown => {
  if (['id', 'toolCallId', 'durationMs'].includes(key)) return undefined;
  return typeof value === 'string' ? value.replaceAll(/^.*: setlocale: .*\n/gm, '') : value;
};

const modes: Record<string, Mode> = {
  'with stdin closed': (project) => ({
    command: ['bash', '-c', 'exec "$@" <&-', '-', ...command(project)],
  }),
  'with a pipe that nobody closes': (project) => ({
    command: ['bash', '-c', 'mkfifo pipe && exec "$@" <> pipe', '-', ...command(project)],
  }),
  'in a Turkish locale': (project) => ({
    command: command(project),
    env: { LC_ALL: 'tr_TR.UTF-8', LANG: 'tr_TR.UTF-8' },
  }),
  'in the C locale': (project) => ({
    command: command(project),
    env: { LC_ALL: 'C', LANG: 'C' },
  }),
  'in another time zone, without colours, in CI': (project) => ({
    command: command(project),
    env: { TZ: 'Asia/Kathmandu', NO_COLOR: '1', TERM: 'dumb', CI: 'true' },
  }),
  'from another folder': (project) => ({
    command: [...command(project), '--cwd', project],
    cwd: tmpdir(),
  }),
};

describe('the decisions of a session', () => {
  let decidedWhenPiped: Promise<object[]> | undefined;
  const piped = (): Promise<object[]> =>
    (decidedWhenPiped ??= decisionsIn((project) => ({ command: command(project) })));

  test('a session whose output is piped decides as its hooks say', async () => {
    const decided = await piped();
    const results = decided.filter((event) => 'llmContent' in event);
    expect(results).toMatchObject([
      { status: 'blocked', llmContent: 'Kein İ.env' },
      { status: 'done', llmContent: expect.stringContaining('final.txt') },
      { status: 'refused' },
    ]);
    expect(JSON.stringify(results[1])).toContain('[System] none');
    expect(decided.at(-1)).toEqual({
      type: 'finalAnswer',
      text: 'I have DIŞ things: [redacted]',
      steps: 4,
    });
  });

  test.runIf(terminal)('a session decides the same in a terminal (HOOK-125)', async () => {
    const [expected, decided] = await Promise.all([
      piped(),
      decisionsIn((project) => ({ command: terminal!(command(project)) })),
    ]);
    expect(decided).toEqual(expected);
  });

  test.each(Object.keys(modes))('a session decides the same %s (HOOK-125)', async (mode) => {
    const [expected, decided] = await Promise.all([piped(), decisionsIn(modes[mode]!)]);
    expect(decided).toEqual(expected);
  });

  const isHomeEmpty = !existsSync(join(userInfo().homedir, '.llxprt'));

  test.runIf(isHomeEmpty)('a session decides the same without HOME (HOOK-125)', async () => {
    const [expected, decided] = await Promise.all([
      piped(),
      decisionsIn((project) => ({ command: ['env', '-u', 'HOME', ...command(project)] })),
    ]);
    expect(decided).toEqual(expected);
  });
});
