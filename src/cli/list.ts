import type { Command } from 'commander';
import { createConfig } from '../hooks/create-config.ts';
import { HookRegistry, type RegisteredHook } from '../hooks/hook-registry.ts';
import { hookEventNames } from '../protocol/events.ts';
import { formatProblem } from '../settings/problem.ts';
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
    lines.push('Hooks are off. Set "tools": { "enableHooks": true } in settings.json.', '');
  if (hooks.length === 0) lines.push('No hooks are configured.');
  for (const event of hookEventNames) {
    const own = hooks.filter((hook) => hook.event === event);
    if (own.length > 0) lines.push(event, ...own.flatMap(describeHook), '');
  }
  if (problems.length > 0) lines.push('Problems', ...problems.map((problem) => `  ${problem}`), '');
  return `${lines.join('\n').trimEnd()}\n`;
}

function describeHook(hook: RegisteredHook): string[] {
  const matcher = hook.matcher?.trim() ? hook.matcher : '* (all)';
  const state = hook.enabled ? '' : ' · disabled';
  const where = [hook.file, hook.place].filter(Boolean).join(' ');
  return [
    `  ${hook.name}${state}`,
    `    matcher ${matcher} · ${modeOf(hook)} · timeout ${hook.timeout} ms`,
    ...(hook.name === hook.command || hook.command === '' ? [] : [`    command ${hook.command}`]),
    `    ${hook.source}: ${where}`,
  ];
}
