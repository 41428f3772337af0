import { sep } from 'node:path';
import { type Command, Option } from 'commander';
import type { Dialect } from '../../core/dialects/dialect.ts';
import type { Scope } from '../../core/dialects/installation.ts';
import { findSame, knownDialects } from '../../hosts/all/known.ts';
import { isHookmachineError } from '../../base/errors.ts';
import { createConfig } from '../../hosts/system/create-config.ts';
import { HookRegistry } from '../../hosts/system/hook-registry.ts';
import { migrate, type Migration, placeOfHook } from '../../workbench/migrate/migrate.ts';
import { formatProblem, type SettingsProblem } from '../../core/definitions/problem.ts';
import { dialectNamed } from '../parts/dialects-option.ts';
import { CommandFailure } from '../../hosts/relay/failure.ts';
import { printableJson } from '../parts/printable.ts';
import { diffOf, say, siteOf } from '../parts/shown-change.ts';
import { trustOfEach } from '../../hosts/relay/trust-option.ts';
import { counted } from '../../base/counted.ts';

interface Options {
  readonly from: Dialect;
  readonly to: Dialect;
  readonly cwd: string;
  readonly scope: Scope;
  readonly dryRun?: true;
  readonly json?: true;
}

const namesOf = (dialects: readonly Dialect[]): string =>
  dialects.map(({ name }) => name).join(', ');

const writable = namesOf(knownDialects.filter((dialect) => 'write' in dialect));

/** `hookmachine migrate`: the hooks of one dialect, written as another's. */
export function addMigrate(program: Command): void {
  program
    .command('migrate')
    .description("rewrite one dialect's hooks as another's, and say what cannot be carried over")
    .addOption(
      new Option('--from <dialect>', `the dialect of the hooks: ${namesOf(knownDialects)}`)
        .argParser(dialectNamed)
        .makeOptionMandatory(),
    )
    .addOption(
      new Option('--to <dialect>', `the dialect to write them in: ${writable}`)
        .argParser(dialectNamed)
        .makeOptionMandatory(),
    )
    .addOption(
      new Option('--scope <scope>', "the project's hooks, or the user's")
        .choices(['project', 'user'])
        .default('project'),
    )
    .option('--dry-run', 'show what would change, and write nothing')
    .option('--json', 'print JSON: file, patch, written, lost and notes')
    .option('--cwd <dir>', 'the project folder', process.cwd())
    .addHelpText(
      'after',
      `
Comments, order and everything else in the file stay as they are, and the original hooks are left where they
are; in a file of ours they are named in hooksConfig.disabled, so that each runs once. A hook that is there
already is not written again.
Exit status: 0 all was carried over, 2 something was not, 1 the command could not do its work.

Example:
  hookmachine migrate --from claude-code --to hookmachine`,
    )
    .action(carryOver);
}

async function carryOver({ from, to, scope, dryRun, json, ...options }: Options): Promise<void> {
  if (findSame(from, to))
    throw new CommandFailure(`${from.name} and ${to.name} have the same hooks`);
  const writer = await to.write?.();
  if (writer === undefined)
    throw new CommandFailure(`${to.name} cannot be written: use one of ${writable} as --to`);
  const site = siteOf({ ...options, scope });
  const { hooks, left } = await hooksOf(from, site.cwd, scope);
  // A dialect may have to look for hooks before it can answer questions about one.
  await to.find({
    cwd: site.cwd,
    settings: () => [],
    ignoresProject: true,
    trusts: () => false,
    run: () => Promise.reject(new Error('No program is run here.')),
  });
  try {
    const done = migrate({ from, to, writer, scope, site, hooks });
    const isChanged = done.before !== done.after;
    const isWritten = isChanged && !dryRun;
    if (isWritten) done.carryOut();
    const lost = [...left, ...done.lost];
    const notes = [
      summary(done, from, to, isWritten),
      ...done.notes,
      ...originals(done, from, to),
      "The scripts were not changed: what they receive and how they answer may differ, which 'hookmachine matrix SCRIPT' shows.",
    ];
    const patch = isChanged ? diffOf(done) : '';
    if (json)
      process.stdout.write(
        `${printableJson({ file: done.file, patch, written: isWritten, lost, notes }, 2)}\n`,
      );
    else {
      if (isChanged) say(patch);
      for (const line of lost) say(`Not carried over unchanged: ${line}`);
      if (isChanged && dryRun) say('Nothing was written (--dry-run).');
      for (const note of notes) say(note);
    }
    process.exitCode = lost.length > 0 ? 2 : 0;
  } catch (error) {
    if (isHookmachineError(error, 'SETTINGS_NOT_EDITABLE'))
      throw new CommandFailure(error.message, { cause: error });
    throw error;
  }
}

/** What becomes of the hooks that were carried over. */
function originals(
  { added, known, off, file }: Migration,
  from: Dialect,
  to: Dialect,
): readonly string[] {
  if (added + known === 0) return [];
  if (to.settings === undefined)
    return [
      `The originals stay, and hookmachine reads both files: in its own sessions they run twice, until you remove one or disable it, such as "${from.name}:NAME" in hooksConfig.disabled.`,
    ];
  return [
    ...(off === 0
      ? []
      : [
          `Their originals are switched off for hookmachine, so that each runs once: hooksConfig.disabled in ${file} names them.`,
        ]),
    ...(off < added + known
      ? ['Where an original shares its name with a hook that was not carried over, it stays on.']
      : []),
    ...(from.speak === undefined
      ? []
      : [
          `${from.name} itself still runs the originals: remove them from its file once it calls the relay (hookmachine install ${from.name}), or they run twice there.`,
        ]),
  ];
}

function summary(
  { added, known, file }: Pick<ReturnType<typeof migrate>, 'added' | 'known' | 'file'>,
  from: Dialect,
  to: Dialect,
  isWritten: boolean,
): string {
  if (added + known === 0) return `No hooks of ${from.name} to write for ${to.name}.`;
  const also = known > 0 ? `; ${counted(known, 'hook')} already there` : '';
  return `${counted(added, 'hook')} ${isWritten ? 'written' : 'to write'} to ${file}${also}.`;
}

/** The project's or the user's hooks of a dialect, and those of them that do not run there either. */
async function hooksOf(dialect: Dialect, cwd: string, scope: Scope) {
  const config = createConfig({
    cwd,
    dialects: [dialect],
    onWarning: () => undefined,
    onNote: () => undefined,
    ...trustOfEach(cwd),
  });
  const registry = await HookRegistry.load(config);
  const isOfScope = ({ source }: { readonly source: string }): boolean => source === scope;
  const all = registry.getAllHooks().filter(isOfScope);
  const runs = (hook: (typeof all)[number]): boolean => hook.enabled && registry.isOn(hook);
  const isInProject = ({ file }: SettingsProblem): boolean =>
    file?.startsWith(cwd + sep) ?? scope === 'project';
  return {
    hooks: all.filter(runs),
    left: [
      ...registry.problems
        .filter((problem) => isInProject(problem) === (scope === 'project'))
        .map(formatProblem),
      ...registry.unasked
        .filter(isOfScope)
        .map(
          (hook) =>
            `${placeOfHook(hook)}: its event is unknown until you trust it (hookmachine trust)`,
        ),
      ...all
        .filter((hook) => !runs(hook))
        .map((hook) => `${placeOfHook(hook)}: it is switched off, and was not written`),
    ],
  };
}
