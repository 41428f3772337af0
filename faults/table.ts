import { readFileSync } from 'node:fs';
import { cpus, release, totalmem } from 'node:os';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { type Fate, policies, type Policy } from './engine.ts';
import type { Fault } from './fault.ts';
import type { Observed } from './observed.ts';
import { sayings } from './sayings.ts';

/** A fault and its results. */
export interface Row {
  readonly kind: string;
  readonly fault: Fault;
  readonly runs: readonly Run[];
  readonly peer?: Judged;
  /** Why it was not run. */
  readonly skipped?: string;
}

/** A run of hookmachine. */
export interface Run extends Judged {
  readonly policy: Policy;
  readonly fate: Fate;
}

interface Judged {
  readonly observed: Observed;
  readonly broken: readonly string[];
}

function decision({ decided, uncaught }: Observed): string {
  if (decided === undefined) return uncaught.length > 0 ? 'throws' : 'hangs';
  return decided.isDenied ? 'denied' : 'allowed';
}

const milliseconds = ({ ms, decided }: Observed): string =>
  `${decided ? '' : '> '}${Math.round(ms)} ms`;

/** What was reported to the user, as one short line. */
function sayingOf(observed: Observed, longest: number): string {
  const line = sayings(observed).join(' / ');
  return line.length > longest ? `${line.slice(0, longest)}…` : line;
}

/** Prints one fault for a terminal. */
export function printRow({ fault, runs, peer, skipped }: Row): void {
  process.stdout.write(`${fault.name}${skipped === undefined ? '' : ` (skipped: ${skipped})`}\n`);
  for (const { policy, fate, ...run } of runs)
    printRun(`${policy}${fate === 'end-group' ? '' : `, ${fate}`}`, run);
  if (peer) printRun('peer', peer);
}

function printRun(name: string, { observed, broken }: Judged): void {
  const figures = [
    decision(observed).padEnd(8),
    milliseconds(observed).padStart(10),
    `${observed.processes} processes`,
    `${observed.descriptors} descriptors left`,
    sayingOf(observed, 120) || '(nothing)',
  ];
  process.stdout.write(`  ${name.padEnd(16)} ${figures.join('  ')}\n`);
  for (const claim of broken) process.stdout.write(`  ${' '.repeat(16)} BROKEN: ${claim}\n`);
}

const brokenBy = (rows: readonly Row[], of: (row: Row) => readonly (Judged | undefined)[]) =>
  rows.flatMap(of).flatMap((judged) => judged?.broken ?? []);

/** The claims, to count how often each did not hold. */
const claims: readonly [string, RegExp][] = [
  ['denials lost', /denial was lost/],
  ['denials without cause', /without cause/],
  ['runs that left processes', /processes left/],
  ['runs that ended what should have lived on', /should have lived on/],
  ['runs that left descriptors', /descriptors left/],
  ['silent failures', /nothing was reported|no reason/],
  ['late or never settled', /it took|never settled/],
];

const counts = (broken: readonly string[]): string =>
  claims
    .map(([name, pattern]) => `${name} ${broken.filter((text) => pattern.test(text)).length}`)
    .join(', ');

/** Prints the totals. */
export function printSummary(rows: readonly Row[], out: Writable): void {
  const runs = rows.flatMap((row) => row.runs);
  out.write(
    `\n${rows.length} faults, ${runs.length} runs of hookmachine: ${counts(brokenBy(rows, (row) => row.runs))}\n`,
  );
  const beside = rows.filter(({ peer }) => peer);
  if (beside.length > 0)
    out.write(
      `${beside.length} runs of the peer: ${counts(brokenBy(beside, ({ peer }) => [peer]))}\n`,
    );
}

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('<', '&lt;');

const out = (line: string): void => void process.stdout.write(`${line}\n`);

/** Prints the table as Markdown for a page. */
export function printMarkdown(rows: readonly Row[], peer: string | undefined): void {
  const [cpu] = cpus();
  out(
    `Measured on ${cpus().length} × ${cpu?.model.trim() || 'an unnamed processor'}, ${Math.round(totalmem() / 2 ** 30)} GiB, Linux ${release()}, Node ${process.version}${peer === undefined ? '' : `, compared with @google/gemini-cli-core ${versionOf(peer)}`}.`,
  );
  for (const kind of new Set(rows.map((row) => row.kind))) {
    out(`\n### ${kind}\n`);
    const withPeer = peer !== undefined;
    out(
      `| fault | \`"allow"\` | \`"block"\` | settled after | left | reported to the user |${withPeer ? ' peer |' : ''}`,
    );
    out(`| --- | --- | --- | --- | --- | --- |${withPeer ? ' --- |' : ''}`);
    for (const row of rows.filter((one) => one.kind === kind)) out(markdownRow(row, withPeer));
  }
}

function markdownRow({ fault, runs, peer, skipped }: Row, withPeer: boolean): string {
  if (skipped !== undefined)
    return `| ${cell(fault.name)} | ${skipped} | | | | |${withPeer ? ' |' : ''}`;
  const all = runs.map(({ observed }) => observed);
  const slowest = all.reduce((one, other) => (one.ms > other.ms ? one : other));
  const processes = all.reduce((sum, observed) => sum + observed.processes, 0);
  const descriptors = all.reduce((sum, observed) => sum + observed.descriptors, 0);
  const cells = [
    fault.name,
    ...policies.map((policy) =>
      mark(
        runs.filter(
          (run) => run.policy === policy && (run.fate === 'end-group' || run.broken.length > 0),
        ),
      ),
    ),
    milliseconds(slowest),
    `${processes} / ${descriptors}`,
    sayingOf(all[0]!, 110) || '—',
    ...(withPeer
      ? [peer ? `${decision(peer.observed)}, ${milliseconds(peer.observed)}${faultsOf(peer)}` : '—']
      : []),
  ];
  return `| ${cells.map(cell).join(' | ')} |`;
}

/** What was decided and which claims were broken, however it was run; all of them if they differ. */
function mark(runs: readonly Run[]): string {
  const texts = runs.map(
    ({ observed, broken }) =>
      `${decision(observed)}${broken.length === 0 ? '' : ` **(${broken.join('; ')})**`}`,
  );
  if (new Set(texts).size === 1) return texts[0]!;
  return texts.map((text, index) => `${runs[index]!.fate}: ${text}`).join('; ');
}

const faultsOf = ({ broken }: Judged): string => {
  const others = broken.filter((text) => !text.startsWith('it '));
  return others.length === 0 ? '' : `; ${others.join('; ')}`;
};

const versionOf = (peer: string): string =>
  (JSON.parse(readFileSync(join(peer, 'package.json'), 'utf8')) as { version: string }).version;
