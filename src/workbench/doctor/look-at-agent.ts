import { connect } from 'node:net';
import type { Dialect, Host } from '../../core/dialects/dialect.ts';
import type { Installation, RelayCall } from '../../core/dialects/installation.ts';
import { isFolder } from '../../base/folders.ts';
import { findProgram, ownFolders } from '../../base/programs.ts';
import { type Cost, lastSeen } from '../../hosts/relay/last-seen.ts';
import { relayInCommand, tokenVariable } from '../../hosts/parts/relay-entry.ts';
import { wholeSample } from '../matrix/sample-stdin.ts';
import type { Entries, EntryCommand } from './entries.ts';
import type { Finding } from './finding.ts';
import { type EntriesSite, lookAtEntries } from './look-at-entries.ts';
import { startCommand } from './start-command.ts';
import { versionOf } from './version-of.ts';

/** What the doctor needs to know of the place that it looks at. */
export interface DoctorSite extends EntriesSite {
  /** The user trusts the project, so that commands in its files may be started. */
  readonly isTrusted: boolean;
}

/** An agent, and what was found about its guards. */
export interface AgentReport {
  readonly agent: string;
  readonly title: string;
  /** Undefined if its program is not on the PATH. */
  readonly version: string | undefined;
  /** When it last called its relay, as in ISO 8601. */
  readonly lastSeen: string | undefined;
  /** What its last events cost; undefined if none is known. */
  readonly cost: EventCost | undefined;
  readonly findings: readonly Finding[];
}

/** What events cost, at the median, in ms. */
export interface EventCost {
  readonly events: number;
  /** How many of them a process judged that was there already. */
  readonly warm: number;
  readonly hooks: number;
  /** What the relay itself took. */
  readonly relay: number;
}

const median = (values: readonly number[]): number =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)]!;

function costOf(recent: readonly Cost[] = []): EventCost | undefined {
  if (recent.length === 0) return undefined;
  return {
    events: recent.length,
    warm: recent.filter(({ isWarm }) => isWarm).length,
    hooks: median(recent.map(({ hooks }) => hooks)),
    relay: median(recent.map(({ ms, hooks }) => Math.max(0, ms - hooks))),
  };
}

/** The program of an agent; undefined if it is not on the PATH. */
export const programOf = ({ programs }: Pick<Installation, 'programs'>): string | undefined =>
  programs.map((name) => findProgram(name, ownFolders())).find((file) => file !== undefined);

/** Looks at an agent; undefined if it is neither installed nor has entries of ours. */
export async function lookAtAgent(host: Host, site: DoctorSite): Promise<AgentReport | undefined> {
  const [installation, { title }] = await Promise.all([host.install(), host.speak()]);
  const program = programOf(installation);
  const { name } = host;
  const { scopes, findings: ofEntries } = await lookAtEntries(host, site);
  const plugin = installation.pluginFolder?.(site);
  const hasPlugin = plugin !== undefined && isFolder(plugin);
  if (program === undefined && scopes.length === 0 && !hasPlugin) return undefined;
  const seen = lastSeen(name);
  const about = { agent: name };
  const findings: Finding[] = [...ofEntries];
  findings.push(...waysIn(name, title, scopes, hasPlugin ? plugin : undefined));
  for (const one of scopes) {
    const own = site.callFor(name, one.scope, installation);
    findings.push(...(await startAll(host, one, own, site)));
  }
  if ((scopes.length > 0 || hasPlugin) && seen === undefined)
    findings.push({
      ...about,
      code: 'never-seen',
      level: 'warning',
      message: `no event of ${title} was ever seen on this machine`,
      fix: `${installation.after(scopes[0]?.scope ?? 'user')[0] ?? `start ${title} anew`}; then let it use a tool`,
    });
  const version = program === undefined ? undefined : await versionOf(program);
  if (program !== undefined && version === undefined)
    findings.push({
      ...about,
      code: 'version-unknown',
      level: 'warning',
      message: `${program} --version says nothing`,
      fix: `install ${title} again`,
    });
  if (version !== undefined && isNewer(version, installation.measured))
    findings.push({
      ...about,
      code: 'version-newer',
      level: 'warning',
      message: `${title} ${version} is newer than ${installation.measured}, for which docs/hosts.md says what it obeys`,
      fix: 'hookmachine doctor --live lets it make a call that must be denied',
    });
  return {
    agent: name,
    title,
    version,
    lastSeen: seen?.at,
    cost: costOf(seen?.recent),
    findings,
  };
}

/** What is wrong with the ways in which an agent calls us: its entries, and the folder of its plugin. */
function waysIn(
  agent: string,
  title: string,
  scopes: readonly Entries[],
  plugin: string | undefined,
): Finding[] {
  if (plugin !== undefined && scopes.length > 0)
    return [
      {
        agent,
        code: 'entries-twice',
        level: 'warning',
        message: `${title} has the plugin in ${plugin} and entries of its own, so hooks run twice`,
        fix: `hookmachine uninstall ${agent} --scope ${scopes[0]!.scope}`,
      },
    ];
  if (plugin !== undefined || scopes.length > 0) return [];
  return [
    {
      agent,
      code: 'no-entries',
      level: 'off',
      message: `${title} does not call hookmachine, here or for all projects`,
      fix: `hookmachine install ${agent} --scope user`,
    },
  ];
}

const partsOf = (text: string): readonly number[] =>
  (/\d+(?:\.\d+)+/.exec(text)?.[0] ?? '0').split('.').map(Number);

/** Whether a version is newer than the one that was measured, by more than corrections. */
function isNewer(version: string, measured: string | undefined): boolean {
  if (measured === undefined) return false;
  const [[major = 0, minor = 0], [knownMajor = 0, knownMinor = 0]] = [version, measured].map(
    partsOf,
  ) as [readonly number[], readonly number[]];
  return major > knownMajor || (major === knownMajor && minor > knownMinor);
}

/** Starts the commands of entries, each once, and asks for the servers that they post to. */
async function startAll(
  host: Host,
  { scope, files, commands, ports }: Entries,
  own: RelayCall | undefined,
  site: DoctorSite,
): Promise<Finding[]> {
  const about = { agent: host.name, ...(files[0] !== undefined && { file: files[0] }) };
  const calls = new Map(commands.map((one) => [one.command, one]));
  const found: Finding[] = [];
  for (const one of calls.values()) {
    const isOurs =
      scope === 'user' ||
      site.isTrusted ||
      one.command === own?.() ||
      one.command === own?.(one.event);
    if (relayInCommand(one.command) !== 'whole' || !isOurs) {
      found.push({
        ...about,
        code: 'command-foreign',
        level: 'warning',
        message: `a command of the project calls the relay in a way of its own, and was not started: ${one.command}`,
        fix: 'look at it, then trust the project (hookmachine trust) or install the entries again',
      });
      continue;
    }
    const fault = await startCommand(one.command, await harmless(host, one, site.cwd), site.cwd);
    if (fault !== undefined) found.push({ ...about, ...fault });
  }
  for (const port of new Set(ports)) {
    if (!(await answers(port)))
      found.push({
        ...about,
        code: 'serve-down',
        level: 'off',
        message: `nothing answers at port ${port}, to which the entries post`,
        fix: 'start hookmachine serve, or install the entries without --via http',
      });
    if (!site.env[tokenVariable])
      found.push({
        ...about,
        code: 'token-missing',
        level: 'warning',
        message: `${tokenVariable} is not in this environment, and so perhaps not in the agent's`,
        fix: `start the agent with ${tokenVariable} in its environment, as hookmachine serve says`,
      });
  }
  return found;
}

const isDialect = (host: Host | Dialect): host is Host & Dialect => 'find' in host;

/** An event of the host in which nothing would be done. */
async function harmless(
  host: Host,
  { event }: EntryCommand,
  cwd: string,
): Promise<Readonly<Record<string, unknown>>> {
  const name =
    event !== undefined && Object.hasOwn(host.events, event) ? event : Object.keys(host.events)[0]!;
  const fields = isDialect(host) ? await wholeSample(host, name, cwd) : {};
  const text = JSON.stringify({ session_id: 'doctor', cwd, hook_event_name: name, ...fields });
  return JSON.parse(text.replaceAll('rm -rf /', 'true')) as Readonly<Record<string, unknown>>;
}

const answers = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', timeout: 2_000 });
    const end = (is: boolean) => (): void => {
      socket.destroy();
      resolve(is);
    };
    socket.on('connect', end(true)).on('error', end(false)).on('timeout', end(false));
  });
