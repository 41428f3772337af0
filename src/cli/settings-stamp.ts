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

/** What a project's settings were like at some time. */
export interface SettingsStamp {
  readonly text: string;
  /** One of the files had just been written, so that it may be written again and look the same. */
  readonly isTooYoung: boolean;
}

/** Where hooks are written down; a folder stands for what is created or removed in it. */
const places: readonly string[] = [
  ...new Set(
    knownDialects
      .flatMap(({ guarded = [] }) => guarded)
      .map((place) => (place.includes('*') ? dirname(place) : place)),
  ),
];

/** How the files are that a project's hooks may stand in, and these others, without looking into any. */
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
    // A file stands where a folder should, or it may not be looked at.
    return undefined;
  }
}
