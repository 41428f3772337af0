import { type Command, Option } from 'commander';
import { isHookmachineError } from '../../base/errors.ts';
import { presentDialects } from '../../hosts/all/known.ts';
import { createConfig } from '../../hosts/system/create-config.ts';
import { HookRegistry } from '../../hosts/system/hook-registry.ts';
import type { RegisteredHook } from '../../core/definitions/hook-definition.ts';
import { reaches, settingsPlaces, type SettingsPlace } from '../../settings/files/levels.ts';
import { isListed } from '../../settings/files/switches.ts';
import { openSettings, type EditableSettings } from '../../settings/files/edit-settings.ts';
import { CommandFailure } from '../../hosts/relay/failure.ts';
import { printable } from '../parts/printable.ts';
import { projectFolder } from '../parts/project-folder.ts';
import { trustOfEach } from '../../hosts/relay/trust-option.ts';

type Scope = 'project' | 'user';

interface Options {
  readonly cwd: string;
  readonly scope?: Scope;
}

/** `hookmachine disable` and `hookmachine enable`: switch one hook off or on, in the settings. */
export function addEnable(program: Command): void {
  program
    .command('disable')
    .argument('<hook>', 'its name or its command, as `hookmachine list` shows them')
    .description('switch a hook off, from the next event on: it is named in hooksConfig.disabled')
    .addOption(
      new Option(
        '--scope <scope>',
        'whose settings are written (default: where the hook is defined, else the user’s)',
      ).choices(['project', 'user']),
    )
    .option('--cwd <dir>', 'the project folder', process.cwd())
    .addHelpText(
      'after',
      `
Comments and formatting of the file stay as they are.

Example:
  hookmachine disable scan --scope user`,
    )
    .action((hook: string, options: Options) => edit(disable(hook, options)));
  program
    .command('enable')
    .argument('<hook>', 'its name or its command, as `hookmachine list` shows them')
    .description('switch a hook on again: it is removed from every list of disabled hooks')
    .option('--cwd <dir>', 'the project folder', process.cwd())
    .action((hook: string, options: Options) => edit(enable(hook, options)));
}

async function edit(work: Promise<string>): Promise<void> {
  try {
    process.stdout.write(`${printable((await work).replaceAll('\n', String.raw`\n`))}\n`);
  } catch (error) {
    if (isHookmachineError(error, 'SETTINGS_NOT_EDITABLE'))
      throw new CommandFailure(error.message, { cause: error });
    throw error;
  }
}

async function disable(name: string, { cwd, scope }: Options): Promise<string> {
  const { files, hooks, meant, names, administrators } = await look(name, cwd);
  if (meant.length === 0) throw unknown(name, hooks);
  const ours = meant.filter(({ source }) => source !== 'system');
  const asked = scope && fileOf(scope, ours, files);
  const reached = ours.filter(({ source }) => reaches(scope ?? 'user', source));
  // An entry that reaches none of them would have the user believe that a hook is off while it still runs.
  if (reached.length === 0 && ours.some(({ enabled }) => enabled))
    throw new CommandFailure(
      `hook "${name}" is the user's, and a project's settings cannot disable it: pass --scope user`,
    );
  if (ours.length === 0)
    throw new CommandFailure(
      `hook "${name}" is the administrator's: it can only be removed in ${meant[0]?.file ?? 'the system’s settings'}`,
    );
  const listed = placesOf(asked ? [asked] : files, names);
  if (ours.every(({ enabled }) => !enabled) && (listed.length > 0 || !asked))
    return `Hook "${name}" is disabled already, in ${listed.join(' and ') || administrators}.`;
  const settings = asked ?? fileOf(scopeOf(ours), ours, files);
  settings.disable(name);
  const others =
    (meant.length > ours.length ? " The administrator's hook of that name stays on." : '') +
    (ours.some((hook) => hook.enabled && !reached.includes(hook))
      ? " The user's hook of that name stays on."
      : '');
  return `Hook "${name}" is disabled, in ${settings.file} hooksConfig.disabled.${others}`;
}

async function enable(name: string, { cwd }: Options): Promise<string> {
  const { files, hooks, meant, names } = await look(name, cwd);
  const listing = files.filter(({ disabled }) =>
    disabled.some(({ entry }) => names.includes(entry)),
  );
  const places = placesOf(listing, names);
  if (meant.length === 0 && places.length === 0) throw unknown(name, hooks);
  for (const settings of listing) settings.enable(names);
  const now = await look(name, cwd);
  if (now.meant.some(({ enabled }) => !enabled))
    throw new CommandFailure(
      `hook "${name}" stays disabled by the administrator, in ${now.administrators}`,
    );
  return places.length === 0
    ? `Hook "${name}" is enabled already.`
    : `Hook "${name}" is enabled: removed from ${places.join(' and ')}.`;
}

/** The scope whose list reaches all of these hooks: a project's does not reach the user's. */
const scopeOf = (hooks: readonly KnownHook[]): Scope =>
  hooks.some(isOf('user')) || !hooks.some(isOf('project')) ? 'user' : 'project';

/** A hook, including one whose event is unknown. */
type KnownHook = Pick<RegisteredHook, 'name' | 'command' | 'source' | 'enabled' | 'file'> & {
  readonly owner: SettingsPlace['owner'];
};

/** A settings file of the project or the user, and its owner. */
type OwnSettings = EditableSettings & Pick<SettingsPlace, 'source' | 'owner'>;

interface Found {
  readonly files: readonly OwnSettings[];
  readonly hooks: readonly KnownHook[];
  /** The hooks with that name or command. */
  readonly meant: readonly KnownHook[];
  /** Every entry that would disable one of them. */
  readonly names: readonly string[];
  /** The administrator's file that disables one of them, if any. */
  readonly administrators: string | undefined;
}

async function look(name: string, dir: string): Promise<Found> {
  const cwd = projectFolder(dir);
  const files = settingsPlaces(cwd)
    .filter(({ source }) => source !== 'system')
    .map(({ file, source, owner }) => ({ ...openSettings(file), source, owner }));
  const config = createConfig({
    cwd,
    dialects: presentDialects,
    onWarning: () => undefined,
    ...trustOfEach(cwd),
  });
  const registry = await HookRegistry.load(config);
  const known = registry.getAllHooks().map((hook) => {
    const owner = registry.dialects.get(hook.dialect)?.settings ?? elsewhere;
    return { ...hook, owner };
  });
  const unasked = registry.unasked.map((hook) => ({ ...hook, enabled: true, owner: elsewhere }));
  const hooks = [...known, ...unasked];
  const meant = hooks.filter((hook) => hook.name === name || hook.command === name);
  const names = [name, ...meant.flatMap((hook) => [hook.name, hook.command])];
  const administrators = config
    .getDisabledHooks?.()
    .find((list) => list.source === 'system' && meant.some((hook) => isListed(list.names, hook)));
  return {
    files,
    hooks,
    meant,
    names: names.filter((text) => text !== ''),
    administrators: administrators?.file,
  };
}

/** The owner of the settings that disable hooks which are in no settings file. */
const elsewhere: SettingsPlace['owner'] = 'llxprt';

/** The settings of a scope in which these hooks are disabled: ours, if all of them are in ours. */
function fileOf(
  scope: Scope,
  hooks: readonly KnownHook[],
  files: Found['files'],
): EditableSettings {
  const owner = hooks.find((hook) => hook.owner === elsewhere)?.owner ?? hooks[0]?.owner;
  const settings = files.find((file) => file.source === scope && file.owner === owner);
  if (settings === undefined)
    throw new CommandFailure("there is no home folder for the user's settings: set HOME");
  return settings;
}

const isOf =
  (source: KnownHook['source']) =>
  (hook: KnownHook): boolean =>
    hook.source === source;

const placesOf = (files: readonly EditableSettings[], names: readonly string[]): string[] => [
  ...new Set(
    files.flatMap(({ file, disabled }) =>
      disabled.filter(({ entry }) => names.includes(entry)).map(({ place }) => `${file} ${place}`),
    ),
  ),
];

function unknown(name: string, hooks: readonly KnownHook[]): CommandFailure {
  const known = [...new Set(hooks.map((hook) => hook.name))].toSorted();
  const fix = known.length > 0 ? `use one of ${known.join(', ')}` : 'no hooks are configured';
  return new CommandFailure(`there is no hook "${name}": ${fix}`);
}
