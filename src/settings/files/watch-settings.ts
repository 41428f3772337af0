import { type FSWatcher, statSync, watch } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, sep } from 'node:path';
import { debugChannel } from '../../base/log.ts';
import { isShortage } from '../../base/errors.ts';
import {
  bundlePlaces,
  environmentSettings,
  settingsPlaces,
  systemFilesFolder,
  realPath,
} from './levels.ts';
import { readBounded } from './read-bounded.ts';

/**
 * Reports changes of the settings of the project, the user or the system. Returns a function that ends the
 * watch.
 */
export const watchSettings = (
  cwd: string,
  onChange: () => void,
  systemFolder?: string,
): (() => void) =>
  watchFiles(
    () =>
      [
        ...[...settingsPlaces(cwd, systemFolder), ...environmentSettings()].map(({ file }) => file),
        ...bundlePlaces(systemFolder).flatMap(({ index, signers }) => [index, signers]),
        // Covers files that do not exist yet.
        join(systemFilesFolder(systemFolder), anyJson),
      ].filter(isAbsolute),
    onChange,
  );

const anyJson = '*.json';

const debug = debugChannel('system');

/** How long a file must be quiet, in ms: an editor needs several steps to save. */
const quiet = 100;

/** How often files are polled if the system cannot watch them, in ms. */
const pollEvery = 2_000;

/**
 * Calls `onChange` when one of the files appears, disappears or changes its content, whether together with
 * its folder, by an editor that replaces the file, or behind a symbolic link. It keeps no process alive.
 * Returns a function that ends the watch.
 */
export function watchFiles(filesNow: () => readonly string[], onChange: () => void): () => void {
  let watchers: FSWatcher[] = [];
  let timer: NodeJS.Timeout | undefined;
  let polling: NodeJS.Timeout | undefined;
  let ended = false;

  // Folders are watched, not files, because a file that is replaced takes its watcher with it. All are
  // watched anew after each event, because the same is true of a folder.
  const arm = (): void => {
    const before = watchers;
    watchers = [];
    try {
      for (let folders = foldersToWatch(filesNow()); ;) {
        for (const [folder, names] of folders) watchers.push(watchFolder(folder, names, soon));
        // A file that appeared in between raised no event.
        const now = foldersToWatch(filesNow());
        if (sameKeys(folders, now)) break;
        close(watchers);
        watchers = [];
        folders = now;
      }
    } catch (error) {
      debug('settings are polled, because they cannot be watched: %s', String(error));
      close(watchers);
      watchers = [];
      poll();
    }
    close(before);
  };
  // Not `watchFile()`: its first look comes later, and it takes what it sees then for the initial state.
  const poll = (): void => {
    polling ??= setInterval(() => {
      if (hasChanged(contentsOf(filesNow(), contents))) soon();
    }, pollEvery).unref();
  };
  const soon = (): void => {
    if (ended) return;
    clearTimeout(timer);
    timer = setTimeout(look, quiet).unref();
  };
  const look = (): void => {
    if (polling === undefined) arm();
    const now = contentsOf(filesNow(), contents);
    if (!hasChanged(now)) return;
    contents = now;
    onChange();
  };
  const hasChanged = (now: Contents): boolean =>
    now.size !== contents.size ||
    [...now].some(([file, content]) => content !== contents.get(file) || !contents.has(file));

  arm();
  let contents = contentsOf(filesNow());
  return () => {
    ended = true;
    clearTimeout(timer);
    clearInterval(polling);
    close(watchers);
  };
}

/** Watches a folder for changes of files with these names. */
const watchFolder = (folder: string, names: ReadonlySet<string>, onChange: () => void): FSWatcher =>
  watch(folder, { persistent: false }, (_, name) => {
    const isAny = names.has(anyJson) && name?.endsWith('.json');
    if (name === null || isAny || names.has(name)) onChange();
  }).on('error', onChange);

const close = (watchers: readonly FSWatcher[]): void => {
  for (const watcher of watchers) watcher.close();
};

const sameKeys = (one: ReadonlyMap<string, unknown>, other: ReadonlyMap<string, unknown>) =>
  one.size === other.size && [...one.keys()].every((key) => other.has(key));

/**
 * Returns the folders in which a change may concern one of the files, with the names that matter there: the
 * file's own folder and its parent, or the nearest that exist, and the same behind links.
 */
function foldersToWatch(files: readonly string[]): Map<string, Set<string>> {
  const folders = new Map<string, Set<string>>();
  for (const file of files)
    for (const path of new Set([file, realPath(file)])) {
      const folder = dirname(path);
      for (const wanted of [folder, dirname(folder)]) {
        const there = nearest(wanted);
        const [next] = relative(there, path).split(sep);
        const names = folders.get(there) ?? new Set([basename(there)]);
        folders.set(there, names.add(next!));
      }
    }
  return folders;
}

/** Returns the folder, or the nearest existing one around it. */
const nearest = (folder: string): string =>
  statSync(folder, { throwIfNoEntry: false })?.isDirectory() || dirname(folder) === folder
    ? folder
    : nearest(dirname(folder));

type Contents = ReadonlyMap<string, string | undefined>;

/**
 * Returns the content of each file, or why it is not read; for a file that cannot be read because of a
 * shortage, its previous content.
 */
const contentsOf = (files: readonly string[], before: Contents = new Map()): Contents =>
  new Map(
    files.map((file) => {
      try {
        const read = readBounded(file);
        return [file, 'refused' in read ? read.refused : read.bytes.toString()];
      } catch (error) {
        return [file, isShortage(error) ? before.get(file) : undefined];
      }
    }),
  );
