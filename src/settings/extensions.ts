import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { HooksFromSource } from './define-hooks.ts';
import type { SettingsProblem } from './problem.ts';
import { readSettingsFile } from './read-settings-file.ts';

/** An extension of the host, as far as hooks go. */
export interface HookExtension {
  readonly name: string;
  readonly isActive: boolean;
  /** The extension's folder; its commands may use it as `${extensionPath}`. */
  readonly path?: string;
  /** As the `hooks` key of the settings. */
  readonly hooks?: unknown;
}

/** An active extension's hooks, the lowest in rank (HOOK-085). */
export const extensionHooks = ({ name, path, hooks }: HookExtension): HooksFromSource => ({
  source: 'extension',
  hooks,
  file: path ?? `extension ${name}`,
  env: path === undefined ? {} : { extensionPath: path },
});

/** Where an extension keeps its hooks. */
const files = ['llxprt-extension.json', 'gemini-extension.json', join('hooks', 'hooks.json')];

/** The hooks of the extensions installed in a folder. */
export function readExtensions(folder: string): {
  sources: HooksFromSource[];
  problems: SettingsProblem[];
} {
  const sources: HooksFromSource[] = [];
  const problems: SettingsProblem[] = [];
  for (const name of namesIn(folder)) {
    const path = join(folder, name);
    for (const relative of files) {
      const found = readSettingsFile(join(path, relative));
      problems.push(...(found?.problems ?? []));
      if (found?.values['hooks'] === undefined) continue;
      sources.push({
        ...extensionHooks({ name, isActive: true, path, hooks: found.values['hooks'] }),
        file: found.file,
        locate: (place) => found.locate(['hooks', ...place]),
      });
    }
  }
  return { sources, problems };
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() || entry.isSymbolicLink())
      .map(({ name }) => name)
      .toSorted();
  } catch {
    return [];
  }
}
