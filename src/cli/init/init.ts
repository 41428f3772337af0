import { type Command, Option } from 'commander';
import { presentDialects } from '../../hosts/all/known.ts';
import { isHookmachineError } from '../../base/errors.ts';
import { exampleGuards, type GuardLanguage, guardLanguages } from '../../workbench/init/guards.ts';
import { planInit, type PlannedFile } from '../../workbench/init/plan.ts';
import { confirmed } from '../parts/confirmed.ts';
import { CommandFailure } from '../../hosts/relay/failure.ts';
import { lookAtHooks } from '../../workbench/parts/look-at-hooks.ts';
import { projectFolder } from '../parts/project-folder.ts';
import { printableJson } from '../parts/printable.ts';
import { say } from '../parts/shown-change.ts';
import { programOf } from '../../workbench/doctor/look-at-agent.ts';
import { hosts } from '../../hosts/all/hosts.ts';
import { counted } from '../../base/counted.ts';

interface Options {
  readonly cwd: string;
  readonly lang: GuardLanguage;
  readonly yes?: true;
  readonly json?: true;
  readonly guards: boolean;
}

/** `hookmachine init`: writes settings with a first guard, and its tests. */
export function addInit(program: Command): void {
  program
    .command('init')
    .description('switch on the built-in guards, and write one example guard with its tests')
    .addOption(
      new Option('--lang <language>', 'the language of the guard')
        .choices(guardLanguages)
        .default('sh'),
    )
    .option('--no-guards', 'do not switch on the guards that come with hookmachine')
    .option('--yes', 'do not ask, even if the project already has hooks or such files')
    .option('--json', 'print JSON: files, found, written and next')
    .option('--cwd <dir>', 'the project folder', process.cwd())
    .addHelpText(
      'after',
      '\nNo existing file is replaced; the guards are added to existing settings, and everything else in them stays as it is.',
    )
    .action(init);
}

async function init({ cwd, lang, yes, json, guards }: Options): Promise<void> {
  const folder = projectFolder(cwd);
  const plan = planned(folder, lang, guards);
  const found = await foundIn(folder);
  const isNew = found.length === 0 && plan.every(({ what }) => what === 'new');
  const todo = plan.filter(({ what }) => what !== 'kept');
  const tell = (text: string): void => (json ? undefined : say(text));
  if (found.length > 0) tell(`Found here:\n${found.map((line) => `  ${line}\n`).join('')}`);
  const words = { new: 'write  ', changed: 'change ', kept: 'keep   ' };
  tell(plan.map(({ path, what }) => `${words[what]} ${path}`).join('\n'));
  if (todo.length > 0 && !isNew && !yes) await mayWrite();
  for (const { write } of todo) editing(write);
  const next = await nextSteps();
  const files = plan.map(({ path, what }) => ({ path, what }));
  if (json)
    return void process.stdout.write(
      `${printableJson({ files, found, written: todo.length > 0, next }, 2)}\n`,
    );
  const width = Math.max(...next.map(({ command }) => command.length));
  const steps = next.map(({ command, does }) => `  ${command.padEnd(width)}  ${does}`);
  say(
    `${todo.length > 0 ? 'Written.' : 'Everything is there already; nothing was written.'} Next:\n${steps.join('\n')}`,
  );
}

interface Step {
  readonly command: string;
  readonly does: string;
}

/** What to do now: first, what has the agents on this machine call the guards. */
async function nextSteps(): Promise<readonly Step[]> {
  const agents = await Promise.all(
    hosts.map(async (host): Promise<Step[]> => {
      const [installation, { title }] = await Promise.all([host.install(), host.speak()]);
      return programOf(installation) === undefined
        ? []
        : [{ command: `hookmachine install ${host.name}`, does: `has ${title} call them` }];
    }),
  );
  const found = agents.flat();
  return [
    ...(found.length > 0
      ? found
      : [{ command: 'hookmachine install AGENT', does: 'has an agent call them' }]),
    { command: 'hookmachine trust --yes', does: "lets the project's hooks run as they are now" },
    { command: 'hookmachine test', does: "runs the guard's tests" },
    { command: 'hookmachine check', does: 'says whether anything is wrong with the hooks' },
    { command: 'hookmachine guards', does: 'lists what the built-in guards look for' },
  ];
}

const planned = (folder: string, lang: GuardLanguage, hasGuards: boolean): PlannedFile[] =>
  editing(() => planInit(folder, exampleGuards[lang], hasGuards));

/** @throws {CommandFailure} when the user says no, or cannot be asked */
async function mayWrite(): Promise<void> {
  if (!process.stdin.isTTY || !process.stderr.isTTY)
    throw new CommandFailure(
      'nothing was written, because this project already has hooks or such files: pass --yes, or answer on a terminal',
    );
  if (!(await confirmed('Write this?'))) throw new CommandFailure('nothing was written');
}

/** The project's own hooks by file, with their dialects; none of them is run. */
async function foundIn(folder: string): Promise<string[]> {
  const { hooks, unasked, registry } = await lookAtHooks(folder, presentDialects);
  const counts = new Map<string, number>();
  const add = (where: string): void => void counts.set(where, (counts.get(where) ?? 0) + 1);
  for (const { source, dialect, file } of hooks)
    if (source === 'project') add(`of ${dialect} in ${file ?? folder}`);
  for (const { source, command } of unasked)
    if (source === 'project') add(`without a known event: ${command}`);
  const broken = registry.problems.filter(
    ({ isWhole, file }) => isWhole && file?.startsWith(`${folder}/`),
  );
  return [
    ...[...counts].map(([where, count]) => `${counted(count, 'hook')} ${where}`),
    ...broken.map(({ file, message }) => `${file}: ${message}`),
  ];
}

function editing<Value>(work: () => Value): Value {
  try {
    return work();
  } catch (error) {
    if (isHookmachineError(error, 'SETTINGS_NOT_EDITABLE'))
      throw new CommandFailure(error.message, { cause: error });
    throw error;
  }
}
