/**
 * Sends events to the warm process while it is killed and frozen, and counts those that were not denied and the
 * hooks that ran twice: `npx tsx load/warm.ts [EVENTS] [AT_ONCE] [SEED]`. The seed decides the moments.
 */
import { spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const [events = 1_000, atOnce = 2, seed = 1] = process.argv.slice(2).map(Number);
const command = fileURLToPath(new URL('../dist/hookmachine', import.meta.url));

/** A random number from 0 to 1, by the seed. */
let state = seed;
function random(): number {
  state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
  return state / 2 ** 32;
}

const root = mkdtempSync(join(tmpdir(), 'hm-warm-'));
const [project, home, runtime, log] = ['project', 'home', 'run', 'log'].map((name) =>
  join(root, name),
) as [string, string, string, string];
for (const folder of [join(project, '.hookmachine'), home]) mkdirSync(folder, { recursive: true });
mkdirSync(runtime, { mode: 0o700 });
writeFileSync(log, '');
const hook = `id=$(grep -o 'use-[0-9]*' | head -1); echo $id >> '${log}'; sleep 0.02; echo '{"decision":"deny","reason":"no"}'`;
writeFileSync(
  join(project, '.hookmachine/settings.json'),
  JSON.stringify({ hooks: { 'tool.before': [{ hooks: [{ type: 'command', command: hook }] }] } }),
);

interface Done {
  readonly stdout: string;
  readonly ms: number;
}

function relay(id: number): Promise<Done> {
  const startedAt = performance.now();
  const child = spawn(command, ['relay', 'claude-code'], {
    cwd: project,
    env: { ...process.env, HOME: home, XDG_RUNTIME_DIR: runtime, HOOKMACHINE_TRUST: '1' },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  child.stdin
    .on('error', () => undefined)
    .end(
      JSON.stringify({
        hook_event_name: 'PreToolUse',
        // As five hundred sessions would.
        session_id: `session-${id % 500}`,
        cwd: project,
        tool_name: 'Bash',
        tool_input: { command: `use-${id}` },
        tool_use_id: String(id),
      }),
    );
  let stdout = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  return new Promise((resolve) => {
    child.on('close', () => resolve({ stdout, ms: performance.now() - startedAt }));
  });
}

const statOf = (pid: string): string[] =>
  readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');

/** The warm processes; a hook that is just being started looks like one. */
function warmPids(): number[] {
  const found = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const line = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
        return line.includes(`\0warm\0${runtime}`) ? [[pid, statOf(pid)[1]!] as const] : [];
      } catch {
        return [];
      }
    });
  const pids = new Set(found.map(([pid]) => pid));
  return found.filter(([, parent]) => !pids.has(parent)).map(([pid]) => Number(pid));
}

function end(signal: NodeJS.Signals): void {
  for (const pid of warmPids())
    try {
      process.kill(pid, signal);
    } catch {
      // It has just ended.
    }
}

const counts = { undenied: 0, cutOff: 0, killed: 0 };
const times: number[] = [];
let next = 0;
const work = async (): Promise<void> => {
  for (let id = next++; id < events; id = next++) {
    const { stdout, ms } = await relay(id);
    times.push(ms);
    if (!stdout.includes('"permissionDecision":"deny"')) counts.undenied++;
    if (stdout.includes('had begun')) counts.cutOff++;
  }
};
const working = Promise.all(Array.from({ length: atOnce }, work));
const isOver = working.then(() => true);
while (!(await Promise.race([isOver, pause(100 + 2_000 * random(), false)]))) {
  if (existsSync(join(runtime, 'hookmachine'))) counts.killed++;
  end(random() < 0.75 ? 'SIGKILL' : 'SIGSTOP');
}
end('SIGKILL');
const ran = readFileSync(log, 'utf8').split('\n').filter(Boolean);
const sorted = times.toSorted((one, other) => one - other);
const rank = (share: number): string => `${Math.round(sorted[Math.floor(share * events)] ?? 0)} ms`;
process.stdout.write(
  `${[
    `${events} events, ${atOnce} at once; the warm process was killed or frozen ${counts.killed} times`,
    `not denied: ${counts.undenied}; hooks that ran twice: ${ran.length - new Set(ran).size}; denied because they were cut off: ${counts.cutOff}`,
    `median ${rank(0.5)}, slowest ${rank(0.999)}`,
  ].join('\n')}\n`,
);
rmSync(root, { recursive: true, force: true });
process.exitCode = counts.undenied + ran.length - new Set(ran).size > 0 ? 1 : 0;
