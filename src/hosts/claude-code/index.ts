import type { HookDefinition } from '../../core/definitions/hook-definition.ts';
import type { HookPayload } from '../../../machines/hook-event.ts';
import type { Dialect } from '../../core/dialects/dialect.ts';
import type { FoundHooks, HookSite } from '../../core/dialects/hook-site.ts';
import { isNotFailedTool, matchesHostEvent } from '../parts/matching.ts';
import { readAnswer } from './answer.ts';
import { environmentOf, setsVariables, type SessionVariables } from './environment.ts';
import { claudeEvents, claudeEventOf, toolEvents, traitsOf } from './events.ts';
import { compileMatcher, matcherOf } from './matcher.ts';
import { managedFolder, mayHoldHooks, projectAtFirstSight } from './places.ts';
import { ruleAppliesTo, type SubCommands } from './rules.ts';
import { toStdin } from './stdin.ts';
import { onDemand } from '../../base/on-demand.ts';
import { fromRoom } from '../parts/host-room.ts';

const loadFind = onDemand(() => import('./find.ts'));
const loadSubCommands = onDemand(() => import('./sub-commands.ts'));
const loadSessionVariables = onDemand(() => import('./session-variables.ts'));

/** Options for where Claude Code's hooks are found. */
export interface ClaudeCodeOptions {
  /** An administrator's folder to use instead of the machine's, for tests. */
  readonly managed?: string;
}

/** Returns Claude Code's dialect, with the administrator's settings in a given folder. */
export function claudeCodeWith({ managed = managedFolder }: ClaudeCodeOptions = {}): Dialect {
  // Loaded only when a hook needs them: the parser of shell commands is larger than everything else here.
  let subCommands: SubCommands | undefined;
  let variables: SessionVariables | undefined;

  const find = async (site: HookSite): Promise<FoundHooks> => {
    const found = (await loadFind()).findHooks(site, managed);
    const { definitions } = found;
    if (definitions.some(({ if: rule }) => rule?.startsWith('Bash(')))
      ({ subCommands } = await loadSubCommands());
    if (definitions.some((hook) => setsVariables.has(claudeEventOf(hook))))
      variables = await loadSessionVariables();
    return found;
  };

  const ruleApplies = (hook: HookDefinition, payload: HookPayload): boolean => {
    const { if: rule } = hook;
    if (rule === undefined) return true;
    if (!toolEvents.has(claudeEventOf(hook))) return false;
    return ruleAppliesTo(rule, payload, subCommands);
  };

  return {
    name: 'claude-code',
    family: 'claude-code',
    events: claudeEvents.ours,
    needsSwitch: false,
    approves: true,
    guarded: [
      '.claude/settings.json',
      '.claude/settings.local.json',
      '.claude/hooks/',
      '.claude/plugins/',
    ],
    mayBeIn: (cwd, counts) => mayHoldHooks(cwd, counts, managed),
    atFirstSight: (cwd) => projectAtFirstSight(cwd, managed),
    find,
    identity: identityOf,
    matcherOf,
    compileMatcher,
    applies: (hook, payload) =>
      isNotFailedTool(hook, payload) &&
      matchesHostEvent(hook, payload, traitsOf(claudeEventOf(hook)).subject, compileMatcher) &&
      ruleApplies(hook, payload),
    mode: () => 'parallel',
    environment: (hook, input) => environmentOf(hook, input, variables),
    stdin: toStdin,
    endsLine: true,
    read: readAnswer,
    ...fromRoom({
      toolNames: () => import('./tool-names.ts'),
      call: () => import('./call.ts'),
      speak: () => import('./speak.ts'),
      install: () => import('./install.ts'),
      write: () => import('./write.ts'),
    }),
  };
}

/** Claude Code's hooks, from its settings and plugins. */
export const claudeCode: Dialect = claudeCodeWith();

/**
 * A different timeout or matcher does not make a different hook. A different rule, shell or plugin
 * does, and so does whether the hook is awaited.
 */
function identityOf(hook: HookDefinition): string {
  const { nativeEvent, type, command, args, if: rule, shell, env, async: isUnawaited } = hook;
  const plugin = env['CLAUDE_PLUGIN_ROOT'];
  return JSON.stringify([nativeEvent, type, command, args, rule, shell, plugin, isUnawaited]);
}
