/**
 * `npm run frameworks:bench [-- --quick] [NAME…]`: what hooks that match nothing cost in each framework,
 * compared with the framework alone in the same run. Exits with 1 if a target is missed.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';
import { execaSync } from 'execa';
import { describeMachine } from '../../../bench/machine.ts';
import { folderOf, frameworks } from '../installed.ts';
import type { Costs, Measured } from './measure.ts';

/** How many µs more than the framework alone are allowed, and how many bytes more a run may leave behind. */
const targets = { toolCall: 50, modelCall: 100, kept: 64 } as const;

/** Frameworks that do not run on Node.js 20. */
const wantsNewerNode: ReadonlySet<string> = new Set(['mastra']);

const { values: options, positionals } = parseArgs({
  options: { quick: { type: 'boolean', default: false } },
  allowPositionals: true,
});
const measurable = frameworks.filter((name) => existsSync(join(folderOf(name), 'cases/bench.ts')));
const wanted = positionals.length > 0 ? positionals : measurable;
const unknown = wanted.filter((name) => !measurable.includes(name));
if (unknown.length > 0) throw new Error(`not measured: ${unknown.join(', ')}; there are ${measurable.join(', ')}`); // prettier-ignore

const { cpu, cores, node, load } = describeMachine();
const line = (text: string): void => void process.stdout.write(`${text}\n`);
line(`${cores} cores of ${cpu}, Node ${node.slice(1)}, load ${load} at the start\n`);
line(
  '| over the framework alone | µs a tool call | µs a model call | µs to the first text | bytes kept by a run |',
);
line(
  '| ------------------------ | -------------: | --------------: | -------------------: | ------------------: |',
);
const missed: string[] = [];
for (const name of wanted) {
  const measured = await measuredIn(name);
  const { toolCall, modelCall, firstText, kept } = measured;
  const columns = [toolCall, modelCall, firstText, kept];
  const row = (title: string, cells: readonly string[]): void =>
    line(`| ${[title, ...cells].join(' | ')} |`);
  row(
    name,
    columns.map((costs) => (costs ? cell(costs, costs.hooked) : '')),
  );
  if (kept.empty !== undefined)
    row(
      `${name}, with an empty part of its own`,
      columns.map((costs) => (costs ? cell(costs, costs.empty!) : '')),
    );
  for (const [what, atMost] of Object.entries(targets))
    if (over(measured[what as keyof typeof targets]) > atMost) missed.push(`${name}: ${what}`);
}
line(`\nTargets missed: ${missed.join(', ') || 'none'}`);
process.exitCode = missed.length > 0 ? 1 : 0;

/** Measures one framework in a process of its own, with its own packages. */
async function measuredIn(name: string): Promise<Measured> {
  const folder = folderOf(name);
  if (!existsSync(join(folder, 'node_modules')))
    execaSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--force'], {
      cwd: folder,
    });
  const outfile = join(folder, 'node_modules/.bench.mjs');
  await build({
    entryPoints: [join(folder, 'cases/bench.ts')],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20.19',
    packages: 'external',
    logLevel: 'warning',
  });
  const child = fork(outfile, options.quick ? ['--quick'] : [], {
    execArgv: ['--expose-gc'],
    ...(wantsNewerNode.has(name) && { execPath: newerNode() }),
    env: { PATH: process.env['PATH'], NAME: name },
  });
  const [answer] = (await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(([status]) => {
      throw new Error(`${name} ended with ${status}`);
    }),
  ])) as [Measured];
  return answer;
}

function newerNode(): string {
  const args = ['-y', '--ignore-scripts=false', 'node@24', '-p', 'process.execPath'];
  return execaSync('npx', args).stdout;
}

function over({ alone, hooked }: Costs): number {
  return hooked - alone;
}

/** What is added, and to what. */
function cell({ alone }: Costs, added: number): string {
  return `${Math.round(added - alone)} to ${Math.round(alone)}`;
}
