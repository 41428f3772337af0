import { realpathSync } from 'node:fs';
import { Option, type Command } from 'commander';
import type { UnaskedHook } from '../dialects/hook-site.ts';
import { createConfig } from '../hooks/create-config.ts';
import { HookRegistry, type RegisteredHook } from '../hooks/hook-registry.ts';
import { warn } from '../log.ts';
import { hookEventNames } from '../protocol/events.ts';
import { trustFile } from '../settings/levels.ts';
import { formatProblem } from '../settings/problem.ts';
import { difference, fingerprint, type HookFingerprint } from '../trust/fingerprint.ts';
import { trustedIn } from '../trust/project-trust.ts';
import type { ProjectTrust } from '../trust/read-trust.ts';
import { recordTrust, TrustFileError } from '../trust/write-trust.ts';
import { CommandFailure } from './failure.ts';
import { printable, printableJson } from './printable.ts';
import { projectFolder } from './project-folder.ts';
import { onlyTrusted } from './trust-option.ts';

interface Options {
  readonly cwd: string;
  readonly show?: true;
  readonly revoke?: true;
  readonly json?: true;
}

/** A hook of the project, what is behind it, and why it would be skipped, if it would. */
interface ShownHook {
  /** The event of a program that may not be run is unknown. */
  readonly hook: RegisteredHook | UnaskedHook;
  /** What it is for, where its event knows matchers. */
  readonly matcher: string | undefined;
  readonly now: HookFingerprint;
  readonly why: string | undefined;
}

/** `hookmachine trust`: what a project would run, and the user's consent to it. */
export function addTrust(program: Command): void {
  program
    .command('trust')
    .description("show what a project's hooks run, and trust them as they are now")
    .option('--cwd <dir>', 'the project folder', process.cwd())
    .option('--show', 'only show: record nothing')
    .addOption(new Option('--revoke', 'trust the project no more').conflicts('show'))
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
What is recorded is a hash of each hook's definition and of the script files that its command names.
A hook that changes after that is skipped, with a warning, until you trust the project again.

For one run: hookmachine fire|tool|run --trust; for CI: HOOKMACHINE_TRUST=1.`,
    )
    .action(trust);
}

async function trust({ cwd, show, revoke, json }: Options): Promise<void> {
  const folder = projectFolder(cwd);
  const project = realpathSync(folder);
  const shown = revoke ? [] : await projectHooks(folder);
  const records = !show && (revoke || shown.length > 0);
  if (records)
    record(
      project,
      revoke
        ? undefined
        : { trustedAt: new Date().toISOString(), hooks: shown.map(({ now }) => now) },
    );
  if (json)
    process.stdout.write(
      `${printableJson({ project, file: trustFile() ?? null, recorded: records, revoked: revoke === true, hooks: shown.map((one) => toJson(one, records)) }, 2)}\n`,
    );
  else if (revoke) print([`Not trusted any more: ${project}`]);
  else print(describe(project, shown, records));
}

/** What is shown is what is recorded: each file is read once. */
async function projectHooks(cwd: string): Promise<ShownHook[]> {
  const config = createConfig({ cwd, ...onlyTrusted(cwd, undefined) });
  const registry = await HookRegistry.load(config);
  for (const problem of registry.problems) tell(formatProblem(problem));
  if (!config.getEnableHooks())
    tell('hooks are off here; "tools": { "enableHooks": true } in settings.json switches them on');
  const trusted = trustedIn(cwd, tell);
  const known = registry.getAllHooks().map((hook) => ({ hook, matcher: registry.matcherOf(hook) }));
  // A program that was asked and is no hook was trusted too: forgotten, it would be new the next time.
  const { unasked: programs } = await HookRegistry.load(config, () => false);
  const unasked = programs
    .filter(({ command }) => !known.some(({ hook }) => hook.command === command))
    .map((hook) => ({ hook, matcher: undefined }));
  return [...known, ...unasked]
    .filter(({ hook }) => hook.source === 'project')
    .map(({ hook, matcher }) => {
      const now = fingerprint(hook, cwd);
      const why = trusted ? difference(now, trusted.hooks) : 'this folder is not trusted';
      return { hook, matcher, now, why };
    });
}

/** @throws {CommandFailure} when nothing could be recorded */
function record(project: string, recorded: ProjectTrust | undefined): void {
  const file = trustFile();
  if (file === undefined)
    throw new CommandFailure(
      'there is no home folder to record trust in: set HOME, or give --trust for one run',
    );
  try {
    const { backup } = recordTrust(file, project, recorded);
    if (backup !== undefined)
      tell(`${file} was corrupt; it is kept as ${backup}, and other projects must be trusted anew`);
  } catch (error) {
    if (!(error instanceof TrustFileError)) throw error;
    throw new CommandFailure(error.message, { cause: error });
  }
}

const toJson = ({ hook, now: { scripts }, why }: ShownHook, isRecorded: boolean) => ({
  event: eventOf(hook) ?? null,
  name: hook.name,
  ...(hook.matcher !== undefined && { matcher: hook.matcher }),
  command: hook.command,
  place: hook.place,
  enabled: isEnabled(hook),
  scripts,
  trusted: isRecorded || why === undefined,
  ...(why !== undefined && { [isRecorded ? 'before' : 'why']: why }),
});

function describe(project: string, shown: readonly ShownHook[], isRecorded: boolean): string[] {
  if (shown.length === 0) return [`This project configures no hooks: ${project}`];
  const lines: string[] = [];
  for (const event of [...hookEventNames, undefined]) {
    const own = shown.filter(({ hook }) => eventOf(hook) === event);
    if (own.length > 0)
      lines.push(
        event ?? 'Events unknown',
        ...own.flatMap((one) => describeHook(one, isRecorded)),
        '',
      );
  }
  const skipped = shown.filter(({ why }) => why !== undefined).length;
  const all = `${shown.length} ${shown.length === 1 ? 'hook' : 'hooks'} of ${project}`;
  const verdict = isRecorded
    ? `Trusted as they are now: ${all}`
    : skipped === 0
      ? `Trusted: ${all}`
      : `Not trusted: ${skipped} of ${all}; to allow them: hookmachine trust`;
  return [...lines, verdict];
}

function describeHook(
  { hook, matcher, now: { scripts }, why }: ShownHook,
  isRecorded: boolean,
): string[] {
  const { command, name, onFailure } = hook;
  return [
    `  ${name}${isEnabled(hook) ? '' : ' (disabled)'}`,
    ...(command === name ? [] : [`    command  ${command}`]),
    ...(matcher === undefined ? [] : [`    matcher  ${matcher}`]),
    ...scripts.map(
      ({ path, size, sha256 }) =>
        `    script   ${path}  ${sha256 === '' ? 'cannot be read' : `${size} bytes  sha256 ${sha256.slice(0, 12)}`}`,
    ),
    ...(onFailure ? ['    failure  blocks'] : []),
    ...(scripts.length === 0
      ? ['    script   none in the project: the command is all there is']
      : []),
    ...(why === undefined
      ? []
      : [`    ${isRecorded ? 'before ' : onFailure ? 'blocks ' : 'skipped'}  ${why}`]),
  ];
}

const eventOf = (hook: ShownHook['hook']) => ('event' in hook ? hook.event : undefined);

const isEnabled = (hook: ShownHook['hook']): boolean => !('enabled' in hook) || hook.enabled;

function print(lines: readonly string[]): void {
  const texts = lines.map((line) => printable(line.replaceAll('\n', String.raw`\n`)));
  process.stdout.write(`${texts.join('\n')}\n`);
}

const tell = (line: string): void => warn(undefined, line);
