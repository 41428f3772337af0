import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import { presentDialects } from '../../hosts/all/known.ts';
import { hosts } from '../../hosts/all/hosts.ts';
import { changesFile, changesFor } from '../../hosts/install/change.ts';
import { ownCalls, relayCall } from '../../hosts/install/relay-call.ts';
import { homeFolder } from '../../settings/files/levels.ts';
import { isFolderTrusted } from '../../settings/trust/trusted-folder.ts';
import { entriesOf } from '../../workbench/doctor/entries.ts';
import type { CanaryReport } from '../../workbench/doctor/live/canary.ts';
import type { Finding } from '../../workbench/doctor/finding.ts';
import {
  lookAtAgent,
  type AgentReport,
  type EventCost,
  type DoctorSite,
  programOf,
} from '../../workbench/doctor/look-at-agent.ts';
import { lookAtProject } from '../../workbench/doctor/look-at-project.ts';
import { type Colours, painted } from '../parts/paint.ts';
import { printable, printableJson } from '../parts/printable.ts';
import { projectFolder } from '../parts/project-folder.ts';

interface Options {
  readonly cwd: string;
  readonly json?: true;
  readonly fix?: true;
  readonly live?: true;
}

/** `hookmachine doctor`: whether the agents of this machine really call their guards. */
export function addDoctor(program: Command): void {
  program
    .command('doctor')
    .description('look whether every agent on this machine really calls its guards')
    .option('--cwd <dir>', 'the project folder', process.cwd())
    .option('--json', 'print JSON')
    .option('--fix', 'write the entries that are missing beside others of ours')
    .option(
      '--live',
      'have each agent make one call that must be denied, with a model of ours on this machine',
    )
    .addHelpText(
      'after',
      `
The commands of the entries are started as the agents start them, with a harmless event; your hooks see it.
The exit status is 0 if all is well, 1 if something may go wrong, and 2 if guards do not run.`,
    )
    .action(doctor);
}

async function doctor({ cwd, json, fix, live }: Options): Promise<void> {
  const folder = projectFolder(cwd);
  const site = siteOf(folder);
  if (fix) await addMissing(site);
  // First, since agents are then seen.
  const canaries = live ? await runCanaries(site) : [];
  const agents = await agentsAt(site);
  const project = await lookAtProject(folder, presentDialects);
  const findings = [...agents, ...canaries].flatMap((one) => one.findings).concat(project);
  process.exitCode = findings.some(({ level }) => level === 'off')
    ? 2
    : findings.some(({ level }) => level === 'warning')
      ? 1
      : 0;
  process.stdout.write(
    json
      ? `${printableJson({ project: folder, agents, ...(live && { canaries }), findings })}\n`
      : painted(printable(textOf(folder, agents, canaries, project)), colours),
  );
}

/**
 * Runs a canary in each agent that is installed, one after the other: each is a whole agent. What a project brings
 * along does not count before the user trusts it, so agents run elsewhere then.
 */
async function runCanaries({ cwd, isTrusted }: DoctorSite): Promise<readonly CanaryReport[]> {
  const { runCanary } = await import('../../workbench/doctor/live/canary.ts');
  const folder = isTrusted ? cwd : mkdtempSync(join(tmpdir(), 'hookmachine-doctor-'));
  const reports: CanaryReport[] = [];
  try {
    for (const host of hosts) {
      const [installation, { title }] = await Promise.all([host.install(), host.speak()]);
      const program = programOf(installation);
      const report =
        program === undefined ? undefined : await runCanary(host.name, title, program, folder);
      if (report !== undefined) reports.push(report);
    }
  } finally {
    if (!isTrusted) rmSync(folder, { recursive: true, force: true });
  }
  return reports;
}

/** Looks at every agent of this machine. */
export async function agentsAt(site: DoctorSite): Promise<readonly AgentReport[]> {
  const looked = await Promise.all(hosts.map((host) => lookAtAgent(host, site)));
  return looked.filter((one) => one !== undefined);
}

/** The place that the doctor looks at, for a project. */
export function siteOf(cwd: string): DoctorSite {
  const site = { cwd, home: homeFolder() ?? '', env: process.env };
  const callFor = ownCalls(site, process.argv[1] ?? '');
  return { ...site, isTrusted: isFolderTrusted(cwd), callFor };
}

/** Adds missing entries in files that hold others of ours. */
async function addMissing(site: DoctorSite): Promise<void> {
  for (const host of hosts) {
    const [installation, { title }] = await Promise.all([host.install(), host.speak()]);
    for (const scope of ['user', 'project'] as const) {
      const call = site.callFor(host.name, scope, installation);
      if (call === undefined) continue;
      const order = { installation, title, scope, site, call };
      const [there] = entriesOf({ name: host.name, ...order })?.commands ?? [];
      if (there === undefined) continue;
      // As the other entries call it, which may be otherwise than this process was started.
      const as = relayCall({ command: there.command.split(' relay ')[0]! }, host.name);
      for (const change of changesFor('install', { ...order, call: as }))
        if (changesFile(change) && !change.differs) change.carryOut();
    }
  }
}

const colours: Colours = [
  [/^ {2}OFF/, 'red'],
  [/^ {2}warning/, 'yellow'],
  [/^ {2}(?:fine|live)/, 'green'],
  [/^\S/, 'bold'],
];

const words = { off: 'OFF     ', warning: 'warning ' } as const;

function textOf(
  folder: string,
  agents: readonly AgentReport[],
  canaries: readonly CanaryReport[],
  project: readonly Finding[],
): string {
  const lines = agents.flatMap(({ agent, title, version, lastSeen, cost, findings }) => [
    `${title} ${version ?? '(its program is not on the PATH)'}, ${lastSeen === undefined ? 'never seen' : `last seen ${lastSeen}`}`,
    ...(cost === undefined ? [] : [costLine(cost)]),
    ...canaries
      .filter((one) => one.agent === agent)
      .flatMap((one) =>
        one.isDenied
          ? ['  live    it asked about a call, and obeyed the denial']
          : one.findings.map(lineOf),
      ),
    ...(findings.length === 0 ? ['  fine    it calls hookmachine'] : findings.map(lineOf)),
  ]);
  return `${[
    ...(agents.length === 0 ? ['No agent was found on this machine.'] : lines),
    folder,
    ...(project.length === 0 ? ['  fine    its hooks run'] : project.map(lineOf)),
  ].join('\n')}\n`;
}

/** What an event costs its user. */
const costLine = ({ events, warm, hooks, relay }: EventCost): string =>
  `  cost    ${relay} ms an event for the relay and ${hooks} ms for the slowest hook (the median of ${events}; ${warm} warm)`;

const lineOf = ({ level, message, fix }: Finding): string =>
  `  ${words[level]}${message}${fix === undefined ? '' : ` – ${fix}`}`;
