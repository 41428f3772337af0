import { hookPointOf, type HookEventName } from '../../core/points/hook-points.ts';
import type { ComparedRow, Comparison } from '../../workbench/matrix/compare.ts';
import type { Outcome, Wish } from '../../workbench/matrix/outcome.ts';
import { printable } from '../parts/printable.ts';

interface Report extends Comparison {
  readonly script: string;
  readonly event: HookEventName;
  readonly input: object;
}

/** Returns the outcomes of a script in all dialects as a readable table. */
export function matrixTable({ script, event, input, rows, same, ways }: Report): string {
  const heading = `${script} at ${event}, given ${shortened(JSON.stringify(input), 100)}`;
  const cells = rows.map((row) => [
    placeOf(row),
    `${inWords(row.host, event)}${row.ignored ? `, and loses the ${row.ignored.what}` : ''}`,
    inWords(row.here, event),
  ]);
  const table = columns([['as a hook of', 'its host', 'here'], ...cells]);
  const details = rows.flatMap((row) => {
    const lines = detailsOf(row);
    return lines.length === 0 ? [] : ['', placeOf(row), ...lines.map((line) => `  ${line}`)];
  });
  const common = ways.map(
    ({ wish, words, except }) =>
      `To ${verbs[wish]} everywhere${except.length > 0 ? ` except in ${except.join(', ')}` : ''}: ${words}.`,
  );
  const verdict = same
    ? 'It means the same in all of them.'
    : 'It does not mean the same in all of them.';
  return [heading, '', ...table, ...details, '', verdict, ...common, ''].map(printable).join('\n');
}

const placeOf = ({ dialect, event }: ComparedRow): string => `${dialect} ${event}`;

function detailsOf({ notes, error, exitCode, signal, changes }: ComparedRow): string[] {
  const said = signal ?? exitCode;
  return [
    ...(error === undefined ? [] : [`failed (${String(said)}): ${error}`]),
    ...notes,
    ...changes.map(({ wish, fix }) =>
      fix === undefined ? `has no way to ${verbs[wish]} here` : `to ${verbs[wish]} here: ${fix}`,
    ),
  ];
}

const verbs: Readonly<Record<Wish, string>> = {
  deny: 'deny',
  ask: 'have the user asked',
  defer: 'defer the call',
  stop: 'stop the agent',
  change: 'change it',
  context: 'give context',
  'follow-up': 'ask the agent to continue',
};

const afterColon = (given: string | undefined): string =>
  given === undefined || given === '' ? '' : `: ${JSON.stringify(shortened(given, 40))}`;

/** An outcome in a few words. */
function inWords(outcome: Outcome, event: HookEventName): string {
  const { decision, reason, stop, stopReason, changes = {}, context, message, followUps } = outcome;
  const parts = [
    ...(decision === 'none' ? [] : [`${decided(decision, event)}${afterColon(reason)}`]),
    ...(stop ? [`stops${afterColon(stopReason)}`] : []),
    ...Object.entries(changes).map(
      ([slot, value]) => `changes ${slot}: ${shortened(JSON.stringify(value), 60)}`,
    ),
    ...(context === undefined ? [] : [`takes context${afterColon(context)}`]),
    ...(message === undefined ? [] : [`shows a message${afterColon(message)}`]),
    ...(followUps ? [`asks the agent to continue${afterColon(followUps.join(' '))}`] : []),
  ];
  const continues = decision === 'none' && !stop && !followUps;
  return [...(continues ? ['goes on'] : []), ...parts].join(', ');
}

function decided(decision: Exclude<Outcome['decision'], 'none'>, event: HookEventName): string {
  if (decision !== 'deny') return { ask: 'asks', defer: 'defers it', allow: 'approves' }[decision];
  const { denial } = hookPointOf(event);
  return {
    prevents: 'denies',
    'sends on': 'asks the agent to continue',
    tells: 'tells the reason',
    'is reported': 'reports a denial',
  }[denial];
}

const shortened = (text: string, most: number): string =>
  text.length > most ? `${text.slice(0, most)}…` : text;

function columns(lines: readonly (readonly string[])[]): string[] {
  const widths = [0, 1].map((at) => Math.max(...lines.map((line) => line[at]!.length)));
  return lines.map((line) =>
    line
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}
