import { join } from 'node:path';
import { isExtensionEnabled } from '../../settings/files/extensions.ts';
import type { SettingsProblem } from '../../core/definitions/problem.ts';
import type {
  ReadFolders,
  ReadSettingsFile,
  SettingsFile,
} from '../../settings/files/read-files.ts';

/** Where a host keeps its extensions, one folder each. */
export interface ExtensionPlaces {
  readonly folder: string;
  readonly manifest: string;
  /** The file that says where an extension came from; a linked extension is still in that place. */
  readonly install: string;
}

/** An extension enabled for a project. */
export interface HostExtension {
  readonly name: string;
  readonly path: string;
  readonly manifest: SettingsFile | undefined;
}

/** Returns the extensions of a host that are installed and enabled for a project. */
export function hostExtensions(
  { folder, manifest: manifestName, install }: ExtensionPlaces,
  project: string,
  read: ReadSettingsFile,
  foldersIn: ReadFolders,
): {
  readonly extensions: readonly HostExtension[];
  readonly problems: readonly SettingsProblem[];
} {
  const enablement = read(join(folder, 'extension-enablement.json'), false);
  const folders = foldersIn(folder);
  const extensions = folders.names.flatMap((folderName): HostExtension[] => {
    const installed = join(folder, folderName);
    const { type, source } = read(join(installed, install), false)?.values ?? {};
    const path = type === 'link' && typeof source === 'string' ? source : installed;
    const manifest = read(join(path, manifestName), false);
    const given = manifest?.values['name'];
    const name = typeof given === 'string' ? given : folderName;
    return isExtensionEnabled(enablement?.values[name], project) ? [{ name, path, manifest }] : [];
  });
  return {
    extensions,
    problems: [
      ...(enablement?.problems ?? []),
      ...folders.problems,
      ...extensions.flatMap(({ manifest }) => manifest?.problems ?? []),
    ],
  };
}
