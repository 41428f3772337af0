import type { Command } from 'commander';
import { createConfig } from '../hooks/create-config.ts';
import { HookRegistry, type RegisteredHook } from '../hooks/hook-registry.ts';
import { matching } from '../hooks/matcher.ts';
import { hookEventNames } from '../protocol/events.ts';
import { formatProblem } from '../settings/problem.ts';
import { printable } from './printable.ts';
import type { HookTrust } from '../trust/hook-trust.ts';
import { projectFolder } from './project-folder.ts';
import { onlyTrusted } from './trust-option.ts';

/** A hook, and why it would be skipped, if it would. */
interface ListedHook extends RegisteredHook {
  readonly untrusted?: Omit<Extract<HookTrust, { trusted: false }>, 'trusted'>;
}

interface Options {
  readonly cwd: string;
  readonly json?: true;
}

/** `hookmachine list`: what is configured, and what was discarded. */
export function addList(program: Command): void {
  program
    .command('list')
    .description('show every configured hook, where it comes from, and what was discarded and why')
    .option('--cwd <dir>', 'the project folder', process.cwd())
    .option('--json', 'print JSON')
    .action(({ cwd, json }: Options) => {
      const folder = projectFolder(cwd);
      const config = createConfig({ cwd: folder, onWarning: () => undefined });
      const enabled = config.getEnableHooks();
      const registry = new HookRegistry(config);
      const { checkTrust } = onlyTrusted(folder, undefined);
      const hooks = registry.getAllHooks().map((hook): ListedHook => {
        const trust = hook.source === 'project' ? checkTrust?.(hook) : undefined;
        return trust?.trusted === false
          ? { ...hook, untrusted: { why: trust.why, mend: trust.mend } }
          : hook;
      });
      const { problems } = registry;
      process.stdout.write(
        json
          ? `${JSON.stringify({ enabled, hooks: hooks.map(toJson), discarded: problems.map((problem) => ({ ...problem, text: formatProblem(problem) })) }, null, 2)}\n`
          : describe(enabled, hooks, problems.map(formatProblem)),
      );
    });
}

const toJson = ({ env: _, sequential, ...hook }: ListedHook) => ({
  ...hook,
  mode: modeOf({ sequential }),
});

const modeOf = ({ sequential }: Pick<RegisteredHook, 'sequential'>) =>
  sequential ? 'sequential' : 'parallel';

function describe(
  enabled: boolean,
  hooks: readonly ListedHook[],
  problems: readonly string[],
): string {
  const lines: string[] = [];
  if (!enabled)
    lines.push(
      'Hooks are off. Set "tools": { "enableHooks": true } in settings.json; the system\'s file goes before the project\'s, and that before yours.',
      '',
    );
  if (hooks.length === 0) lines.push('No hooks are configured.', '');
  for (const event of hookEventNames) {
    const own = hooks.filter((hook) => hook.event === event);
    if (own.length > 0) lines.push(event, ...own.flatMap(describeHook), '');
  }
  if (problems.length > 0) lines.push('Problems', ...problems.map((problem) => `  ${problem}`), '');
  return `${lines
    .map((line) => printable(line.replaceAll('\n', String.raw`\n`)))
    .join('\n')
    .trimEnd()}\n`;
}

function describeHook(hook: ListedHook): string[] {
  const { command, description, event, file, name, place, source, timeout, type, untrusted } = hook;
  const where = [file, place].filter((part) => part !== undefined);
  return [
    `  ${name}${hook.enabled ? '' : ' (disabled)'}${type === 'plugin' ? ' (a plugin: it cannot run)' : ''}${untrusted ? ' (not trusted)' : ''}`,
    ...(description === undefined ? [] : [`    ${description}`]),
    ...(command === name || command === '' ? [] : [`    command  ${command}`]),
    ...(matching[event] === 'ignored' ? [] : [`    matcher  ${hook.matcher || '*'}`]),
    `    mode     ${modeOf(hook)}`,
    `    timeout  ${timeout} ms`,
    `    ${source.padEnd(8)} ${where.join(' ')}`,
    ...(untrusted ? [`    skipped  ${untrusted.why}; ${untrusted.mend}`] : []),
  ];
}
