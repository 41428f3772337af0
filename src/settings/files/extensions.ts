import { join } from 'node:path';
import { isRecord } from '../../base/json.ts';
import type { HooksFromSource } from '../../core/definitions/hooks-from-source.ts';
import { extensionsFolder } from './levels.ts';
import type { SettingsProblem } from '../../core/definitions/problem.ts';
import type { ReadFolders, ReadSettingsFile, SettingsFile } from './read-files.ts';
import type { HookExtension } from '../../core/definitions/settings.ts';

/** Returns an active extension's hooks, which rank lowest. */
export const extensionHooks = ({ name, path, hooks }: HookExtension): HooksFromSource => ({
  source: 'extension',
  hooks,
  file: path ?? `extension ${name}`,
  env: path === undefined ? {} : { extensionPath: path },
});

/** Reads the hooks of the extensions that the user has installed and enabled for this project. */
export function readExtensions(
  project: string,
  read: ReadSettingsFile,
  foldersIn: ReadFolders,
): {
  sources: HooksFromSource[];
  problems: SettingsProblem[];
  files: (SettingsFile & { readonly source: 'extension' })[];
} {
  const sources: HooksFromSource[] = [];
  const problems: SettingsProblem[] = [];
  const files: (SettingsFile & { readonly source: 'extension' })[] = [];
  const folder = extensionsFolder();
  if (folder === undefined) return { sources, problems, files };
  const enablement = read(join(folder, 'extension-enablement.json'), false);
  const folders = foldersIn(folder);
  problems.push(...(enablement?.problems ?? []), ...folders.problems);
  for (const folderName of folders.names) {
    const path = join(folder, folderName);
    const manifest =
      read(join(path, 'llxprt-extension.json')) ?? read(join(path, 'gemini-extension.json'));
    const given = manifest?.values['name'];
    const name = typeof given === 'string' ? given : folderName;
    if (!isExtensionEnabled(enablement?.values[name], project)) continue;
    for (const found of [manifest, read(join(path, 'hooks', 'hooks.json'))]) {
      if (found === undefined) continue;
      const { file, locate, values } = found;
      problems.push(...found.problems);
      files.push({ source: 'extension', ...found });
      sources.push({
        ...extensionHooks({ name, isActive: true, path, hooks: values['hooks'] }),
        file,
        locate,
      });
    }
  }
  return { sources, problems, files };
}

/**
 * Whether LLxprt has an extension enabled for a project. `entry` is the extension's entry in LLxprt's
 * `extension-enablement.json`. A rule is `/folder/`, or `/folder/*` for everything below it as well; a
 * leading `!` disables. The last rule that matches the project counts.
 */
export function isExtensionEnabled(entry: unknown, project: string): boolean {
  const rules = isRecord(entry) && Array.isArray(entry['overrides']) ? entry['overrides'] : [];
  const rule = rules
    .filter((one) => typeof one === 'string')
    .findLast((one) => fits(one.replace(/^!/, ''), `${project}/`.replace('//', '/')));
  return !rule?.startsWith('!');
}

const fits = (folder: string, project: string): boolean =>
  folder.endsWith('*') ? project.startsWith(folder.slice(0, -1)) : project === folder;
