import { existsSync, lstatSync, readFileSync, rmSync, statSync } from 'node:fs';
import { realPath } from '../../settings/files/levels.ts';
import { dirname } from 'node:path';
import { parse } from 'smol-toml';
import { oneLine } from '../../base/log.ts';
import { messageOf } from '../../base/message-of.ts';
import { makeFolder } from '../../base/folders.ts';
import { writeAtomically } from '../../base/atomic-file.ts';
import type {
  EntriesInstallation,
  Installation,
  InstallSite,
  LinesInstallation,
  OwnFile,
  RelayCall,
  Scope,
  ServeRequest,
} from '../../core/dialects/installation.ts';
import { isMadeByInstall, relayMark } from '../parts/relay-entry.ts';
import {
  attempt,
  type JsonContent,
  openJsonFile,
  SettingsEditError,
} from '../../settings/files/edit-json-file.ts';
import { emptyBefore, emptyPlaces, forgetEmpty, keepEmpty } from './empty-places.ts';
import { withEntries, withoutEntries } from './entries.ts';

/** A planned change to one file. */
export interface FileChange {
  readonly file: string;
  /** '' if there is no such file. */
  readonly before: string;
  /** Undefined if the file is removed. */
  readonly after: string | undefined;
  /** Further remarks for the user. */
  readonly notes: readonly string[];
  /** Entries of ours are there that differ from what would be written now. */
  readonly differs?: true;
  /** The host will not read the file in its present form. */
  readonly isIgnored?: true;
  /** Makes the change. Throws a `SettingsEditError`. */
  readonly carryOut: () => void;
}

/** Whether a planned change changes anything. */
export const changesFile = ({ before, after = '' }: FileChange): boolean => before !== after;

/** What is to be installed, and where. */
export interface InstallOrder {
  readonly installation: Installation;
  readonly title: string;
  readonly scope: Scope;
  readonly site: InstallSite;
  readonly call: RelayCall;
  /** Given if hooks post to `serve`. */
  readonly request?: ServeRequest | undefined;
}

/**
 * Returns what installing or uninstalling changes, file by file, including files that stay as they are.
 *
 * @throws {SettingsEditError} if one cannot be changed without harm
 */
export function changesFor(what: 'install' | 'uninstall', order: InstallOrder): FileChange[] {
  const { installation } = order;
  const { scope, site, call } = order;
  switch (installation.kind) {
    case 'entries':
      return [
        entriesChange(what, order, installation),
        ...filesChanges(what, installation.beside?.(scope, site) ?? []),
      ];
    case 'files':
      return filesChanges(what, installation.files(scope, site, call));
    case 'lines':
      return [linesChange(what, order, installation)];
  }
}

function entriesChange(
  what: 'install' | 'uninstall',
  order: InstallOrder,
  { file: fileFor, fresh, entries, overHttp, isStrict, under = 'hooks' }: EntriesInstallation,
): FileChange {
  const { scope, site, call, request } = order;
  const file = fileFor(scope, site);
  const { edit, ...found } = openJsonFile(file, fresh);
  const { isThere, text } = found;
  const posted = request && overHttp?.entries(request, call);
  // Uninstalling removes entries whichever way they call.
  const wanted =
    what === 'install' ? (posted ?? entries(call)) : [...entries(call), ...(posted ?? [])];
  const keepsHooks = fresh.includes(`"${under}"`);
  const change = (now: JsonContent) => {
    const wasEmpty = what === 'install' ? [] : emptyBefore(file);
    const made =
      what === 'install'
        ? withEntries(now.text, wanted, under)
        : withoutEntries(now.text, wanted, keepsHooks, wasEmpty, under);
    if ('path' in made) throw now.inTheWay(made);
    // A file with places that were empty before existed before, so it stays.
    const removesFile =
      made.removed > 0 &&
      made.text === fresh &&
      wasEmpty.length === 0 &&
      !lstatSync(file).isSymbolicLink();
    return { ...made, isGone: removesFile };
  };
  const changed = change(found);
  const { isGone } = changed;
  const isIgnored = isStrict === true && what === 'install' && !isStrictJson(text);
  return {
    file,
    before: isThere ? text : '',
    after: isGone || !(isThere || what === 'install') ? undefined : changed.text,
    ...(what === 'install' && changed.edited.length > 0 && { differs: true as const }),
    ...(isIgnored && { isIgnored }),
    notes: notesOn(what, order, { ...changed, file, isIgnored, isGone }),
    carryOut() {
      edit((now) => {
        const made = change(now);
        if (what === 'uninstall') forgetEmpty(file);
        else if (now.isThere) keepEmpty(file, emptyPlaces(now.text, wanted, under));
        return made.isGone ? undefined : made.text;
      });
    },
  };
}

/** What was found in the file, and what became of it. */
interface ChangedEntries {
  readonly file: string;
  readonly edited: readonly string[];
  readonly mixed: readonly string[];
  readonly removed: number;
  readonly isIgnored: boolean;
  readonly isGone: boolean;
}

/** Returns what the user should know about a changed file. */
function notesOn(
  what: 'install' | 'uninstall',
  { title, installation }: InstallOrder,
  { file, edited, mixed, removed, isIgnored, isGone }: ChangedEntries,
): string[] {
  const isLeft =
    what === 'install' ? 'left as they are (hookmachine uninstall removes them)' : 'removed anyway';
  const trustsByPlace = installation.kind === 'entries' && installation.trustsByPlace === true;
  return [
    ...(edited.length > 0
      ? [
          `some of our entries differ from what would be written now, and are ${isLeft}: ${edited.join(', ')}`,
        ]
      : []),
    ...mixed.map(
      (place) => `${place} calls the relay and also does something else: it is left as it is`,
    ),
    ...(isIgnored
      ? [`${title} ignores a file with comments or trailing commas, as ${file} has: remove them`]
      : []),
    ...(trustsByPlace && removed > 0 && !isGone
      ? [
          `${title} identifies what you trust by its place in the file: check that it still trusts all the others`,
        ]
      : []),
  ];
}

function isStrictJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function filesChanges(what: 'install' | 'uninstall', files: readonly OwnFile[]): FileChange[] {
  return files.map(({ file, text, mode }): FileChange => {
    const isThere = existsSync(file);
    const before = isThere ? attempt(file, 'read', () => readFileSync(file, 'utf8')) : '';
    const isOurs = !isThere || before === text || isMadeByInstall(before);
    if (what === 'install') {
      if (!isOurs)
        throw new SettingsEditError(
          `${file}: it exists, and was not made by hookmachine install; rename or remove it first`,
        );
      const carryOut = (): void =>
        attempt(file, 'written', () => {
          makeFolder(dirname(file));
          writeAtomically(file, text, { mode });
        });
      return { file, before, after: text, notes: [], carryOut };
    }
    const notes = !isOurs
      ? [`${file} was not made by hookmachine install, and is left as it is`]
      : isThere && before !== text
        ? [`${file} was edited by hand, or made by another version; it is removed anyway`]
        : [];
    const after = isOurs ? undefined : before;
    const carryOut = (): void => attempt(file, 'removed', () => rmSync(file, { force: true }));
    return { file, before, after, notes, carryOut };
  });
}

const firstLine = `# ${relayMark}`;
const lastLine = '# The end of what hookmachine install wrote.';

/** Our lines in a text; and with the line break before them. */
const theLines = new RegExp(`${firstLine}\\n[^]*?${lastLine}\\n?`);
const ourLines = new RegExp(`\\n?${theLines.source}`);

function linesChange(
  what: 'install' | 'uninstall',
  { scope, site, call }: InstallOrder,
  { file: fileFor, lines }: LinesInstallation,
): FileChange {
  const file = realPath(fileFor(scope, site));
  const isThere = existsSync(file);
  const before = isThere ? attempt(file, 'read', () => readFileSync(file, 'utf8')) : '';
  if (before.includes(firstLine) && !theLines.test(before))
    throw new SettingsEditError(
      `${file}: the line "${lastLine}" is gone: remove by hand what hookmachine install wrote after "${firstLine}"`,
    );
  const rest = before.replace(ourLines, '');
  const block = [firstLine, ...lines(call), lastLine, ''].join('\n');
  const gap = rest === '' ? '' : '\n';
  // What others have written behind them stays behind them.
  const added = rest === before ? `${rest}${gap}${block}` : before.replace(theLines, () => block);
  const after = what === 'install' ? added : rest;
  const isGone = what === 'uninstall' && rest === '' && before !== '';
  const fault = what === 'install' ? tomlFault(after) : undefined;
  if (fault !== undefined)
    throw new SettingsEditError(
      `${file}: with [[hooks]] at its end it would not be valid TOML (${fault}): write "hooks" as [[hooks]] first`,
    );
  return {
    file,
    before,
    after: isGone || !(isThere || what === 'install') ? undefined : after,
    ...(what === 'install' && rest !== before && after !== before && { differs: true as const }),
    notes: [],
    carryOut: () =>
      attempt(file, 'written', () => {
        if (isGone) return rmSync(file, { force: true });
        makeFolder(dirname(file));
        writeAtomically(file, after, isThere ? statSync(file) : { mode: 0o600 });
      }),
  };
}

/** What is wrong with a text as TOML. */
function tomlFault(text: string): string | undefined {
  try {
    parse(text);
    return undefined;
  } catch (error) {
    return oneLine(messageOf(error));
  }
}
