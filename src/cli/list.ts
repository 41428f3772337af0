import type { LeftBehind } from '../../machines/hook-process.ts';
import type { Command } from 'commander';
import type { Dialect } from '../dialects/dialect.ts';
import type { UnaskedHook } from '../dialects/hook-site.ts';
import type { HookSystemConfig } from '../hooks/hook-system-config.ts';
import { presentDialects } from '../dialects/index.ts';
import { createConfig } from '../hooks/create-config.ts';
import { HookRegistry } from '../hooks/hook-registry.ts';
import type { RegisteredHook } from '../settings/hook-definition.ts';
import { hookEventNames } from '../protocol/events.ts';
import { formatProblem } from '../settings/problem.ts';
import { dialectsOption } from './dialects-option.ts';
import { printable, printableJson } from './printable.ts';
import type { HookTrust } from '../trust/hook-trust.ts';
import { folderTrust } from './folder-trust.ts';
import { projectFolder } from './project-folder.ts';
import { trustOfEach } from './trust-option.ts';

/** Why a hook would be skipped, if it would. */
interface Untrusted {
  readonly untrusted?: Omit<Extract<HookTrust, { trusted: false }>, 'trusted'>;
}

interface ListedHook extends RegisteredHook, Untrusted {
  /** Another one of the same runs in its place. */
  readonly isHidden?: true;
  /** No switch lets it run. */
  readonly switchedOff?: true;
}

interface Options {
  readonly cwd: string;
  readonly dialects?: readonly Dialect[];
  readonly json?: true;
}

/** `hookmachine list`: what is configured, and what was discarded. */
export function addList(program: Command): void {
  program
    .command('list')
    .description('show every configured hook, where it comes from, and what was discarded and why')
    .option('--cwd <dir>', 'the project folder', process.cwd())
    .option('--json', 'print JSON')
    .option(...dialectsOption)
    .action(async ({ cwd, dialects = presentDialects, json }: Options) => {
      const folder = projectFolder(cwd);
      const trust = trustOfEach(folder);
      const options = {
        cwd: folder,
        onWarning: () => undefined,
        dialects,
        ...trust,
      };
      const config = createConfig(options);
      // What a project would switch on if it were trusted, it does not yet switch on for others.
      const inForce = createConfig({ ...options, ...folderTrust(folder, undefined) });
      const enabled = config.getEnableHooks();
      const registry = await HookRegistry.load(config);
      const withTrust = async <Hook extends UnaskedHook>(hook: Hook): Promise<Hook & Untrusted> => {
        const found = hook.source === 'project' ? await trust.verifyTrust?.(hook) : undefined;
        return found?.trusted === false
          ? { ...hook, untrusted: { why: found.why, fix: found.fix } }
          : hook;
      };
      const hooks = await Promise.all(
        registry.getAllHooks().map(async (hook): Promise<ListedHook> => {
          const isHidden = registry.isHidden(hook);
          const { needsSwitch } = registry.dialects.get(hook.dialect)!;
          const judge = hook.source === 'project' ? config : inForce;
          const isOff = judge.isSwitchedOn?.(hook.source, needsSwitch) === false;
          return {
            ...(await withTrust(hook)),
            ...(isHidden && { isHidden }),
            ...(isOff && { switchedOff: true }),
          };
        }),
      );
      const unasked = await Promise.all(registry.unasked.map(withTrust));
      const { problems } = registry;
      process.stdout.write(
        json
          ? `${printableJson({ enabled, hooks: hooks.map(toJson), ...(unasked.length > 0 && { unasked: unasked.map(unaskedToJson) }), discarded: problems.map((problem) => ({ ...problem, text: formatProblem(problem) })) }, 2)}\n`
          : describe(config, registry, hooks, unasked, problems.map(formatProblem)),
      );
    });
}

const toJson = ({ env: _, sequential, ...hook }: ListedHook) => ({
  ...hook,
  onFailure: hook.onFailure ?? 'allow',
  mode: modeOf({ sequential }),
});

const unaskedToJson = ({ name, command, source, untrusted }: UnaskedHook & Untrusted) => ({
  name,
  command,
  source,
  ...(untrusted && { untrusted }),
});

const modeOf = ({ sequential }: Pick<RegisteredHook, 'sequential'>) =>
  sequential ? 'sequential' : 'parallel';

function describe(
  config: HookSystemConfig,
  registry: HookRegistry,
  hooks: readonly ListedHook[],
  unasked: readonly (UnaskedHook & Untrusted)[],
  problems: readonly string[],
): string {
  const lines: string[] = [];
  const isOn = config.getEnableHooks();
  const ofSettings = hooks.filter(({ dialect }) => registry.dialects.get(dialect)!.needsSwitch);
  const areAllOff = ofSettings.length > 0 && ofSettings.every(({ switchedOff }) => switchedOff);
  if (!isOn || areAllOff)
    lines.push(
      `${isOn ? "The settings' hooks" : 'Hooks'} are off. Set "tools": { "enableHooks": true } in settings.json; a false there switches off hooks of its own level and of weaker ones: system, user, project, extensions.`,
      '',
    );
  if (hooks.length + unasked.length === 0) lines.push('No hooks are configured.', '');
  for (const event of new Set([...hookEventNames, ...hooks.map((hook) => hook.event)])) {
    const own = hooks.filter((hook) => hook.event === event);
    if (own.length === 0) continue;
    lines.push(event);
    // One by one: a call takes only so many arguments.
    for (const hook of own)
      lines.push(...describeHook(hook, registry.matcherOf(hook), isOn && !areAllOff));
    lines.push('');
  }
  if (unasked.length > 0) {
    lines.push('Events unknown');
    for (const hook of unasked) lines.push(...describeUnasked(hook));
    lines.push('');
  }
  if (problems.length > 0) lines.push('Problems', ...problems.map((problem) => `  ${problem}`), '');
  return `${lines
    .map((line) => printable(line.replaceAll('\n', String.raw`\n`)))
    .join('\n')
    .trimEnd()}\n`;
}

/** What becomes of what a hook leaves. */
const leaves: Readonly<Record<LeftBehind, string>> = {
  'end-group': 'daemons; its process group is ended',
  end: 'nothing: daemons are ended too',
  leave: 'what it started, which is not ended',
};

function describeHook(hook: ListedHook, matcher: string | undefined, areSomeOn: boolean): string[] {
  const { command, description, dialect, file, isHidden, name, onFailure, place, source } = hook;
  const { timeout, type, untrusted } = hook;
  const where = [file, place].filter((part) => part !== undefined && part !== '');
  return [
    `  ${name}${hook.enabled ? '' : ' (disabled)'}${hook.switchedOff && areSomeOn ? ' (switched off)' : ''}${type === 'plugin' ? ' (a plugin: it cannot run)' : ''}${untrusted ? ' (not trusted)' : ''}${isHidden ? ' (hidden: one of the same goes before it)' : ''}`,
    ...(description === undefined ? [] : [`    ${description}`]),
    ...(command === name || command === '' ? [] : [`    command  ${command}`]),
    ...(matcher === undefined ? [] : [`    matcher  ${matcher}`]),
    `    mode     ${modeOf(hook)}`,
    `    timeout  ${timeout} ms`,
    `    dialect  ${dialect}`,
    `    ${source.padEnd(8)} ${where.join(' ')}`,
    ...(onFailure === 'block' ? ['    failure  blocks'] : []),
    ...(hook.leftBehind ? [`    leaves   ${leaves[hook.leftBehind]}`] : []),
    ...(hook.prestart ? ['    start    ahead of its event'] : []),
    ...(untrusted
      ? [
          `    ${onFailure === 'block' ? 'blocks  ' : 'skipped '} ${untrusted.why}; ${untrusted.fix}`,
        ]
      : []),
  ];
}

const describeUnasked = ({ name, command, untrusted }: UnaskedHook & Untrusted): string[] => [
  `  ${name}`,
  `    command  ${command}`,
  ...(untrusted ? [`    skipped  ${untrusted.why}; ${untrusted.fix}`] : []),
];
