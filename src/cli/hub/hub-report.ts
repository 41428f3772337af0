import type { Command } from 'commander';
import type { FleetMachine, FleetReport } from '../../hub/fleet.ts';
import { stateOf } from '../../hub/machines-page.ts';
import { shownSummary } from '../audit/audit.ts';
import { countOf, databaseUrl, reported } from '../parts/durable-options.ts';
import { print } from '../parts/print.ts';
import { printable, printableJson } from '../parts/printable.ts';

interface ReportOptions {
  readonly days?: string;
  readonly json?: true;
}

/** `hookmachine hub report`: what all machines run, and what was denied and failed there. */
export function addReport(hub: Command): void {
  hub
    .command('report')
    .description('say what all machines run, which guards fail there, and what was denied')
    .option('--days <n>', 'how far back audit logs are read (default: 7)')
    .option('--json', 'as one JSON object')
    .action(({ days, json }: ReportOptions) =>
      reported(async () => {
        const { fleetReport, withFleet } = await import('../../hub/fleet.ts');
        const back = countOf('--days', days) ?? 7;
        const report = await withFleet(databaseUrl(), (database) => fleetReport(database, back));
        print(json ? `${printableJson(report, 2)}\n` : printable(shown(report)));
      }),
    );
}

const shown = ({ machines, audit }: FleetReport): string =>
  `${machines.map(shownMachine).join('') || 'no machine was invited\n'}\n${shownSummary(audit)}\n`;

function shownMachine(machine: FleetMachine): string {
  const { name, version, seenAt, reportedAt, agents, policies } = machine;
  const seen = seenAt === undefined ? 'never seen' : `last seen at ${seenAt.toISOString()}`;
  return [
    `${name}  ${stateOf(machine)}, hookmachine ${version ?? 'unknown'}, ${seen}${reportedAt === undefined ? ', has never reported' : ''}`,
    ...policies.map((policy) => `  policy ${policy}`),
    ...agents.flatMap(({ agent, version: release, lastSeen, findings }) => [
      `  ${agent} ${release ?? '(not on the PATH)'}, ${lastSeen === undefined ? 'never called its guards' : `called its guards at ${lastSeen}`}`,
      ...findings.map(({ level, message }) => `    ${level}: ${message}`),
    ]),
    '',
  ].join('\n');
}
