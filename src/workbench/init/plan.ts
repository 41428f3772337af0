import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { makeFolder } from '../../base/folders.ts';
import { writeAtomically } from '../../base/atomic-file.ts';
import { addKey, addToList } from '../../settings/files/edit-settings-text.ts';
import { attempt, type JsonContent, openJsonFile } from '../../settings/files/edit-json-file.ts';
import { settingsJsonSchema } from '../../settings/format/json-schema.ts';
import { exampleTests, type ExampleGuard } from './guards.ts';

/** A file that is to be written, or that exists and stays as it is. */
export interface PlannedFile {
  /** Relative to the project folder. */
  readonly path: string;
  readonly what: 'new' | 'changed' | 'kept';
  readonly write: () => void;
}

const folder = '.hookmachine';
const installedSchema = join('node_modules', 'hookmachine', 'settings.schema.json');

/** The guards that come with hookmachine, as they are offered first. */
const offeredGuards = {
  shell: 'on',
  git: 'on',
  secrets: 'on',
  infrastructure: 'ask',
} as const;

/**
 * Returns what a first guard of one's own needs, and settings that switch on the guards that come with us, file by
 * file. In existing settings a list of hooks gets longer, and guards are switched on where nothing is said of them.
 *
 * @throws {SettingsEditError} if the existing settings cannot be edited
 */
export function planInit(cwd: string, guard: ExampleGuard, hasGuards = true): PlannedFile[] {
  const path = `${folder}/hooks/${guard.file}`;
  const isInstalled = existsSync(join(cwd, installedSchema));
  const file = (name: string, text: string, mode?: number): PlannedFile => ({
    path: name,
    what: existsSync(join(cwd, name)) ? 'kept' : 'new',
    write: () => writeNew(join(cwd, name), text, mode),
  });
  return [
    settingsFile(cwd, guard, path, isInstalled, hasGuards),
    file(path, guard.text, guard.isProgram && 0o755),
    file(`${folder}/hooks/no-env.hooktest.yaml`, exampleTests),
    // A schema beside the settings resolves without a network, and whatever was published.
    ...(isInstalled
      ? []
      : [
          file(
            `${folder}/settings.schema.json`,
            `${JSON.stringify(settingsJsonSchema(), null, 2)}\n`,
          ),
        ]),
  ];
}

const writeNew = (file: string, text: string, mode: number | undefined): void =>
  attempt(file, 'written', () => {
    makeFolder(dirname(file));
    writeAtomically(file, text, mode === undefined ? {} : { mode });
  });

function settingsFile(
  cwd: string,
  guard: ExampleGuard,
  path: string,
  isInstalled: boolean,
  hasGuards: boolean,
): PlannedFile {
  const schema = isInstalled ? `../${installedSchema}` : './settings.schema.json';
  const name = `${folder}/settings.json`;
  const settings = openJsonFile(
    join(cwd, name),
    `{\n  "$schema": ${JSON.stringify(schema)},\n  "hooks": {}\n}\n`,
  );
  if (settings.text.includes(path)) return { path: name, what: 'kept', write: () => undefined };
  const withGuard = ({ text, inTheWay }: JsonContent): string => {
    if (text.includes(path)) return text;
    const changed = addToList(text, ['hooks', 'tool.before'], {
      matcher: '^(write_file|replace)$',
      hooks: [{ name: 'no-env', ...guard.entry(path) }],
    });
    if (typeof changed !== 'string') throw inTheWay(changed);
    return hasGuards ? addKey(changed, 'guards', offeredGuards) : changed;
  };
  // Shows now what would be in the way.
  withGuard(settings);
  return {
    path: name,
    what: settings.isThere ? 'changed' : 'new',
    write: () => settings.edit(withGuard),
  };
}
