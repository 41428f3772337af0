import type { UnaskedHook } from '../../core/definitions/hook-definition.ts';
import { realpathSync, statSync } from 'node:fs';
import { dirname, extname, resolve } from 'node:path';
import type { Dialect } from '../../core/dialects/dialect.ts';
import { hookmachine } from '../../hosts/hookmachine/index.ts';
import { presentDialects } from '../../hosts/all/known.ts';
import { createConfig } from '../../hosts/system/create-config.ts';
import type { HookSystemConfig } from '../../hosts/system/hook-system-config.ts';
import { definitionOf, readyToFind } from '../matrix/run-as.ts';
import type { HookEventName } from '../../core/protocol/events.ts';
import { formatProblem } from '../../core/definitions/problem.ts';
import { settingsReader } from '../../settings/files/read-files.ts';
import type { Settings } from '../../settings/format/json-schema.ts';
import { isFolder } from '../../base/folders.ts';
import { CommandFailure } from '../../hosts/relay/failure.ts';
import { lookAtHooks } from '../parts/look-at-hooks.ts';
import { hooksConfig } from '../../hosts/relay/run-hooks.ts';
import { scriptNamed } from '../parts/script-named.ts';

/** Hooks to try, and where they run. */
export interface Guards {
  readonly config: HookSystemConfig;
  readonly folder: string;
}

export interface GuardsOptions {
  /** The project folder. */
  readonly folder: string;
  /** How a script reads events and how it answers; default: as our own hooks do. */
  readonly dialect: Dialect;
  readonly dialects?: readonly Dialect[];
  readonly trust?: true;
  /** The events that a script runs for. */
  readonly events: readonly HookEventName[];
  readonly onWarning: (line: string) => void;
}

/**
 * Returns the hooks that a user names: those of a project folder or a settings file, a configured hook, or
 * a script.
 *
 * @throws {CommandFailure} if it is none of these
 */
export async function guardsNamed(named: string, options: GuardsOptions): Promise<Guards> {
  const path = resolve(named);
  if (isFolder(path)) return configured(path, options, () => true);
  const isFile = statSync(path, { throwIfNoEntry: false })?.isFile() === true;
  if (isFile && ['.json', '.jsonc'].includes(extname(path))) return inSettings(path, options);
  if (!isFile) {
    const isIt = ({ name, command }: UnaskedHook): boolean => name === named || command === named;
    if (await hasHook(options.folder, options, isIt))
      return configured(options.folder, options, isIt);
  }
  return scripted(named, options);
}

/** The hooks that a session in a folder would run, except async ones, which decide nothing. */
const configured = async (
  folder: string,
  { dialects = presentDialects, trust, onWarning }: GuardsOptions,
  isWanted: (hook: UnaskedHook) => boolean,
): Promise<Guards> => ({
  folder,
  config: await hooksConfig(
    { folder, runsElsewhere: (hook) => hook.async === true || !isWanted(hook) },
    dialects,
    { hooks: true, ...(trust && { trust }) },
    { onWarning },
  ),
});

const hasHook = async (
  folder: string,
  { dialects = presentDialects, trust }: GuardsOptions,
  isIt: (hook: UnaskedHook) => boolean,
): Promise<boolean> => {
  const { hooks, unasked } = await lookAtHooks(folder, dialects, trust);
  return [...hooks, ...unasked].some(isIt);
};

/** The hooks of a file: as the project that reads it runs them, or else as hooks of our own settings. */
async function inSettings(path: string, options: GuardsOptions): Promise<Guards> {
  const file = realpathSync(path);
  const isIn = ({ file: own }: UnaskedHook): boolean =>
    own !== undefined && (own === path || own === file);
  for (const folder of new Set([options.folder, dirname(dirname(path)), dirname(path)]))
    if (await hasHook(folder, options, isIn)) return configured(folder, options, isIn);
  const { folder, onWarning } = options;
  const read = settingsReader()(path);
  const { values = {}, problems = [], broken, locate } = read ?? {};
  if (broken) throw new CommandFailure(`${path}: ${broken.fault}`);
  for (const problem of problems) onWarning(formatProblem(problem));
  // A user who names a file wants its hooks to run, so they count as the user's own.
  const find: Dialect['find'] = async (site) => {
    const found = await hookmachine.find({
      ...site,
      settings: () => [
        { owner: 'hookmachine', source: 'user', hooks: values['hooks'], file: path, locate },
      ],
    });
    return { ...found, definitions: found.definitions.filter((hook) => !hook.async) };
  };
  return { folder, config: configWith(folder, hookmachine, find, onWarning, values) };
}

/** A script as a hook of each wanted event. */
async function scripted(named: string, options: GuardsOptions): Promise<Guards> {
  const { folder, dialect, events, dialects, trust, onWarning } = options;
  const script = await scriptNamed(named, folder, {
    timeout: 60_000,
    ...(dialects && { dialects }),
    ...(trust && { trust }),
  });
  const definitions = events.flatMap((event) => {
    const [name] = Object.keys(dialect.events).filter((own) => dialect.events[own] === event);
    return name === undefined
      ? []
      : [{ ...definitionOf(dialect, name, event, script), place: named }];
  });
  if (definitions.length === 0)
    throw new CommandFailure(`${dialect.name} has no event for ${events.join(' or ')}`);
  const find: Dialect['find'] = async ({ cwd }) => {
    await readyToFind(dialect, cwd);
    return { definitions, problems: [], unasked: [] };
  };
  return { folder, config: configWith(folder, dialect, find, onWarning) };
}

/** A config whose only hooks are those that `find` returns. */
function configWith(
  folder: string,
  dialect: Dialect,
  find: Dialect['find'],
  onWarning: (line: string) => void,
  settings: Settings = {},
): HookSystemConfig {
  const { settings: _, ...others } = dialect;
  const alone = { ...others, needsSwitch: false, mayBeIn: () => true, find };
  return createConfig({ cwd: folder, settings, dialects: [alone], onWarning });
}
