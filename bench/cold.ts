import { spawnSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { distFolder } from './engine.ts';
import { ratioColumn, type Row } from './results.ts';
import { inTurns } from './rounds.ts';
import { writeSettings, type Surroundings } from './surroundings.ts';

const scenarios = [
  { id: 'cold-no-match', title: 'no matching hook', matcher: '^other$', hooks: 0, target: 1.5 },
  { id: 'cold-one', title: 'one sh hook', matcher: 'write_file', hooks: 1, target: 2.2 },
] as const;

/** `hookmachine fire` from the shell, beside a Node that does nothing: ms of each. */
export async function coldStarts(rounds: number, surroundings: Surroundings): Promise<Row[]> {
  const rows: Row[] = [];
  for (const { id, title, matcher, hooks, target } of scenarios) {
    const cwd = mkdtempSync(join(surroundings.cwd, 'cold-'));
    const command = `cat >/dev/null; echo '{}'`;
    writeSettings(cwd, {
      tools: { enableHooks: true },
      hooks: { BeforeTool: [{ matcher, hooks: [{ type: 'command', command }] }] },
    });
    const env = { ...surroundings.env, HOOKMACHINE_TRUST: '1' };
    const run = (args: readonly string[]) => {
      const startedAt = performance.now();
      const { stdout, status, stderr } = spawnSync(process.execPath, args, {
        cwd,
        env,
        input: '{"tool_name":"write_file","tool_input":{"file_path":"a.txt"}}',
        encoding: 'utf8',
      });
      const ms = performance.now() - startedAt;
      if (status !== 0) throw new Error(`${args.join(' ')}: ${stderr}`);
      return { ms, stdout };
    };
    const fire = [`${distFolder}/src/cli/main.js`, 'fire', 'BeforeTool'];
    const report = JSON.parse(run(fire).stdout) as { success: boolean; hookCount: number };
    if (!report.success || report.hookCount !== hooks)
      throw new Error(`fire told ${JSON.stringify(report)}`);
    const turns = new Map([
      ['hookmachine fire', async () => [run(fire).ms]],
      ['node -e 0', async () => [run(['-e', '0']).ms]],
    ]);
    rows.push({
      id,
      title,
      ...(await inTurns(turns, rounds)),
      target: { atMost: target, column: ratioColumn },
    });
  }
  return rows;
}
