import { printable } from '../../base/visible.ts';
import { type Colours, painted } from '../parts/paint.ts';
import type { fireReport } from '../../hosts/relay/fire-report.ts';
import { diffOfValues } from '../../workbench/parts/value-diff.ts';
import type { HookReason } from './why-hooks.ts';

type Fields = Readonly<Record<string, unknown>>;
type Report = Awaited<ReturnType<typeof fireReport>>;

/** Returns what `fire` shows on a terminal; `fields` are the event's, before any hook ran. */
export function readable(
  name: string,
  fields: Fields,
  report: Report,
  why?: readonly HookReason[],
): string {
  const { decision, reason, stop, stopReason, followUps, hooks, conflicts } = report;
  const lines = [
    `${name}: ${words[decision as keyof typeof words]}${stop ? '; the agent is stopped' : ''}`,
    ...labelled('reason', reason),
    ...labelled('stop', stopReason),
    ...labelled('context', report.additionalContext),
    ...labelled('message', report.systemMessage),
    ...followUps.flatMap((text) => labelled('then', text)),
    ...changesOf(fields, report),
    ...conflicts.map(
      ({ field, hooks: several, winner }) =>
        `  conflict ${several.join(' and ')} set ${field}: the value of ${winner} wins`,
    ),
    '',
    ...(why ? why.map(reasonLine) : hooks.length === 0 ? ['No hook ran.'] : []),
    ...(why && hooks.length > 0 ? [''] : []),
    ...hooks.flatMap(hookLines),
  ];
  const text = lines.map((line) => printable(line)).join('\n');
  return painted(`${text.trimEnd()}\n`, coloursOf(name, decision));
}

const coloursOf = (name: string, decision: string): Colours => [
  ...(decision === 'none' ? [] : [[startOf(name), styles[decision] ?? 'yellow'] as const]),
  [/^✓/, 'green'],
  [/^✗/, 'red'],
];

const styles: Readonly<Record<string, 'red' | 'green'>> = { deny: 'red', allow: 'green' };

const startOf = (name: string): RegExp =>
  new RegExp(`^${name.replaceAll(/\W/g, String.raw`\$&`)}: `);

const words = {
  none: 'goes on; no hook decided anything',
  allow: 'allowed',
  ask: 'the user must be asked',
  defer: 'deferred until someone has answered',
  deny: 'denied',
} as const;

const labelled = (what: string, text: string | null): string[] =>
  text === null || text === ''
    ? []
    : text.split('\n').map((line, at) => `  ${(at === 0 ? what : '').padEnd(8)} ${line}`);

/** The values that hooks changed, as diffs. */
function changesOf(fields: Fields, report: Report): string[] {
  const changes = [
    ['tool_input', report.toolInput],
    ['tool_response', report.toolOutput],
    ['llm_request', report.llmRequest],
    ['llm_response', report.llmResponse],
    ['toolConfig', report.toolConfig],
  ] as const;
  return changes.flatMap(([slot, value]) =>
    value === null
      ? []
      : [`  changed  ${slot}`, ...diffOfValues(fields[slot], value).map((line) => `    ${line}`)],
  );
}

function hookLines(hook: Report['hooks'][number]): string[] {
  const { command, name = command, dialect, source, timedOut, durationMs } = hook;
  const end = timedOut
    ? 'timed out'
    : hook.signal === undefined
      ? `exit ${hook.exitCode}`
      : `ended by ${hook.signal}`;
  return [
    `${hook.success ? '✓' : '✗'} ${firstLine(name)}  (${dialect}, ${source})  ${end}, ${durationMs} ms`,
    ...labelled('error', hook.error ?? null),
    ...labelled('stderr', hook.stderr ?? null),
    ...(hook.notes ?? []).flatMap((note) => labelled('note', note)),
  ];
}

const reasonLine = ({ hook, ran, why }: HookReason): string =>
  `${ran ? '•' : '-'} ${firstLine(hook)}: ${why}`;

/** A hook's name may be a whole script. */
function firstLine(name: string): string {
  const [line = ''] = name.split('\n');
  return line.length > 80 || line !== name ? `${line.slice(0, 80)}…` : line;
}
