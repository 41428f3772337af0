/** Runs every fault through the engine, under both policies, and through the peer if it is installed. */
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { findProgram } from '../src/base/programs.ts';
import { brokenClaims } from './claims.ts';
import { type Fate, policies, type Policy } from './engine.ts';
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

/** How each fault is run: under each policy, and for what hooks leave behind also with the other settings. */
const orders: readonly { policy: Policy; fate: Fate }[] = [
  ...policies.map((policy) => ({ policy, fate: 'end-group' as const })),
  { policy: 'block', fate: 'end' },
  { policy: 'block', fate: 'leave' },
];

const wanted = Object.entries(faults).flatMap(([kind, all]) =>
  all
    .filter(({ name }) => `${kind}: ${name}`.includes(values.only))
    .map((fault) => ({ kind, fault })),
);
if (wanted.length === 0) {
  process.stderr.write(`--only ${values.only}: no fault has that in its name.\n`);
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
const done = rows.filter((row) => row !== undefined);
if (values.markdown) printMarkdown(done, peer);
printSummary(done, values.markdown ? process.stderr : process.stdout);
process.exitCode = done.some(({ runs }) => runs.some(({ broken }) => broken.length > 0)) ? 1 : 0;

async function runRow(kind: string, fault: Fault): Promise<Row> {
  if (fault.needs !== undefined && findProgram(fault.needs) === undefined)
    return { kind, fault, runs: [], skipped: `${fault.needs} is not installed` };
  const runs: Run[] = [];
  for (const { policy, fate } of orders) {
    const observed = await runFault(fault, { policy, fate });
    runs.push({ policy, fate, observed, broken: brokenClaims(fault, policy, observed, fate) });
  }
  const { trust, fromFile, source, isUnkillable, isHalfInspected } = fault;
  if (peer === undefined || trust || fromFile || source || isUnkillable || isHalfInspected)
    return { kind, fault, runs };
  const observed = await runFault(fault, { policy: 'allow', fate: 'end-group', peer });
  const beside = { observed, broken: brokenClaims(fault, 'allow', observed) };
  return { kind, fault, runs, peer: beside };
}
