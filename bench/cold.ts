import { spawnSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { commandFile } from './engine.ts';
import { ofRatio, type Row } from './results.ts';
import { inTurns } from './rounds.ts';
import { writeSettings, type Surroundings } from './surroundings.ts';

const scenarios = [
  { id: 'cold-no-match', title: 'no matching hook', matcher: '^other$', hooks: 0, target: 1.5 },
  { id: 'cold-one', title: 'one sh hook', matcher: 'write_file', hooks: 1, target: 2.2 },
] as const;

/** What is measured: our command, then Node doing nothing, in three ways. */
export const coldColumns = ['hookmachine fire', 'node -e 0', 'empty .cjs', 'empty .mjs'] as const;

/** Measures `hookmachine fire` from the shell beside a Node that does nothing, in ms. */
export async function coldStarts(rounds: number, surroundings: Surroundings): Promise<Row[]> {
  const { HOME, GEMINI_CLI_HOME } = surroundings.env;
  // Node starts more slowly the more the environment asks of it, such as extra certificates, which hides what
  // we add: the target must be met without that as well.
  const places = [
    { id: '', title: '', env: { ...process.env, HOME, GEMINI_CLI_HOME } },
    { id: '-bare', title: ', bare environment', env: surroundings.env },
  ];
  const rows: Row[] = [];
  for (const place of places)
    for (const { id, title, target, ...scenario } of scenarios)
      rows.push({
        id: `${id}${place.id}`,
        title: `${title}${place.title}`,
        ...(await measure(scenario, place.env, rounds, surroundings)),
        targets: [ofRatio(target)],
      });
  return rows;
}

async function measure(
  { matcher, hooks }: { readonly matcher: string; readonly hooks: number },
  environment: NodeJS.ProcessEnv,
  rounds: number,
  surroundings: Surroundings,
): Promise<Pick<Row, 'values' | 'ratio'>> {
  const cwd = mkdtempSync(join(surroundings.cwd, 'cold-'));
  const command = `cat >/dev/null; echo '{}'`;
  writeSettings(cwd, {
    tools: { enableHooks: true },
    hooks: { BeforeTool: [{ matcher, hooks: [{ type: 'command', command }] }] },
  });
  const [cjs, mjs] = [join(cwd, 'empty.cjs'), join(cwd, 'empty.mjs')];
  for (const script of [cjs, mjs]) writeFileSync(script, '');
  const env = { ...environment, HOOKMACHINE_TRUST: '1' };
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
  const fire = [commandFile, 'fire', 'BeforeTool'];
  const report = JSON.parse(run(fire).stdout) as { success: boolean; hookCount: number };
  if (!report.success || report.hookCount !== hooks)
    throw new Error(`fire reported ${JSON.stringify(report)}`);
  const commands = [fire, ['-e', '0'], [cjs], [mjs]];
  const turns = coldColumns.map(
    (name, index) => [name, async () => [run(commands[index]!).ms]] as const,
  );
  return inTurns(new Map(turns), { rounds });
}
