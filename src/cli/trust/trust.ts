import { realpathSync } from 'node:fs';
import { Option, type Command } from 'commander';
import { isHookmachineError } from '../../base/errors.ts';
import type { HookSystemConfig } from '../../hosts/system/hook-system-config.ts';
import { presentDialects } from '../../hosts/all/known.ts';
import { createConfig } from '../../hosts/system/create-config.ts';
import { HookRegistry } from '../../hosts/system/hook-registry.ts';
import type { RegisteredHook, UnaskedHook } from '../../core/definitions/hook-definition.ts';
import { warn } from '../../base/log.ts';
import { visible } from '../../base/visible.ts';
import { configFields } from '../../settings/format/settings-fields.ts';
import { said } from '../../base/message-of.ts';
import { settingsPlaces, trustFile } from '../../settings/files/levels.ts';
import { loadSettings } from '../../settings/files/load-settings.ts';
import { offFor } from '../../settings/files/switches.ts';
import { formatProblem } from '../../core/definitions/problem.ts';
import { settingsReader } from '../../settings/files/read-files.ts';
import { fingerprint, type OpaqueCommands } from '../../settings/trust/fingerprint.ts';
import { keepTexts } from '../../settings/trust/kept-texts.ts';
import { rememberAll, type Once } from '../../settings/trust/once.ts';
import { missingGuards, switchedOff, type MissingGuard } from '../../hosts/relay/missing-guards.ts';
import { trustedIn } from '../../settings/trust/trusted-in.ts';
import { isFault, readTrustFile, type ProjectTrust } from '../../settings/trust/read-trust.ts';
import { definedAs, formerly, type HookFingerprint } from '../../settings/trust/trusted-hook.ts';
import { changeBehind } from '../../settings/trust/change-behind.ts';
import { recordTrust } from '../../settings/trust/write-trust.ts';
import { confirmed } from '../parts/confirmed.ts';
import { CommandFailure } from '../../hosts/relay/failure.ts';
import { printableJson } from '../parts/printable.ts';
import { projectFolder } from '../parts/project-folder.ts';
import { describeTrust, verdictOf, type ShownHook } from './trust-report.ts';
import { trustOfEach } from '../../hosts/relay/trust-option.ts';

interface Options {
  readonly cwd: string;
  readonly show?: true;
  readonly revoke?: true;
  readonly json?: true;
  readonly yes?: true;
  readonly opaque?: OpaqueCommands;
}

/** `hookmachine trust`: what a project would run, and the user's consent to it. */
export function addTrust(program: Command): void {
  program
    .command('trust')
    .description("show what a project's hooks run, and trust them as they are now")
    .option('--cwd <dir>', 'the project folder', process.cwd())
    .option('--show', 'only show: record nothing')
    .addOption(new Option('--revoke', 'stop trusting the project').conflicts('show'))
    .option('--yes', 'record without asking, for scripts')
    .addOption(
      new Option(
        '--opaque <how>',
        'a hook whose scripts cannot be found by reading its command: allow it, or refuse it (default: what hooksConfig.opaqueCommands in your settings says, else allow)',
      ).choices(['allow', 'refuse']),
    )
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
What is recorded is a hash of each hook's definition and of the files that its command runs or reads.
A hook that changes after that is skipped, with a warning, until you trust the project again.
Of programs that other files tell what to run (npm, make, git), those files count. What cannot be followed is
reported.

For one run: hookmachine fire|tool|run --trust; for CI: HOOKMACHINE_TRUST=1.`,
    )
    .action(trust);
}

async function trust(options: Options): Promise<void> {
  const { show, revoke, json } = options;
  const folder = projectFolder(options.cwd);
  const project = realpathSync(folder);
  const texts = new Map<string, Buffer>();
  const { shown, missing, unread, isAllRead } = revoke
    ? { shown: [], missing: [], unread: [], isAllRead: true }
    : await look(folder, options.opaque ?? opaqueCommands(folder), texts);
  const isNew = shown.some(({ why }) => why !== undefined) || missing.length > 0;
  const records = revoke === true || (show !== true && isNew);
  // What is shown is what is recorded: each file is read once, before the user answers.
  if (!json && !revoke) print(describeTrust(shown, missing, texts));
  if (records && missing.length > 0 && unread.length > 0)
    throw new CommandFailure(
      `nothing is recorded: what you trusted may be in ${unread.join(', ')}, which cannot be read; fix that first`,
    );
  if (records && !revoke) await mayRecord(options, shown.length);
  if (records) record(project, revoke ? undefined : trustOf(shown), texts);
  const isTrusted = records && !revoke;
  if (json)
    process.stdout.write(
      `${printableJson({ project, file: trustFile() ?? null, recorded: records, revoked: revoke === true, hooks: shown.map((one) => toJson(one, isTrusted)), missing: missing.map(missingToJson(isTrusted)) }, 2)}\n`,
    );
  else if (revoke) print([`No longer trusted: ${project}`]);
  else print([verdictOf(project, shown, isTrusted, isAllRead)]);
}

/** @throws {CommandFailure} when the user says no, or cannot be asked */
async function mayRecord({ yes, json }: Options, count: number): Promise<void> {
  if (yes) return;
  if (json || !process.stdin.isTTY || !process.stderr.isTTY)
    throw new CommandFailure(
      'nothing is recorded without your consent: look at what is shown, then pass --yes, or answer on a terminal',
    );
  const question =
    count === 0 ? 'Forget the hooks that are gone?' : 'Let these hooks run as they are now?';
  if (!(await confirmed(question))) throw new CommandFailure('nothing was recorded');
}

const trustOf = (shown: readonly ShownHook[]): ProjectTrust => ({
  trustedAt: new Date().toISOString(),
  hooks: shown.map(({ now }) => now),
});

async function look(
  cwd: string,
  opaque: OpaqueCommands,
  texts: Map<string, Buffer>,
): Promise<{
  shown: ShownHook[];
  missing: MissingGuard[];
  /** The files of the project that were ignored as a whole. */
  unread: readonly string[];
  isAllRead: boolean;
}> {
  const config = createConfig({
    cwd,
    dialects: presentDialects,
    // The registry's problems, which are shown below, are all there are.
    onWarning: () => undefined,
    onNote: () => undefined,
    ...trustOfEach(cwd),
  });
  const registry = await HookRegistry.load(config);
  for (const problem of registry.problems) tell(formatProblem(problem));
  const hooks = await projectHooks(config, registry);
  if (hooks.length > 0 && !config.getEnableHooks()) tell(`hooks are off here: ${whyOff(cwd)}`);
  const trusted = trustedIn(cwd, tell);
  const shown: ShownHook[] = [];
  const once = rememberAll();
  const project = realpathSync(cwd);
  for (const { hook, matcher } of hooks) {
    const keep = ({ sha256, bytes }: { sha256: string; bytes?: Buffer }): void => {
      if (bytes) texts.set(sha256, bytes);
    };
    const now = {
      ...(await fingerprint(hook, cwd, opaque, keep, once)),
      ...(switchedOff(hook, config, registry) !== undefined && { disabled: true as const }),
    };
    shown.push({ hook, matcher, now, ...(await compared(now, trusted, project, once)) });
  }
  return {
    shown,
    missing: trusted ? missingGuards(trusted.hooks, config, registry) : [],
    unread: registry.problems.flatMap(({ file, place }) =>
      place === '' && file?.startsWith(cwd) ? [file] : [],
    ),
    isAllRead: registry.problems.length === 0,
  };
}

/** What keeps the project's hooks from running, and what switches them on. */
function whyOff(cwd: string): string {
  const { switches } = loadSettings(cwd);
  const { file, offAt } =
    offFor(switches, 'project', false) ?? offFor(switches, 'project', true) ?? {};
  return offAt === undefined
    ? 'nothing switches them on; "tools": { "enableHooks": true } in settings.json does'
    : `"${offAt}" is false in ${file}; make it true to switch them on`;
}

/** All hooks of the project, including programs that may not be asked for their event. */
async function projectHooks(
  config: HookSystemConfig,
  registry: HookRegistry,
): Promise<Pick<ShownHook, 'hook' | 'matcher'>[]> {
  const known = registry.getAllHooks().map((hook) => ({ hook, matcher: registry.matcherOf(hook) }));
  // A program that was asked and is not a hook was trusted too: if forgotten, it would be new the next time.
  const { unasked: programs } = await HookRegistry.load(config, () => false);
  const unasked = programs
    .filter(({ command }) => !known.some(({ hook }) => hook.command === command))
    .map((hook: RegisteredHook | UnaskedHook) => ({ hook, matcher: undefined }));
  return [...known, ...unasked].filter(({ hook }) => hook.source === 'project');
}

/** Why a hook would be skipped, and its fingerprint when it was trusted. */
async function compared(
  now: HookFingerprint,
  trusted: ProjectTrust | undefined,
  project: string,
  once: Once,
): Promise<Pick<ShownHook, 'why' | 'before'>> {
  if (trusted === undefined) return { why: 'this folder is not trusted', before: undefined };
  const found = definedAs(now, trusted.hooks);
  if (typeof found !== 'string')
    return { why: await changeBehind(found, project, once), before: found };
  return { why: found, before: formerly(now, trusted.hooks) };
}

/** What the system's settings, or else the user's, say about hooks that cannot be followed. */
function opaqueCommands(project: string): OpaqueCommands {
  const read = settingsReader();
  const places = settingsPlaces(project).toReversed();
  const words = places
    .filter(({ source }) => source !== 'project')
    .map(({ file }) => {
      const config = read(file)?.values['hooksConfig'];
      return (config as { opaqueCommands?: unknown } | undefined)?.opaqueCommands;
    });
  // An administrator's value wins; a value that is not understood counts as the stricter one.
  const word = words.find((one) => one !== undefined) ?? 'allow';
  if (word === 'allow' || word === 'refuse') return word;
  const { fate, fix } = configFields.opaqueCommands;
  tell(`hooksConfig.opaqueCommands ${said(word)}, so ${fate}; ${fix}`);
  return 'refuse';
}

/** @throws {CommandFailure} if nothing could be recorded */
function record(
  project: string,
  recorded: ProjectTrust | undefined,
  texts: ReadonlyMap<string, Buffer>,
): void {
  const file = trustFile();
  if (file === undefined)
    throw new CommandFailure(
      'there is no home folder to record trust in: set HOME, or pass --trust for one run',
    );
  try {
    const { backup } = recordTrust(file, project, recorded);
    if (backup !== undefined)
      tell(
        `${file} was corrupt; it is kept as ${backup}, and other projects must be trusted again`,
      );
    const projects = readTrustFile(file);
    if (isFault(projects)) return;
    const hooks = [...projects.values()].flatMap((one) => one.hooks);
    keepTexts(texts, new Set(hooks.flatMap(({ scripts }) => scripts.map(({ sha256 }) => sha256))));
  } catch (error) {
    if (!isHookmachineError(error, 'TRUST_NOT_RECORDED')) throw error;
    throw new CommandFailure(error.message, { cause: error });
  }
}

const toJson = ({ hook, now, why }: ShownHook, isRecorded: boolean) => ({
  event: ('event' in hook ? hook.event : undefined) ?? null,
  name: hook.name,
  ...(hook.matcher !== undefined && { matcher: hook.matcher }),
  command: hook.command,
  place: hook.place,
  enabled: !('enabled' in hook) || hook.enabled,
  scripts: now.scripts,
  unfollowed: now.unfollowed,
  ...(now.refused !== undefined && { refused: now.refused }),
  trusted: (isRecorded || why === undefined) && now.refused === undefined,
  ...(why !== undefined && { [isRecorded ? 'before' : 'why']: why }),
});

const missingToJson =
  (isForgotten: boolean) =>
  ({ event, name, place, fate, why }: MissingGuard) => ({
    event: event === '' ? null : event,
    name,
    place,
    fate,
    why,
    forgotten: isForgotten && fate !== 'disabled',
  });

function print(lines: readonly string[]): void {
  if (lines.length > 0) process.stdout.write(`${lines.map(visible).join('\n')}\n`);
}

const tell = (line: string): void => warn(undefined, line);
