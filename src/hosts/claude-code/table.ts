import { join } from 'node:path';
import { fieldsOf } from '../../base/json.ts';
import { onDemand } from '../../base/on-demand.ts';
import { environment } from '../../base/surroundings.ts';
import type { HookDefinition } from '../../core/definitions/hook-definition.ts';
import { inGroups, type EntriesInstallation } from '../../core/dialects/installation.ts';
import { entryWriter, escaped } from '../../core/dialects/writer.ts';
import type { HookInput } from '../../core/protocol/input.ts';
import { type HostRoom, usuallyApplies } from '../parts/host-dialect.ts';
import { userFolder, type HostPlace } from '../parts/host-places.ts';
import { toClaudeWord } from '../parts/matching.ts';
import { ruleAppliesTo, type SubCommands } from '../parts/permission-rules.ts';
import { ourTools } from '../plain/tool-names.ts';
import { readAnswer } from './answer.ts';
import { readCall, reportCall, ruledCall, tools, toStdin } from './calls.ts';
import { claudeEventOf, claudeEvents, setsVariables, toolEvents } from './events.ts';
import { findHooks, format } from './find.ts';
import { matching } from './matcher.ts';
import { users } from './places.ts';
import type * as VariablesFile from './variables-file.ts';
import { speaker } from './speak.ts';

const loadSubCommands = onDemand(() => import('../../shell/sub-commands.ts'));
const loadVariablesFile = onDemand(() => import('./variables-file.ts'));

/** Claude Code's tools (code.claude.com/docs/en/tools-reference), including those of older versions. */
const allTools =
  'Bash Write Edit Read Glob Grep Agent Task WebFetch WebSearch NotebookEdit NotebookRead MultiEdit LS LSP TodoWrite TodoRead AskUserQuestion BashOutput CronCreate CronDelete CronList Artifact EnterPlanMode ExitPlanMode EnterWorktree ExitWorktree KillBash KillShell ListAgents ListMcpResourcesTool Monitor PowerShell PushNotification ReadMcpResourceTool RemoteTrigger ScheduleWakeup SendMessage ShareOnboardingGuide Skill SlashCommand StructuredOutput TaskCreate TaskGet TaskList TaskOutput TaskStop TaskUpdate TeamCreate TeamDelete ToolSearch WaitForMcpServers Workflow'.split(
    ' ',
  );

/** What Claude Code tells its hooks, what it obeys, and where they are (as measured). */
export function tableIn(places: (cwd: string) => readonly HostPlace[]): HostRoom {
  // Loaded only when a hook needs them: the parser of shell commands is larger than everything else here.
  let subCommands: SubCommands | undefined;
  let files: typeof VariablesFile | undefined;
  const ruleApplies = ({ if: rule, ...hook }: HookDefinition, payload: object): boolean =>
    rule === undefined ||
    (toolEvents.has(claudeEventOf(hook)) &&
      ruleAppliesTo(rule, ruledCall({ ...payload }), subCommands));
  return {
    async find(site) {
      const found = findHooks(site, places(site.cwd));
      const { definitions } = found;
      if (definitions.some(({ if: rule }) => rule?.startsWith('Bash(')))
        ({ subCommands } = await loadSubCommands());
      if (definitions.some((hook) => setsVariables.has(claudeEventOf(hook))))
        files = await loadVariablesFile();
      return found;
    },
    /**
     * A different timeout or matcher does not make a different hook. A different rule, shell or plugin
     * does, and so does whether the hook is awaited.
     */
    identity: ({ nativeEvent, type, command, args, if: rule, shell, env, async: isUnawaited }) =>
      JSON.stringify([
        nativeEvent,
        type,
        command,
        args,
        rule,
        shell,
        env['CLAUDE_PLUGIN_ROOT'],
        isUnawaited,
      ]),
    ...matching,
    applies: (hook, payload) =>
      usuallyApplies(matching)(hook, payload) && ruleApplies(hook, payload),
    toolNames: () => [...allTools, ...ourTools],
    environment: (hook, input) => environmentOf(hook, input, files),
    stdin: toStdin,
    read: readAnswer,
    readCall,
    reportCall,
    speaker,
    installation,
    writer: {
      ...installation,
      toolName: tools.toTheirs,
      word: toClaudeWord,
      list: (names) => (names.every(isName) ? names.join('|') : whole(names)),
      either: (names, pattern) => `${whole(names)}|${pattern}`,
      write: entryWriter(format.entry),
    },
  };
}

/** Returns a hook's environment variables (as measured on the host). */
function environmentOf(
  hook: HookDefinition,
  { cwd, session_id: session, effort }: HookInput & { readonly effort?: unknown },
  files: typeof VariablesFile | undefined,
): Readonly<Record<string, string>> {
  const { level } = fieldsOf(effort);
  return {
    ...files?.variables.given(session, hook.source),
    CLAUDE_PROJECT_DIR: cwd,
    CLAUDECODE: '1',
    CLAUDE_CODE_ENTRYPOINT: environment()['CLAUDE_CODE_ENTRYPOINT'] || 'cli',
    CLAUDE_CODE_SESSION_ID: session,
    CLAUDE_PID: String(process.pid),
    ...(typeof level === 'string' && { CLAUDE_EFFORT: level }),
    ...(files &&
      setsVariables.has(claudeEventOf(hook)) && {
        CLAUDE_ENV_FILE: files.newVariablesFile(session, hook.source),
      }),
  };
}

const isName = (name: string): boolean => /^[\w-]+$/.test(name);
const whole = (names: readonly string[]): string => `^(?:${names.map(escaped).join('|')})$`;

/** The events at which a hook that fails may deny. */
const guarded = ['PreToolUse', 'PermissionRequest', 'PostToolUse', 'UserPromptSubmit'];

const installation: EntriesInstallation = {
  kind: 'entries',
  programs: ['claude'],
  measured: '2.1.332',
  pluginFolder: (site) => join(userFolder(users, site), 'plugins/cache/hookmachine'),
  // The first of several answers counts.
  undoneAt: ['PermissionRequest'],
  switches: [
    {
      path: ['disableAllHooks'],
      off: true,
      files: (site) => [
        join(userFolder(users, site), 'settings.json'),
        join(site.cwd, '.claude', 'settings.json'),
        join(site.cwd, '.claude', 'settings.local.json'),
      ],
    },
  ],
  fresh: '{}\n',
  isStrict: true,
  runsInProject: true,
  file: (scope, site) =>
    join(scope === 'user' ? userFolder(users, site) : join(site.cwd, '.claude'), 'settings.json'),
  entries: (call) => inGroups(claudeEvents.shared, () => ({ type: 'command', command: call() })),
  overHttp: {
    entries: (request, call) =>
      inGroups(claudeEvents.shared, (event) =>
        // Claude Code has no HTTP hooks for this event.
        event === 'SessionStart'
          ? { type: 'command', command: call() }
          : {
              type: 'http',
              ...request(),
              ...(guarded.includes(event) && { onFailure: 'block' }),
            },
      ),
  },
  gateway: [
    {
      provider: 'anthropic',
      file: (site) => join(userFolder(users, site), 'settings.json'),
      at: ['env', 'ANTHROPIC_BASE_URL'],
    },
  ],
  after: () => ['start a new Claude Code session: hooks are read when a session starts'],
};
