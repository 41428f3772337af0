import type { Command } from 'commander';
import { createConfig } from '../hooks/create-config.ts';
import { HookRegistry, type RegisteredHook } from '../hooks/hook-registry.ts';
import { matching } from '../hooks/matcher.ts';
import { hookEventNames } from '../protocol/events.ts';
import { formatProblem } from '../settings/problem.ts';
import { printable } from './printable.ts';
import { projectFolder } from './project-folder.ts';

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
      const config = createConfig({ cwd: projectFolder(cwd), onWarning: () => undefined });
      const enabled = config.getEnableHooks();
      const registry = new HookRegistry(config);
      const hooks = registry.getAllHooks();
      const { problems } = registry;
      process.stdout.write(
        json
          ? `${JSON.stringify({ enabled, hooks: hooks.map(toJson), discarded: problems.map((problem) => ({ ...problem, text: formatProblem(problem) })) }, null, 2)}\n`
          : describe(enabled, hooks, problems.map(formatProblem)),
      );
    });
}

const toJson = ({ env: _, sequential, ...hook }: RegisteredHook) => ({
  ...hook,
  mode: modeOf({ sequential }),
});

const modeOf = ({ sequential }: Pick<RegisteredHook, 'sequential'>) =>
  sequential ? 'sequential' : 'parallel';

function describe(
  enabled: boolean,
  hooks: readonly RegisteredHook[],
  problems: readonly string[],
): string {
  const lines: string[] = [];
  if (!enabled)
    lines.push(
      'Hooks are off. Set "tools": { "enableHooks": true } in settings.json; a switch set to false anywhere wins.',
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

function describeHook(hook: RegisteredHook): string[] {
  const { command, description, event, file, name, place, source, timeout, type } = hook;
  const where = [file, place].filter((part) => part !== undefined);
  return [
    `  ${name}${hook.enabled ? '' : ' (disabled)'}${type === 'plugin' ? ' (a plugin: it cannot run)' : ''}`,
    ...(description === undefined ? [] : [`    ${description}`]),
    ...(command === name || command === '' ? [] : [`    command  ${command}`]),
    ...(matching[event] === 'ignored' ? [] : [`    matcher  ${hook.matcher || '*'}`]),
    `    mode     ${modeOf(hook)}`,
    `    timeout  ${timeout} ms`,
    `    ${source.padEnd(8)} ${where.join(' ')}`,
  ];
}
