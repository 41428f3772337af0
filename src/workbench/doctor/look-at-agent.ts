import { connect } from 'node:net';
import { parse as parseToml } from 'smol-toml';
import type { Dialect, Host } from '../../core/dialects/dialect.ts';
import type {
  Installation,
  InstallSite,
  OffSwitch,
  RelayCall,
  Scope,
} from '../../core/dialects/installation.ts';
import { isRecord } from '../../base/json.ts';
import { findProgram, ownFolders } from '../../base/programs.ts';
import { lastSeen } from '../../hosts/relay/last-seen.ts';
import { relayInCommand, tokenVariable } from '../../hosts/parts/relay-entry.ts';
import { parseJson } from '../../settings/files/parse-json.ts';
import { textIn } from '../../settings/files/read-bounded.ts';
import { sampleStdin } from '../matrix/sample-stdin.ts';
import { entriesOf, type Entries, type EntryCommand } from './entries.ts';
import type { Finding } from './finding.ts';
import { startCommand } from './start-command.ts';
import { versionOf } from './version-of.ts';

/** What the doctor needs to know of the place that it looks at. */
export interface DoctorSite extends InstallSite {
  /** Returns how a host's entries call our relay. */
  readonly callFor: (
    host: string,
    scope: Scope,
    installation: Installation,
  ) => RelayCall | undefined;
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
  readonly findings: readonly Finding[];
}

/** Looks at an agent; undefined if it is neither installed nor has entries of ours. */
export async function lookAtAgent(host: Host, site: DoctorSite): Promise<AgentReport | undefined> {
  const [installation, { title }] = await Promise.all([host.install(), host.speak()]);
  const program = installation.programs
    .map((name) => findProgram(name, ownFolders()))
    .find((file) => file !== undefined);
  const { name } = host;
  const scopes = (['user', 'project'] as const).flatMap((scope): Entries[] => {
    const call = site.callFor(name, scope, installation);
    if (call === undefined || (scope === 'user' && site.home === '')) return [];
    const found = entriesOf({ name, title, installation, scope, site, call });
    return found === undefined ? [] : [found];
  });
  if (program === undefined && scopes.length === 0) return undefined;
  const seen = lastSeen(name);
  const about = { agent: name };
  const findings: Finding[] = scopes.flatMap((one) => one.findings);
  if (scopes.length === 0)
    findings.push({
      ...about,
      code: 'no-entries',
      level: 'off',
      message: `${title} does not call hookmachine, here or for all projects`,
      fix: `hookmachine install ${name} --scope user`,
    });
  if (scopes.length > 1 && scopes.every(({ files }) => files.length > 0))
    findings.push({
      ...about,
      code: 'entries-twice',
      level: 'warning',
      message: `entries are in ${scopes.flatMap(({ files }) => files).join(' and ')}, so hooks run twice`,
      fix: `hookmachine uninstall ${name} --scope project`,
    });
  findings.push(...switchedOff(installation.switches ?? [], site, name, title));
  for (const one of scopes) findings.push(...doubtsOf(installation, one, site, name, title));
  for (const one of scopes) {
    const own = site.callFor(name, one.scope, installation);
    findings.push(...(await startAll(host, one, own, site)));
  }
  if (scopes.length > 0 && seen === undefined)
    findings.push({
      ...about,
      code: 'never-seen',
      level: 'warning',
      message: `no event of ${title} was ever seen on this machine`,
      fix: `${installation.after(scopes[0]!.scope)[0] ?? `start ${title} anew`}; then let it use a tool`,
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
  return { agent: name, title, version, lastSeen: seen?.at, findings };
}

/** What the host itself says of its entries, and who else has hooks that can undo ours. */
function doubtsOf(
  { ownDoubts, undoneAt = [] }: Installation,
  { scope, files, others }: Entries,
  site: InstallSite,
  agent: string,
  title: string,
): Finding[] {
  const undone = undoneAt.find((event) => others.includes(event));
  return [
    ...(ownDoubts?.(scope, site) ?? []).map((doubt): Finding => ({
      level: 'off',
      agent,
      ...doubt,
    })),
    ...(undone === undefined
      ? []
      : [
          {
            code: 'other-hook',
            level: 'warning',
            agent,
            ...(files[0] !== undefined && { file: files[0] }),
            message: `another hook of ${title} answers ${undone} too, and can undo a denial there`,
            fix: `have hookmachine run it instead: hookmachine migrate ${agent}`,
          } as const,
        ]),
  ];
}

/** Whether a version is newer than the one that was measured, by more than corrections. */
function isNewer(version: string, measured: string | undefined): boolean {
  if (measured === undefined) return false;
  const partsOf = (text: string): readonly number[] =>
    (/\d+(?:\.\d+)+/.exec(text)?.[0] ?? '0').split('.').map(Number);
  const [[major = 0, minor = 0], [knownMajor = 0, knownMinor = 0]] = [version, measured].map(
    partsOf,
  ) as [readonly number[], readonly number[]];
  return major > knownMajor || (major === knownMajor && minor > knownMinor);
}

/** Reads the switches with which a host turns all hooks off. */
const switchedOff = (
  switches: readonly OffSwitch[],
  site: InstallSite,
  agent: string,
  title: string,
): Finding[] =>
  switches.flatMap(({ files, path, off }) =>
    files(site).flatMap((file): Finding[] => {
      const value = path.reduce<unknown>(
        (at, key) => (isRecord(at) ? at[key] : undefined),
        valueIn(file),
      );
      if (value !== off) return [];
      return [
        {
          code: 'hooks-off',
          level: 'off',
          agent,
          file,
          message: `${path.join('.')} is ${off} in ${file}, so ${title} runs no hooks`,
          fix: `remove ${path.join('.')} there`,
        },
      ];
    }),
  );

function valueIn(file: string): unknown {
  try {
    const text = textIn(file) ?? '';
    if (file.endsWith('.toml')) return parseToml(text);
    const parsed = parseJson(text);
    return 'value' in parsed ? parsed.value : undefined;
  } catch {
    return undefined;
  }
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
  const fields = isDialect(host) ? await sampleStdin(host, name, cwd) : {};
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
