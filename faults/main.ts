/** Drives every fault through the engine, under both policies and in both ways of starting, and beside the peer where that is installed. */
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { findProgram } from '../src/process/index.ts';
import { brokenClaims, differences } from './claims.ts';
import { type Fate, policies, type Policy, type Way, ways } from './engine.ts';
import type { Fault } from './fault.ts';
import { faults } from './faults.ts';
import { findPeer } from './peer.ts';
import { runFault } from './run-fault.ts';
import { printMarkdown, printRow, printSummary, type Row, type Run } from './table.ts';

const { values } = parseArgs({
  options: {
    markdown: { type: 'boolean', default: false },
    peer: { type: 'string' },
    'no-peer': { type: 'boolean', default: false },
    jobs: { type: 'string', default: String(availableParallelism()) },
    only: { type: 'string', default: '' },
  },
});
const peer = values['no-peer'] ? undefined : findPeer(values.peer);
if (peer === undefined && !values['no-peer'])
  process.stderr.write(
    'The peer is not installed, so hookmachine runs alone: npm install --ignore-scripts in bench/, or --peer DIR.\n',
  );

/** How each fault is run: in each way under each policy, and for what hooks leave also as the settings may say otherwise. */
const orders: readonly { policy: Policy; way: Way; fate: Fate }[] = [
  ...policies.flatMap((policy) => ways.map((way) => ({ policy, way, fate: 'end-group' as const }))),
  { policy: 'block', way: 'plain', fate: 'end' },
  { policy: 'block', way: 'plain', fate: 'leave' },
];

const wanted = Object.entries(faults).flatMap(([kind, all]) =>
  all
    .filter(({ name }) => `${kind}: ${name}`.includes(values.only))
    .map((fault) => ({ kind, fault })),
);
if (wanted.length === 0) {
  process.stderr.write(`--only ${values.only}: no fault has a name with that in it.\n`);
  process.exit(2);
}
const rows: (Row | undefined)[] = wanted.map(() => undefined);
let next = 0;
let printed = 0;

await Promise.all(
  Array.from({ length: Number(values.jobs) }, async () => {
    for (let index = next++; index < wanted.length; index = next++) {
      const { kind, fault } = wanted[index]!;
      rows[index] = await runRow(kind, fault);
      for (; rows[printed] !== undefined; printed++) if (!values.markdown) printRow(rows[printed]!);
    }
  }),
);
// A run that was only late was so perhaps because of its neighbours: it is run again, alone.
for (const [index, row] of rows.entries())
  if (row?.runs.some(isOnlyLate)) {
    rows[index] = await runRow(row.kind, row.fault, row);
    if (!values.markdown) {
      process.stdout.write('again, alone: ');
      printRow(rows[index]);
    }
  }

const done = rows.filter((row) => row !== undefined);
if (values.markdown) printMarkdown(done, peer);
printSummary(done, values.markdown ? process.stderr : process.stdout);
process.exitCode = done.some(({ runs }) => runs.some(({ broken }) => broken.length > 0)) ? 1 : 0;

async function runRow(kind: string, fault: Fault, before?: Row): Promise<Row> {
  if (fault.needs !== undefined && findProgram(fault.needs) === undefined)
    return { kind, fault, runs: [], skipped: `${fault.needs} is not installed` };
  const runs: Run[] = [];
  for (const { policy, way, fate } of orders) {
    if (way === 'ready' && fault.readyShell === 'cannot be') continue;
    const known = before?.runs.find(
      (run) => run.policy === policy && run.way === way && run.fate === fate,
    );
    if (known === undefined || isOnlyLate(known)) {
      const observed = await runFault(fault, { policy, way, fate });
      const broken = brokenClaims(fault, policy, observed, fate);
      if (way === 'ready') broken.push(...differences(fault, runs.at(-1)!.observed, observed));
      runs.push({ policy, way, fate, observed, broken });
    } else runs.push(known);
  }
  if (before !== undefined) return { ...before, runs };
  if (peer === undefined || fault.trust || fault.fromFile || fault.source || fault.isUnkillable)
    return { kind, fault, runs };
  const observed = await runFault(fault, {
    policy: 'allow',
    way: 'plain',
    fate: 'end-group',
    peer,
  });
  const beside = { observed, broken: brokenClaims(fault, 'allow', observed) };
  return { kind, fault, runs, peer: beside };
}

function isOnlyLate({ broken }: Run): boolean {
  return broken.length === 1 && broken[0]!.startsWith('it took');
}
