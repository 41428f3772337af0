import { isDeepStrictEqual } from 'node:util';
import type { Host } from '../../core/dialects/dialect.ts';
import type {
  Installation,
  InstallSite,
  OffSwitch,
  RelayCall,
  Scope,
} from '../../core/dialects/installation.ts';
import { valueIn } from '../../hosts/install/value-in.ts';
import { entriesOf, type Entries } from './entries.ts';
import type { Finding } from './finding.ts';

/** A place, and how entries there would call our relay. */
export interface EntriesSite extends InstallSite {
  /** Returns how a host's entries call our relay. */
  readonly callFor: (
    host: string,
    scope: Scope,
    installation: Installation,
  ) => RelayCall | undefined;
}

/** A host's entries of ours, and what is wrong with them. */
export interface LookedAt {
  readonly scopes: readonly Entries[];
  readonly findings: readonly Finding[];
}

/** Looks at a host's entries of ours, and at what keeps it from running them; nothing is started. */
export async function lookAtEntries(host: Host, site: EntriesSite): Promise<LookedAt> {
  const { name } = host;
  const [installation, { title }] = await Promise.all([host.install(), host.speak()]);
  const found = (['user', 'project'] as const).flatMap((scope): Entries[] => {
    const call = site.callFor(name, scope, installation);
    if (call === undefined || (scope === 'user' && site.home === '')) return [];
    const entries = entriesOf({ name, title, installation, scope, site, call });
    return entries === undefined ? [] : [entries];
  });
  // Some hosts have only one place, for all projects.
  const scopes = found.filter(
    ({ files }, index) =>
      index === 0 || files.length === 0 || !isDeepStrictEqual(files, found[0]!.files),
  );
  const findings = scopes.flatMap((one) => one.findings);
  if (scopes.length > 1 && scopes.every(({ files }) => files.length > 0))
    findings.push({
      agent: name,
      code: 'entries-twice',
      level: 'warning',
      message: `entries are in ${scopes.flatMap(({ files }) => files).join(' and ')}, so hooks run twice`,
      fix: `hookmachine uninstall ${name} --scope project`,
    });
  findings.push(...switchedOff(installation.switches ?? [], site, name, title));
  for (const one of scopes) findings.push(...doubtsOf(installation, one, site, name, title));
  return { scopes, findings };
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
            fix: `have hookmachine run it instead: hookmachine migrate --from ${agent} --to hookmachine`,
          } as const,
        ]),
  ];
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
      if (valueIn(file, path) !== off) return [];
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
