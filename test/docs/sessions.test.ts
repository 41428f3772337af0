import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, test } from 'vitest';
import { starter } from '../support/main.ts';
import { group } from '../support/project.ts';
import { sandbox, type Sandbox } from '../support/sandbox.ts';
import { type Block, blocksOf, blockWith, pages, type Step, stepsOf } from '../support/blocks.ts';
import { demo, options, script, trusted } from './demo.ts';

async function demoTrusted(box: Sandbox): Promise<void> {
  demo(box);
  await trusted(box);
}

async function recorded(box: Sandbox): Promise<void> {
  await demoTrusted(box);
  for (const [file, ...more] of [['session.jsonl'], ['full.jsonl', '--record-payloads']])
    await execa(
      starter,
      ['run', 'What should I do?', '--model', 'scripted:session.yaml', '--record', file!, ...more],
      options(box),
    );
}

/** The scripted model asks for the notes only, as in the README. */
async function onlyNotes(box: Sandbox): Promise<void> {
  await demoTrusted(box);
  const all = readFileSync(join(box.project, 'session.yaml'), 'utf8');
  box.write('project/session.yaml', all.replace(/^.*write_file.*\n/m, ''));
}

const hasOpenSsh = spawnSync('ssh-keygen', ['-?']).error === undefined;

/** The bundle of the page on teams, signed by nobody. */
function acmeGuards(box: Sandbox): void {
  const command = '"$bundlePath/hooks/no-keys.sh"';
  const hooks = { 'tool.before': [group(command, { name: 'no-keys' }, 'write_file|replace')] };
  const [deny, allow] = ['a.pem', 'a.txt'].map((file_path) => ({ tool_name: 'write_file', tool_input: { file_path, content: '' } })); // prettier-ignore
  const folder = 'project/acme-guards';
  box.write(`${folder}/bundle.json`, { name: 'acme-guards', version: '1.0.0' });
  box.write(`${folder}/settings.json`, { hooks });
  script(
    box,
    `${folder}/hooks/no-keys.sh`,
    `#!/bin/sh\ngrep -q '\\.pem"' && { echo 'Keys stay out.' >&2; exit 2; }\nexit 0`,
  );
  box.write(`${folder}/no-keys.hooktest.yaml`, {
    tests: [
      { name: 'keeps keys out', event: 'BeforeTool', input: deny, expect: { decision: 'deny', reason: 'Keys stay out' } }, // prettier-ignore
      { name: 'lets others go on', event: 'BeforeTool', input: allow, expect: { decision: 'allow' } }, // prettier-ignore
    ],
  });
  mkdirSync(join(box.home, '.ssh'), { mode: 0o700 });
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', '', '-f', join(box.home, '.ssh', 'acme-policies')]); // prettier-ignore
}

/** Why a session is not run here, and where what it shows is tested. */
type NotRun = string;
type Setup = ((box: Sandbox) => unknown) | NotRun;

/** How the sessions of each page begin, in their order on the page. */
const setups: Readonly<Record<string, readonly Setup[]>> = {
  'README.md': [demo, onlyNotes],
  'docs/command-line.md': [
    demoTrusted,
    'it prints this at a terminal only; test/cli/fire-authoring.test.ts',
    'it is about months of sessions; test/cli/backtest.test.ts',
    demoTrusted,
    'it starts agents; test/cli/gateway.test.ts',
    demo,
    'it serves until it is ended; test/adapters/mcp',
    demoTrusted,
    demoTrusted,
    demoTrusted,
    (box) => {
      box.write('home/.claude/settings.json', {
        hooks: { PreToolUse: [group('./mine.sh', {}, 'Bash'), group('hookmachine relay claude-code', {}, '')] }, // prettier-ignore
      });
      box.write('project/.gemini/settings.json', { hooks: { BeforeTool: [group('./theirs.sh', {}, 'run_shell_command')] } }); // prettier-ignore
    },
    (box) => script(box, 'home/bin/claude', '#!/bin/sh'),
    (box) => {
      box.write(
        box.own.project,
        `{\n  "hooks": {\n    "BeforeTool": [\n      { "matchers": "x", "hooks": [{ "type": "command", "command": "true" }] },\n      { "hooks": [{ "type": "command", "command": "./guard.sh" }] }\n    ]\n  }\n}\n`,
      );
      box.write('project/guard.sh', '#!/bin/sh\n');
      return trusted(box);
    },
    'it is loaded from an address; test/cli/policy.test.ts',
    (box) =>
      box.write(
        'project/.kodelet/hooks/no-rm',
        `${/#!\/bin\/sh\n[^]*?(?=\n\$ )/.exec(blockWith('docs/command-line.md', 'console', 'no-rm'))![0]}\n`,
      ),
    demoTrusted,
  ],
  'docs/durable.md': Array<NotRun>(6).fill('it needs PostgreSQL; test/durable'),
  'docs/gateway.md': Array<NotRun>(3).fill('it needs Claude Code; test/published-hosts'),
  'docs/hosts.md': [
    demo,
    'it names what is installed; test/cli/doctor.test.ts',
    'it needs agents; test/published-hosts',
    'it serves until it is ended; test/hosts/serve',
    (box) => script(box, 'project/guard.sh', stepsOf(at('docs/hosts.md', 4))[0]!.printed),
    (box) => {
      box.write('project/.claude/settings.json', { hooks: { PreToolUse: [group('.claude/guard.sh', { timeout: 10 }, 'Write')] } }); // prettier-ignore
    },
  ],
  'docs/inspector.md': [
    'its page waits to be opened; test/watch/inspector',
    demoTrusted,
    demoTrusted,
    async (box) => {
      await recorded(box);
      script(box, 'project/.hookmachine/no-env.sh', '#!/bin/sh');
      await trusted(box);
    },
    recorded,
    recorded,
  ],
  'docs/operations.md': Array<NotRun>(9).fill('it needs PostgreSQL; test/durable'),
  'docs/reliability.md': Array<NotRun>(2).fill('it takes minutes; load/'),
  'docs/settings.md': [
    demoTrusted,
    (box) => {
      box.write(box.files.project, { tools: { enableHooks: true }, hooks: { BeforeTool: [group('true', { timeout: 5, tiemout: 5000 })] } }); // prettier-ignore
    },
  ],
  'docs/teams.md': [
    'it is about many machines; test/watch/audit',
    hasOpenSsh ? acmeGuards : 'OpenSSH is not installed; test/cli/policy.test.ts',
    ...Array<NotRun>(4).fill('it changes /etc; test/attacks/bundles.test.ts'),
  ],
  'docs/trust.md': [
    'it asks at a terminal; test/cli/trust.test.ts',
    'it asks at a terminal; test/cli/trust.test.ts',
    demoTrusted,
  ],
};

const at = (page: string, index: number): Block =>
  blocksOf(page).filter(({ language }) => language === 'console')[index]!;

/** What every command of a session prints, one after the other in one shell. */
async function printedBy(box: Sandbox, steps: readonly Step[]): Promise<readonly string[]> {
  const mark = '\u0001';
  const lines = steps.map(({ typed }) => {
    // It serves until it is ended.
    const line = typed.startsWith('hookmachine inspect ')
      ? `${typed} > served 2>&1 & until [ -s served ]; do sleep 0.1; done; kill $!; wait $! 2> /dev/null; cat served`
      : typed;
    return `${line}\ncode=$?; printf '${mark}'; (exit "$code")`;
  });
  const { stdout } = await execa('bash', ['-c', `exec 2>&1\n${lines.join('\n')}`], options(box));
  return stdout.split(mark).map((text) => text.trimEnd());
}

/** The text without what changes from run to run and from machine to machine. */
const same = (text: string, box?: Sandbox): string =>
  text
    .replaceAll(box?.project ?? '/home/me/demo', '/home/me/demo')
    .replaceAll(box?.home ?? '/home/me', '/home/me')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
    .replaceAll(/[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g, 'ID')
    .replaceAll(/(?<="durationMs":)\d+|\d+(?= ms\b)/g, 'N')
    .replaceAll(/\b[\da-f]{8}-\d+\b/g, 'CALL')
    .replaceAll(/SHA256:\S+(?=\.$)/gm, 'KEY')
    .replaceAll(/AAAAC3\S+/g, 'KEY')
    .replaceAll(/sha256 [\da-f]{12}/g, 'sha256 SUM')
    .replaceAll(/127\.0\.0\.1:\d+\/\?token=[\w-]+/g, 'ADDRESS')
    .replaceAll(/ +$/gm, '');

/** What a page shows, as an expression: an ellipsis is anything. */
const shown = (printed: string): RegExp =>
  new RegExp(
    `^${same(printed)
      .split('\n')
      .map((line) => (line.trim() === '…' ? '[^]*' : line.split('…').map(escaped).join('.*')))
      .join('\n')
      .replaceAll(/\n?\[\^\]\*\n?/g, '[^]*')}$`,
  );
const escaped = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');

test('every session of every page is run, or known to be run elsewhere', () => {
  const counts = pages.map((page) => [page, blocksOf(page).filter(({ language }) => language === 'console').length] as const); // prettier-ignore
  expect(counts.filter(([, count]) => count > 0)).toEqual(
    Object.entries(setups).map(([page, list]) => [page, list.length]),
  );
  const elsewhere = Object.values(setups)
    .flat()
    .filter((setup) => typeof setup === 'string');
  expect(
    elsewhere.map((setup) => setup.split('; ')[1]!).filter((path) => !existsSync(path)),
  ).toEqual([]);
});

const sessions = Object.entries(setups).flatMap(([page, list]) =>
  list.map((setup, index) => ({ page, index, setup, steps: stepsOf(at(page, index)) })),
);

describe('a session in a terminal goes as its page shows', () => {
  for (const { page, index, setup, steps } of sessions)
    test.skipIf(typeof setup === 'string')(`${page}: ${steps[0]!.typed}`, async () => {
      const box = sandbox();
      if (typeof setup !== 'string') await setup(box);
      const printed = await printedBy(box, steps);
      for (const [number, { typed, printed: expected }] of steps.entries())
        expect(same(printed[number]!, box), `${index}: ${typed}`).toMatch(
          // A page may show only what is typed.
          expected === '' ? /^(?!hookmachine: |bash: )/ : shown(expected),
        );
    });
});
