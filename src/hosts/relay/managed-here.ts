import { isRecord } from '../../base/json.ts';
import { settingsPlaces } from '../../settings/files/levels.ts';
import { type Managed, managedBy } from '../../settings/files/managed.ts';
import { type SettingsFile, settingsReader } from '../../settings/files/read-files.ts';
import type { RequiredBundle } from '../../core/definitions/settings.ts';

/** The administrator's readable files on this machine; one that cannot be read denies calls elsewhere. */
function systemFiles(): SettingsFile[] {
  const read = settingsReader();
  return settingsPlaces('/').flatMap(({ file, source }) =>
    source === 'system' ? (read(file) ?? []) : [],
  );
}

/** What the administrator of this machine manages. */
export const managedHere = (): Managed => managedBy(systemFiles());

/** The bundles that this machine must have. */
export const requiredBundles = (): readonly RequiredBundle[] => managedHere().bundles;

/** What each of the administrator's files manages, as written there. */
export const managedFiles = (): readonly {
  readonly file: string;
  readonly managed: Readonly<Record<string, unknown>>;
}[] =>
  systemFiles().flatMap(({ file, values: { managed } }) =>
    isRecord(managed) ? [{ file, managed }] : [],
  );
