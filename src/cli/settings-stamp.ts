import { statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { knownDialects } from '../dialects/index.ts';
import { coarse } from '../process/index.ts';
import {
  bundlePlaces,
  environmentSettings,
  extensionsFolder,
  homeFolder,
  settingsPlaces,
  trustFile,
} from '../settings/levels.ts';

/** The state of a project's settings at some time. */
export interface SettingsStamp {
  readonly text: string;
  /** One of the files had only just been written, so it could be written again and look the same. */
  readonly isTooYoung: boolean;
}

/** The places where hooks are defined; a folder shows what is created or removed in it. */
const places: readonly string[] = [
  ...new Set(
    knownDialects
      .flatMap(({ guarded = [] }) => guarded)
      .map((place) => (place.includes('*') ? dirname(place) : place)),
  ),
];

/** Returns the state of the files that may define a project's hooks, and of `others`, without reading any. */
export function stampSettings(cwd: string, others: readonly string[]): SettingsStamp {
  const home = homeFolder();
  const folders = home === undefined ? [cwd] : [cwd, home];
  const files = new Set([
    ...settingsPlaces(cwd).map(({ file }) => file),
    ...bundlePlaces().flatMap(({ index, signers }) => [index, signers]),
    ...environmentSettings().map(({ file }) => file),
    ...folders.flatMap((folder) => places.map((place) => join(folder, place))),
    ...[trustFile(), extensionsFolder()].filter((file) => file !== undefined),
    ...others,
  ]);
  const young = Date.now() - coarse;
  let isTooYoung = false;
  const states: string[] = [];
  for (const file of files) {
    const stats = statIfThere(file);
    if (stats === undefined) continue;
    isTooYoung ||= stats.ctimeMs > young;
    states.push([file, stats.dev, stats.ino, stats.size, stats.mtimeMs, stats.ctimeMs].join(':'));
  }
  return { text: states.join('\n'), isTooYoung };
}

function statIfThere(file: string) {
  try {
    return statSync(file, { throwIfNoEntry: false });
  } catch {
    // There is a file where a folder should be, or access is denied.
    return undefined;
  }
}
