import type { Host } from '../../core/dialects/dialect.ts';
import { hosts } from '../../hosts/all/hosts.ts';
import type { Scope } from '../../core/dialects/installation.ts';
import { relayInCommand } from '../../hosts/parts/relay-entry.ts';
import { isRecord } from '../../base/json.ts';
import { hasAdministrator, homeFolder } from '../../settings/files/levels.ts';
import { parseJson } from '../../settings/files/parse-json.ts';
import { textIn } from '../../settings/files/read-bounded.ts';
import { folderTrust } from '../../hosts/relay/folder-trust.ts';
import { currentFolder, environment } from '../../base/surroundings.ts';

type Fields = Readonly<Record<string, unknown>>;

/**
 * Returns the host that really called this host's relay: some hosts also run the hooks in another host's
 * files.
 */
export const callingHost = (host: Host, given: Fields): Host =>
  hosts.find((one) => one.givesHooksOf?.(host.name, given, environment()) === true) ?? host;

/**
 * Whether a host that calls another host's relay also calls its own for this event, so that the hooks run
 * once. A project's file counts only if the user trusts the project: it must not silence the user's hooks.
 * Nor may a user's file silence an administrator's: if there are administrator's settings, the hooks run each
 * time.
 */
export async function callsOwnRelay(
  host: Host,
  { hook_event_name: event }: Fields,
  trust: true | undefined,
): Promise<boolean> {
  if (hasAdministrator()) return false;
  const installation = await host.install();
  if (installation.kind !== 'entries') return false;
  const cwd = currentFolder();
  const home = homeFolder();
  const site = { cwd, home: home ?? '', env: environment() };
  const events = namesOf(host, event);
  const holds = (scope: Scope): boolean =>
    holdsCall(installation.file(scope, site), host.name, events);
  if (home !== undefined && holds('user')) return true;
  return holds('project') && folderTrust(cwd, trust).isTrustedFolder();
}

/** All names that a host has for an event. */
const namesOf = ({ events }: Host, event: unknown): readonly string[] =>
  typeof event === 'string' && Object.hasOwn(events, event)
    ? Object.keys(events).filter((name) => events[name] === events[event])
    : [];

/** Whether a JSON file makes a host call its relay for one of these events. */
function holdsCall(file: string, host: string, events: readonly string[]): boolean {
  try {
    const parsed = parseJson(textIn(file) ?? '');
    const hooks = 'value' in parsed && isRecord(parsed.value) ? parsed.value['hooks'] : undefined;
    if (!isRecord(hooks)) return false;
    return events.some((event) => textsOf(hooks[event]).some((text) => calls(text, host)));
  } catch {
    return false;
  }
}

const calls = (command: string, host: string): boolean =>
  relayInCommand(command) === 'whole' && command.split(/\s+/).includes(host);

function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsOf) : [];
}
