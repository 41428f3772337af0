import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { dids, type Did, type Example, type HookTally } from '../../workbench/backtest/tally.ts';
import { oneLine } from '../../base/log.ts';
import { printable } from '../parts/printable.ts';
import type { Backtest, NotUnderstood } from '../../workbench/backtest/run-backtest.ts';
import { counted } from '../../base/counted.ts';

/** Returns what hooks would have done as readable text. */
export function backtestReport(backtest: Backtest): string {
  const { files, events, judged, together, added, hooks, leftOut, isComplete } = backtest;
  const count = Object.values(events).reduce((sum, one) => sum + one, 0);
  const fileCount = Object.values(files).reduce((sum, one) => sum + one, 0);
  const lines = [
    ...(isComplete ? [] : ['Interrupted: this is what is known so far.']),
    `${counted(count, 'event')} in ${counted(fileCount, 'file')}${inAll(files)}${inAll(events)}`,
    judged === 0
      ? 'No hook matches any of them.'
      : `Hooks ran for ${judged}: ${tallied(together)}, and let ${judged - together.denied - together.asked} go on.`,
    ...(judged === 0
      ? []
      : [
          `They would have added p50 ${ms(added.p50)}, p95 ${ms(added.p95)} to each of these, ${ms(added.total)} in all.`,
        ]),
    ...hooks.flatMap(hookLines),
    ...leftOutLines(leftOut),
    ...notUnderstoodLines(backtest.notUnderstood),
  ];
  return `${lines.map((line) => printable(line)).join('\n')}\n`;
}

function hookLines({ hook, event, dialect, source, runs, counts, ...tally }: HookTally): string[] {
  return [
    '',
    `${oneLine(hook, 80)}  (${event}, ${dialect}, ${source})`,
    `  ran ${runs === 1 ? 'once' : `${runs} times`}: ${tallied(counts)}; p50 ${ms(tally.p50)}, p95 ${ms(tally.p95)}, ${ms(tally.total)} in all`,
    ...tally.examples.flatMap(exampleLines),
  ];
}

const exampleLines = ({ did, what, reason, changed, ...place }: Example): string[] => [
  `  ${did.padEnd(7)}  ${placeOf(place)}`,
  `           ${what}`,
  ...(reason === undefined || reason === '' ? [] : [`           → ${oneLine(reason, 200)}`]),
  ...(changed === undefined ? [] : [`           → ${oneLine(JSON.stringify(changed), 200)}`]),
];

const leftOutLines = (leftOut: Backtest['leftOut']): string[] => {
  const names = Object.keys(leftOut);
  if (names.length === 0) return [];
  const many = names.map((name) => `${leftOut[name]} of ${name}`).join(', ');
  return ['', `Omitted, although hooks exist for them: ${many} (--events ${names.join(',')}).`];
};

const notUnderstoodLines = (faults: readonly NotUnderstood[]): string[] =>
  faults.length === 0
    ? []
    : [
        '',
        'Not understood, and skipped:',
        ...faults.map(
          ({ why, count, ...place }) =>
            `  ${placeOf(place)} ${oneLine(why, 200)}${count === 1 ? '' : `, and ${counted(count - 1, 'other')} like it`}`,
        ),
      ];

const tallied = (counts: Readonly<Record<Did, number>>): string =>
  dids
    .filter((did) => counts[did] > 0 || did === 'denied')
    .map((did) => `${did} ${counts[did]}`)
    .join(', ');

const inAll = (counts: Readonly<Record<string, number>>): string => {
  const parts = Object.entries(counts).map(([name, one]) => `${name} ${one}`);
  return parts.length === 0 ? '' : `  (${parts.join(', ')})`;
};

/** A place in a file: a line as editors write it, a call as `hookmachine explain` does. */
function placeOf({ file, ...place }: Pick<Example, 'file' | 'line' | 'call' | 'message'>): string {
  const home = homedir();
  const full = resolve(file);
  const short = full.startsWith(`${home}/`) ? `~${full.slice(home.length)}` : full;
  const { line, call, message } = place;
  if (line !== undefined) return `${short}:${line}`;
  if (call !== undefined) return `${short} #${call}`;
  return message === undefined ? short : `${short} message ${message}`;
}

function ms(duration: number): string {
  if (duration < 1) return `${duration.toFixed(1)} ms`;
  if (duration < 1_000) return `${Math.round(duration)} ms`;
  if (duration < 120_000) return `${(duration / 1_000).toFixed(1)} s`;
  return `${Math.round(duration / 60_000)} min`;
}
