import { hosts } from '../../hosts/all/hosts.ts';
import { ownCalls } from '../../hosts/install/relay-call.ts';
import { homeFolder } from '../../settings/files/levels.ts';
import { reportedInSession } from '../../settings/files/reported-in-session.ts';
import { environment } from '../../base/surroundings.ts';
import { lookAtEntries } from '../../workbench/doctor/look-at-entries.ts';

/**
 * Returns what the user should know at the start of a session: which agents have entries of ours that do not
 * run, here or for all projects. Each thing is said once.
 */
export async function brokenEntries(cwd: string): Promise<string | undefined> {
  const site = { cwd, home: homeFolder() ?? '', env: environment() };
  const callFor = ownCalls(site, process.argv[1] ?? '');
  const looked = await Promise.all(hosts.map((host) => lookAtEntries(host, { ...site, callFor })));
  const broken = looked
    .filter(({ scopes }) => scopes.length > 0)
    .flatMap(({ findings }) => findings)
    .filter(({ level, message }) => level === 'off' && !reportedInSession('entries', message));
  const [first, ...others] = broken;
  if (first === undefined) return undefined;
  const more = others.length === 0 ? '' : ` (and ${others.length} more: hookmachine doctor)`;
  return `hookmachine: ${first.message}${first.fix === undefined ? '' : ` – ${first.fix}`}${more}`;
}
