import { sameHookKey } from '../../core/plan/duplicates.ts';
import type { HookRegistry } from '../../hosts/system/hook-registry.ts';
import type { RegisteredHook } from '../../core/definitions/hook-definition.ts';
import { nameIn } from '../../settings/files/switches.ts';
import { type CheckProblem, ofHook } from './check-problem.ts';

/** Hooks that are configured twice, for the same event and the same tools. */
export const duplicates = (registry: HookRegistry): CheckProblem[] => [
  ...withinDialects(registry),
  ...acrossDialects(registry),
];

function withinDialects(registry: HookRegistry): CheckProblem[] {
  const first = new Map<string, RegisteredHook>();
  return counted(registry).flatMap((hook) => {
    const same = sameHookKey(hook, registry.dialects);
    const key = JSON.stringify([hook.event, registry.matcherOf(hook), hook.if, same]);
    const other = first.get(key);
    if (other === undefined) {
      first.set(key, hook);
      if (!registry.isHidden(hook)) return [];
      return [
        ofHook(hook, 'duplicate', 'never runs, because the same hook runs for every tool', fix),
      ];
    }
    return [ofHook(hook, 'duplicate', `is the same hook as ${placeBeside(hook, other)}`, fix)];
  });
}

const fix = 'remove one of the two';

/** Hooks that run one command under two dialects, for example after a migration: the events run it twice. */
function acrossDialects(registry: HookRegistry): CheckProblem[] {
  const first = new Map<string, RegisteredHook>();
  return counted(registry).flatMap((hook) => {
    if (!/^(?:command|live|module)$/.test(hook.type)) return [];
    const key = JSON.stringify([hook.event, plainCommand(hook)]);
    const other = first.get(key);
    if (other === undefined) first.set(key, hook);
    if (other === undefined || other.dialect === hook.dialect) return [];
    if (!meet(registry, hook, other)) return [];
    return [
      ofHook(
        hook,
        'duplicate',
        `runs the same command as ${placeBeside(hook, other)} (${other.dialect}), so it runs twice`,
        `remove one of the two, or write ${JSON.stringify(nameIn(hook.dialect, hook.name))} in hooksConfig.disabled of our own settings`,
      ),
    ];
  });
}

const counted = (registry: HookRegistry): readonly RegisteredHook[] =>
  registry.getAllHooks().filter((hook) => hook.enabled && hook.type !== 'function');

const placeBeside = (hook: RegisteredHook, other: RegisteredHook): string =>
  [other.file === hook.file ? undefined : other.file, other.place].filter(Boolean).join(' ');

/** A command without the ways in which hosts name the project's folder. */
const plainCommand = ({ command, args = [] }: RegisteredHook): string =>
  [command, ...args]
    .join(' ')
    .replaceAll(/["']/g, '')
    .replaceAll(/\$\{?(?:\w+_PROJECT_DIR|PWD)\}?\/|(?<=^|\s)\.\//g, '')
    .replaceAll(/\s+/g, ' ')
    .trim();

/** Tools of ours of each kind; matchers are compared by those that they fit. */
const tools = ['run_shell_command', 'write_file', 'replace', 'read_file', 'glob', 'web_fetch'];

/** Whether two hooks of one event may run for the same tool. */
function meet(registry: HookRegistry, one: RegisteredHook, other: RegisteredHook): boolean {
  const fits = [one, other].map((hook) => {
    const dialect = registry.dialects.get(hook.dialect)!;
    if (dialect.matcherOf(hook) === undefined) return () => true;
    return dialect.compileMatcher(hook, () => undefined);
  });
  return tools.some((tool) => fits.every((fit) => fit(tool)));
}
