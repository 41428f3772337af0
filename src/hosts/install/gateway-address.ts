import { existsSync, readFileSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { writeAtomically } from '../../base/atomic-file.ts';
import { makeFolder } from '../../base/folders.ts';
import type { GatewayPlace, InstallSite } from '../../core/dialects/installation.ts';
import { attempt, openJsonFile, SettingsEditError } from '../../settings/files/edit-json-file.ts';
import { addAt, removeAt, replaceAt } from '../../settings/files/edit-settings-text.ts';
import { realPath } from '../../settings/files/levels.ts';
import { relayMark } from '../parts/relay-entry.ts';
import type { FileChange } from './change.ts';
import { valueAt, valueOf } from './json-values.ts';

/** A change of a provider's address in a host's file, and the address that was there before. */
export interface AddressChange extends FileChange {
  readonly provider: string;
  /** The address of another server, which the gateway now asks. */
  readonly replaced?: string;
}

/** What is to be written: the gateway's address, and the addresses that it replaced before. */
export interface GatewayAddress {
  readonly url: string;
  readonly replaced: Readonly<Record<string, string>>;
}

/** Returns what writing or removing the gateway's address changes in a host's files. */
export const addressChanges = (
  what: 'install' | 'uninstall',
  places: readonly GatewayPlace[],
  site: InstallSite,
  address: GatewayAddress,
): AddressChange[] => {
  // Several places may be in one file: each is changed after those before it.
  const texts = new Map<string, string>();
  return places.map((place) => {
    const file = realPath(place.file(site));
    const change =
      typeof place.at === 'string'
        ? inLines(what, { ...place, at: place.at }, file, address)
        : inJson(what, { ...place, at: place.at }, { file, text: texts.get(file) }, address);
    texts.set(file, change.after ?? '');
    return change;
  });
};

const addressOf = ({ provider, suffix = '' }: GatewayPlace, { url }: GatewayAddress): string =>
  `${url}/${provider}${suffix}`;

/** Whether an address is one of a gateway on this machine. */
export const isGateway = (url: string): boolean =>
  /^http:\/\/127\.0\.0\.1:\d+\/[\w-]{32,}\/[\w-]+/.test(url);

function inJson(
  what: 'install' | 'uninstall',
  place: GatewayPlace & { readonly at: readonly string[] },
  { file, text: changed }: { readonly file: string; readonly text: string | undefined },
  address: GatewayAddress,
): AddressChange {
  const { provider, at, suffix = '' } = place;
  const json = openJsonFile(file);
  const before = changed ?? (json.isThere ? json.text : '');
  const text = before === '' ? '{}\n' : before;
  const value = valueAt(valueOf(text), at);
  const now = typeof value === 'string' ? value : undefined;
  const ours = addressOf(place, address);
  const kept = address.replaced[provider];
  const change = (given: string): string => {
    if (what === 'uninstall') {
      if (now === undefined || !isGateway(now)) return given;
      return kept === undefined ? withoutEmpty(given, at) : replaceAt(given, at, JSON.stringify(kept + suffix)); // prettier-ignore
    }
    if (now !== undefined) return replaceAt(given, at, JSON.stringify(ours));
    const added = addAt(given, at, ours);
    if (typeof added !== 'string') throw json.inTheWay(added);
    return added;
  };
  const after = change(text);
  const isOther = what === 'install' && now !== undefined && !isGateway(now);
  return {
    file,
    before,
    after: before === '' && what === 'uninstall' ? '' : after,
    notes: [],
    provider,
    ...(isOther && { replaced: now.endsWith(suffix) ? now.slice(0, now.length - suffix.length) : now }), // prettier-ignore
    carryOut: () => json.edit(({ text: present }) => change(present)),
  };
}

/** Removes a value, and the objects around it that are empty then. */
function withoutEmpty(text: string, at: readonly string[]): string {
  let rest = removeAt(text, at);
  for (let depth = at.length - 1; depth > 0; depth--) {
    const around = at.slice(0, depth);
    const value = valueAt(valueOf(rest), around);
    if (typeof value !== 'object' || value === null || Object.keys(value).length > 0) break;
    rest = removeAt(rest, around);
  }
  return rest;
}

const firstLine = `# ${relayMark} --gateway`;
const lastLine = '# The end of what hookmachine install --gateway wrote.';

function inLines(
  what: 'install' | 'uninstall',
  place: GatewayPlace & { readonly at: string },
  file: string,
  address: GatewayAddress,
): AddressChange {
  const { provider, at, isQuoted } = place;
  const isThere = existsSync(file);
  const before = isThere ? attempt(file, 'read', () => readFileSync(file, 'utf8')) : '';
  const begin = before.indexOf(firstLine);
  const end = before.indexOf(lastLine);
  const rest = begin === -1 || end < begin ? before : before.slice(0, begin) + before.slice(end + lastLine.length + 1); // prettier-ignore
  if (what === 'install' && new RegExp(`^\\s*(?:export\\s+)?${at}\\s*=`, 'm').test(rest))
    throw new SettingsEditError(
      `${file}: "${at}" is there already; remove it, and name that address with hookmachine gateway --provider ${provider}=URL`,
    );
  const ours = addressOf(place, address);
  const line = isQuoted ? `${at} = ${JSON.stringify(ours)}` : `${at}=${ours}`;
  // Before the first table of a TOML file, where the key belongs to none.
  const after = what === 'install' ? `${[firstLine, line, lastLine].join('\n')}\n${rest}` : rest;
  const isGone = what === 'uninstall' && after === '' && before !== '';
  return {
    file,
    before,
    after,
    notes: [],
    provider,
    carryOut: () =>
      attempt(file, 'written', () => {
        if (isGone) return rmSync(file, { force: true });
        makeFolder(dirname(file));
        writeAtomically(file, after, isThere ? statSync(file) : { mode: 0o600 });
      }),
  };
}
