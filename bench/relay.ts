import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { starterFile } from './engine.ts';
import { ofRatio, type Row } from './results.ts';
import { inTurns } from './rounds.ts';
import { writeSettings, type Surroundings } from './surroundings.ts';

const hook = `cat >/dev/null; echo '{}'`;

const scenarios = [
  { id: 'relay-no-match', title: 'no matching hook', matcher: '^other$', target: 0.4 },
  { id: 'relay-one', title: 'one sh hook', matcher: 'write_file', target: 0.5 },
] as const;

/** A relay that asks the warm process and one that does not; the hook alone; and what each is made of. */
export const relayColumns = [
  'warm relay',
  'cold relay',
  'the hook alone',
  'perl -e 0',
  'node -e 0',
];

/** Measures an agent's event from the start of its entry's command to its end, in ms. */
export async function relays(rounds: number, surroundings: Surroundings): Promise<Row[]> {
  const rows: Row[] = [];
  for (const { id, title, matcher, target } of scenarios)
    rows.push({
      id,
      title,
      ...(await measure(matcher, rounds, surroundings)),
      targets: [ofRatio(target)],
    });
  return rows;
}

async function measure(
  matcher: string,
  rounds: number,
  surroundings: Surroundings,
): Promise<Pick<Row, 'values' | 'ratio'>> {
  const cwd = mkdtempSync(join(surroundings.cwd, 'relay-'));
  const runtime = join(cwd, 'run');
  mkdirSync(runtime, { mode: 0o700 });
  writeSettings(cwd, {
    tools: { enableHooks: true },
    hooks: { BeforeTool: [{ matcher, hooks: [{ type: 'command', command: hook }] }] },
  });
  const input = JSON.stringify({
    hook_event_name: 'PreToolUse',
    session_id: 's',
    cwd,
    tool_name: 'Write',
    tool_input: { file_path: 'a.txt', content: 'x' },
    tool_use_id: 't',
  });
  const run = (command: readonly string[], more: NodeJS.ProcessEnv = {}): number => {
    const env = { ...surroundings.env, HOOKMACHINE_TRUST: '1', XDG_RUNTIME_DIR: runtime, ...more };
    const startedAt = performance.now();
    const { status, stderr } = spawnSync(command[0]!, command.slice(1), { cwd, env, input });
    const ms = performance.now() - startedAt;
    if (status !== 0) throw new Error(`${command.join(' ')}: ${String(stderr)}`);
    return ms;
  };
  const relay = [starterFile, 'relay', 'claude-code'];
  run(relay);
  const folder = join(runtime, 'hookmachine');
  while (!existsSync(folder) || !readdirSync(folder).some((name) => /^[^.]+-[^.]+$/.test(name)))
    await sleep(50);
  const turns = new Map<string, () => number>([
    ['warm relay', () => run(relay)],
    ['cold relay', () => run(relay, { HOOKMACHINE_COLD: '1' })],
    ['the hook alone', () => run(['/bin/sh', '-c', hook])],
    ['perl -e 0', () => run(['/usr/bin/perl', '-e', '0'])],
    ['node -e 0', () => run([process.execPath, '-e', '0'])],
  ]);
  return inTurns(
    new Map([...turns].map(([name, sample]) => [name, () => Promise.resolve([sample()])] as const)),
    { rounds },
  );
}
