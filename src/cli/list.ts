import type { Command } from 'commander';
import type { Dialect } from '../dialects/dialect.ts';
import type { UnaskedHook } from '../dialects/hook-site.ts';
import type { HookSystemConfig } from '../hooks/config.ts';
import { createConfig } from '../hooks/create-config.ts';
import { HookRegistry, type RegisteredHook } from '../hooks/hook-registry.ts';
import { hookEventNames } from '../protocol/events.ts';
import { formatProblem } from '../settings/problem.ts';
import { dialectsOption } from './dialects-option.ts';
import { printable, printableJson } from './printable.ts';
import type { HookTrust } from '../trust/hook-trust.ts';
import { projectFolder } from './project-folder.ts';
import { onlyTrusted } from './trust-option.ts';

/** Why a hook would be skipped, if it would. */
interface Untrusted {
  readonly untrusted?: Omit<Extract<HookTrust, { trusted: false }>, 'trusted'>;
}

interface ListedHook extends RegisteredHook, Untrusted {
  /** Another one of the same runs in its place. */
  readonly isHidden?: true;
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
    .action(async ({ cwd, dialects, json }: Options) => {
      const folder = projectFolder(cwd);
      const trust = onlyTrusted(folder, undefined);
      const config = createConfig({
        cwd: folder,
        onWarning: () => undefined,
        ...(dialects && { dialects }),
        ...trust,
      });
      const enabled = config.getEnableHooks();
      const registry = await HookRegistry.load(config);
      const withTrust = <Hook extends UnaskedHook>(hook: Hook): Hook & Untrusted => {
        const found = hook.source === 'project' ? trust.checkTrust?.(hook) : undefined;
        return found?.trusted === false
          ? { ...hook, untrusted: { why: found.why, mend: found.mend } }
          : hook;
      };
      const hooks = registry.getAllHooks().map((hook): ListedHook => {
        const isHidden = registry.isHidden(hook);
        return { ...withTrust(hook), ...(isHidden && { isHidden }) };
      });
      const unasked = registry.unasked.map(withTrust);
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
  const needsSwitch = ({ dialect }: ListedHook) => registry.dialects.get(dialect)!.needsSwitch;
  if (!isOn || (!config.areSettingsHooksOn?.() && hooks.some(needsSwitch)))
    lines.push(
      `${isOn ? "The settings' hooks" : 'Hooks'} are off. Set "tools": { "enableHooks": true } in settings.json; the system's file goes before the project's, and that before yours.`,
      '',
    );
  if (hooks.length + unasked.length === 0) lines.push('No hooks are configured.', '');
  for (const event of hookEventNames) {
    const own = hooks.filter((hook) => hook.event === event);
    if (own.length > 0)
      lines.push(event, ...own.flatMap((hook) => describeHook(hook, registry.matcherOf(hook))), '');
  }
  if (unasked.length > 0) lines.push('Events unknown', ...unasked.flatMap(describeUnasked), '');
  if (problems.length > 0) lines.push('Problems', ...problems.map((problem) => `  ${problem}`), '');
  return `${lines
    .map((line) => printable(line.replaceAll('\n', String.raw`\n`)))
    .join('\n')
    .trimEnd()}\n`;
}

function describeHook(hook: ListedHook, matcher: string | undefined): string[] {
  const { command, description, dialect, file, isHidden, name, onFailure, place, source } = hook;
  const { timeout, type, untrusted } = hook;
  const where = [file, place].filter((part) => part !== undefined && part !== '');
  return [
    `  ${name}${hook.enabled ? '' : ' (disabled)'}${type === 'plugin' ? ' (a plugin: it cannot run)' : ''}${untrusted ? ' (not trusted)' : ''}${isHidden ? ' (hidden: one of the same goes before it)' : ''}`,
    ...(description === undefined ? [] : [`    ${description}`]),
    ...(command === name || command === '' ? [] : [`    command  ${command}`]),
    ...(matcher === undefined ? [] : [`    matcher  ${matcher}`]),
    `    mode     ${modeOf(hook)}`,
    `    timeout  ${timeout} ms`,
    `    dialect  ${dialect}`,
    `    ${source.padEnd(8)} ${where.join(' ')}`,
    ...(onFailure === undefined ? [] : ['    failure  blocks']),
    ...(untrusted
      ? [`    ${onFailure ? 'blocks  ' : 'skipped '} ${untrusted.why}; ${untrusted.mend}`]
      : []),
  ];
}

const describeUnasked = ({ name, command, untrusted }: UnaskedHook & Untrusted): string[] => [
  `  ${name}`,
  `    command  ${command}`,
  ...(untrusted ? [`    skipped  ${untrusted.why}; ${untrusted.mend}`] : []),
];
