import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { starterFile } from './engine.ts';
import { ofRatio, type Row } from './results.ts';
import { inTurns } from './rounds.ts';
import { writeSettings, type Surroundings } from './surroundings.ts';

const hook = `cat >/dev/null; echo '{}'`;

const hooksFor = (matcher: string): object => ({
  tools: { enableHooks: true },
  hooks: { BeforeTool: [{ matcher, hooks: [{ type: 'command', command: hook }] }] },
});

const guardFolder = dirname(createRequire(import.meta.url).resolve('cc-safety-net/package.json'));

interface Scenario {
  readonly id: string;
  readonly title: string;
  /** For the file `settings.json` in this folder. */
  readonly settings: object;
  readonly folder: '.llxprt' | '.hookmachine';
  /** What an agent could call without us. */
  readonly alone: readonly string[];
  /** The command that must be run for an event, wherever that is. */
  readonly command?: string;
}

const scenarios: readonly Scenario[] = [
  {
    id: 'relay-no-match',
    title: 'no matching hook',
    folder: '.llxprt',
    settings: hooksFor('^other$'),
    alone: ['bash', '-c', hook],
  },
  {
    id: 'relay-one',
    title: 'one shell hook',
    folder: '.llxprt',
    settings: hooksFor('run_shell_command'),
    alone: ['bash', '-c', hook],
    command: hook,
  },
  {
    id: 'relay-guard',
    title: 'a guard for shell commands',
    folder: '.hookmachine',
    settings: { guards: { shell: 'on' } },
    alone: [
      process.execPath,
      join(guardFolder, 'dist/bin/cc-safety-net.js'),
      'hook',
      '--claude-code',
    ],
  },
];

/**
 * A relay that asks the warm process and one that does not; the least that asking a process takes; what an agent
 * could call instead (a shell hook, or the published guard cc-safety-net); and what each is made of.
 */
export const relayColumns = [
  'warm relay',
  'cold relay',
  'the least',
  'without us',
  'perl -e 0',
  'node -e 0',
];

/** Measures an agent's event from the start of its entry's command to its end, in ms. */
export async function relays(rounds: number, surroundings: Surroundings): Promise<Row[]> {
  const rows: Row[] = [];
  for (const scenario of scenarios) {
    const { id, title } = scenario;
    const found = await measure(scenario, rounds, surroundings);
    rows.push({ id, title, ...found, targets: [ofRatio(0.4)] });
  }
  return rows;
}

/** A client of `least.ts` that does no more than it must. */
const leastClient = `exec /usr/bin/perl -e 'socket S, 1, 1, 0; connect S, pack "S a*", 1, "$ARGV[0]\\0" or die;
local $/; syswrite S, <STDIN>; shutdown S, 1; print <S>' "$0"`;

async function measure(
  { settings, folder, alone, command = '' }: Scenario,
  rounds: number,
  surroundings: Surroundings,
): Promise<Pick<Row, 'values' | 'ratio'>> {
  const cwd = mkdtempSync(join(surroundings.cwd, 'relay-'));
  const runtime = join(cwd, 'run');
  mkdirSync(runtime, { mode: 0o700 });
  writeSettings(cwd, settings, folder);
  const input = JSON.stringify({
    hook_event_name: 'PreToolUse',
    session_id: 's',
    cwd,
    tool_name: 'Bash',
    tool_input: { command: 'git status && npm test' },
    tool_use_id: 't',
  });
  const run = (started: readonly string[], more: NodeJS.ProcessEnv = {}): number => {
    const env = { ...surroundings.env, HOOKMACHINE_TRUST: '1', XDG_RUNTIME_DIR: runtime, ...more };
    const startedAt = performance.now();
    const { status, stderr } = spawnSync(started[0]!, started.slice(1), { cwd, env, input });
    const ms = performance.now() - startedAt;
    if (status !== 0) throw new Error(`${started.join(' ')}: ${String(stderr)}`);
    return ms;
  };
  const least = join(runtime, 'least');
  const leastFile = fileURLToPath(new URL('least.js', import.meta.url));
  const server = spawn(process.execPath, [leastFile, least, command], { stdio: 'inherit' });
  const relay = [starterFile, 'relay', 'claude-code'];
  run(relay);
  const warm = join(runtime, 'hookmachine');
  const isThere = (): boolean =>
    existsSync(least) &&
    existsSync(warm) &&
    readdirSync(warm).some((name) => /^[^.]+-[^.]+$/.test(name));
  while (!isThere()) await sleep(50);
  const turns = new Map<string, () => number>([
    ['warm relay', () => run(relay)],
    ['cold relay', () => run(relay, { HOOKMACHINE_COLD: '1' })],
    ['the least', () => run(['/bin/sh', '-c', leastClient, least])],
    ['without us', () => run(alone)],
    ['perl -e 0', () => run(['/usr/bin/perl', '-e', '0'])],
    ['node -e 0', () => run([process.execPath, '-e', '0'])],
  ]);
  const found = await inTurns(
    new Map([...turns].map(([name, sample]) => [name, () => Promise.resolve([sample()])] as const)),
    { rounds },
  );
  server.kill();
  return found;
}
