import { isRecord } from '../../base/json.ts';
import type {
  EventEntry,
  Installation,
  InstallSite,
  RelayCall,
  Scope,
} from '../../core/dialects/installation.ts';
import { changesFile, changesFor, type FileChange } from '../../hosts/install/change.ts';
import { toml } from '../../hosts/table/toml.ts';
import { relayInCommand, servePortIn } from '../../hosts/parts/relay-entry.ts';
import { isHookmachineError } from '../../base/errors.ts';
import { parseJson } from '../../settings/files/parse-json.ts';
import { textIn } from '../../settings/files/read-bounded.ts';
import type { Finding } from './finding.ts';

/** A command of an entry, and an event that it is for. */
export interface EntryCommand {
  readonly command: string;
  readonly event: string | undefined;
  /** How long the agent waits for it, as the entry says it. */
  readonly timeout: number | undefined;
}

/** The entries of one scope, as they are. */
export interface Entries {
  readonly scope: Scope;
  readonly files: readonly string[];
  readonly commands: readonly EntryCommand[];
  /** The events at which somebody else has hooks. */
  readonly others: readonly string[];
  /** The ports of `serve` that entries post to. */
  readonly ports: readonly number[];
  readonly findings: readonly Finding[];
}

interface Order {
  readonly name: string;
  readonly title: string;
  readonly installation: Installation;
  readonly scope: Scope;
  readonly site: InstallSite;
  readonly call: RelayCall;
}

/** Returns a scope's entries and what is wrong with them; undefined if there are none. */
export function entriesOf(order: Order): Entries | undefined {
  const { scope, name, title } = order;
  let files: readonly string[] = [];
  try {
    files = changesFor('uninstall', order)
      .filter(changesFile)
      .map(({ file }) => file);
    const read = files.map((file) => textIn(file) ?? '');
    const found = read.map((text) => commandsIn(text, order.installation));
    const ports = found.flatMap((one) => one.ports);
    if (files.length === 0 && ports.length === 0) return undefined;
    const commands = found.flatMap((one) => one.commands);
    const others = found.flatMap((one) => one.others);
    const findings = [...faultsOf(order, ports.length > 0), ...shortOf(order, files[0], commands)];
    return { scope, files, commands, others, ports, findings };
  } catch (error) {
    if (!isHookmachineError(error, 'SETTINGS_NOT_EDITABLE')) throw error;
    const finding: Finding = {
      code: 'file-unreadable',
      level: 'off',
      agent: name,
      message: `${title} cannot read its file either, or reads another one: ${error.message}`,
      fix: 'repair the file, then run hookmachine doctor again',
    };
    return { scope, files, commands: [], others: [], ports: [], findings: [finding] };
  }
}

/** What `install` would change in entries that are there. */
function faultsOf({ name, title, ...order }: Order, isPosted: boolean): Finding[] {
  const { scope } = order;
  const again = `hookmachine uninstall ${name} --scope ${scope}, then hookmachine install ${name} --scope ${scope}`;
  return changesFor('install', { title, ...order }).flatMap((change): Finding[] => {
    const { file, isIgnored } = change;
    const isSame = order.installation.kind !== 'entries' && differsInCommands(name, change);
    const differs = change.differs && !isSame;
    const of = { agent: name, file };
    return [
      ...(isIgnored
        ? [
            {
              ...of,
              code: 'file-ignored',
              level: 'off',
              message: `${title} ignores a file with comments or trailing commas, as ${file} has`,
              fix: 'remove the comments and trailing commas',
            } as const,
          ]
        : []),
      ...(differs && !isPosted
        ? [
            {
              ...of,
              code: 'entries-edited',
              level: 'warning',
              message: `entries in ${file} are not as install would write them`,
              fix: again,
            } as const,
          ]
        : []),
      ...(changesFile(change) && !isSame && !isPosted
        ? [
            {
              ...of,
              code: 'entries-missing',
              level: 'off',
              message: `entries for some events are missing in ${file}`,
              fix: `hookmachine install ${name} --scope ${scope}`,
            } as const,
          ]
        : []),
    ];
  });
}

/** Whether a file is as `install` would write it, except for the command that calls us. */
function differsInCommands(name: string, { before, after = '' }: FileChange): boolean {
  const same = (text: string): string =>
    text.replaceAll(
      new RegExp(`^(exec |(?:const )?command = ").*( relay ${name}\\b)`, 'gm'),
      '$1$2',
    );
  return same(before) === same(after);
}

/** Entries for which the agent waits less than install has it wait. */
function shortOf(
  { name, title, installation, scope, call }: Order,
  file: string | undefined,
  commands: readonly EntryCommand[],
): Finding[] {
  if (installation.kind !== 'entries') return [];
  const meant = new Map(
    commandsIn(
      JSON.stringify({ [installation.under ?? 'hooks']: byEvent(installation.entries(call)) }),
      installation,
    ).commands.map(({ event, timeout }) => [event, timeout]),
  );
  const short = commands.find(
    ({ event, timeout = Infinity }) => timeout < (meant.get(event) ?? 10),
  );
  return short === undefined
    ? []
    : [
        {
          code: 'timeout-short',
          level: 'warning',
          agent: name,
          ...(file !== undefined && { file }),
          message: `${title} waits only ${short.timeout} for the entry of ${short.event}, and runs the tool unguarded after that`,
          fix: `remove its timeout, or hookmachine uninstall ${name} --scope ${scope} and install it again`,
        },
      ];
}

const byEvent = (entries: readonly EventEntry[]): Readonly<Record<string, readonly unknown[]>> =>
  Object.fromEntries(entries.map(({ event, entry }) => [event, [entry]]));

/** The commands and ports in a file of entries, or in a file that only we write. */
function commandsIn(
  text: string,
  installation: Installation,
): Pick<Entries, 'commands' | 'others' | 'ports'> {
  const hooks = eventsIn(text, installation);
  const commands: EntryCommand[] = [];
  const ports: number[] = [];
  const others: string[] = [];
  const walk = (value: unknown, event: string | undefined): void => {
    if (typeof value !== 'object' || value === null) return;
    if (isRecord(value)) {
      const texts = Object.values(value).filter((inner) => typeof inner === 'string');
      const command = texts.find((one) => relayInCommand(one) !== undefined);
      const timeout = [value['timeout'], value['timeoutSec']].find(
        (one) => typeof one === 'number',
      );
      if (command !== undefined) commands.push({ command, event, timeout });
      else if (typeof value['command'] === 'string' && event !== undefined) others.push(event);
    }
    const port = isRecord(value) ? servePortIn(value['url'], value['headers']) : undefined;
    if (port !== undefined) ports.push(port);
    for (const inner of Object.values(value)) walk(inner, event);
  };
  if (isRecord(hooks)) for (const [event, list] of Object.entries(hooks)) walk(list, event);
  return { commands, others, ports };
}

/** The lists of hooks in a file, by event. */
function eventsIn(text: string, installation: Installation): unknown {
  if (installation.kind === 'lines') {
    const parsed = toml.parse(text);
    const { hooks } = 'value' in parsed && isRecord(parsed.value) ? parsed.value : {};
    const byName: Record<string, unknown[]> = {};
    for (const hook of Array.isArray(hooks) ? (hooks as unknown[]) : [])
      if (isRecord(hook)) (byName[String(hook['event'])] ??= []).push(hook);
    return byName;
  }
  const under = (installation.kind === 'entries' && installation.under) || 'hooks';
  const parsed = parseJson(text);
  return 'value' in parsed && isRecord(parsed.value) ? parsed.value[under] : undefined;
}
