import { join } from 'node:path';
import { isRegex } from '../../base/bounded-regex.ts';
import { fieldsOf, isRecord } from '../../base/json.ts';
import { said } from '../../base/message-of.ts';
import { environment } from '../../base/surroundings.ts';
import type { HookInput } from '../../core/protocol/input.ts';
import type { EventContext } from '../../core/answers/event-context.ts';
import type { HookDefinition } from '../../core/definitions/hook-definition.ts';
import type { Path, SettingsProblem } from '../../core/definitions/problem.ts';
import type { CheckedCall } from '../../core/dialects/dialect.ts';
import { inGroups, type EntriesInstallation } from '../../core/dialects/installation.ts';
import { entryWriter, inMilliseconds, unanchored } from '../../core/dialects/writer.ts';
import { HookEventName, type LifecycleEvent } from '../../core/protocol/events.ts';
import type { HookPayload } from '../../../machines/hook-event.ts';
import { homeFolder, reaches } from '../../settings/files/levels.ts';
import { defaultTimeout } from '../../settings/format/hook-fields.ts';
import { reserved } from '../../settings/format/settings-fields.ts';
import { folderDoubts } from '../install/trusted-folders.ts';
import { llxprt } from '../llxprt/index.ts';
import { defineHooks, type HookFormat, type KnownEntry } from '../parts/define-hooks.ts';
import { longestTimeout, reportMilliseconds } from '../parts/hook-groups.ts';
import type { HostRoom } from '../parts/host-dialect.ts';
import { findHostHooks } from '../parts/host-find.ts';
import { switchFor, wrongKeys, type HostLevel } from '../parts/host-levels.ts';
import type { HostFolder } from '../parts/host-places.ts';
import { runsInSequence } from '../parts/host-sequence.ts';
import { type Matcher, matchesAll } from '../parts/matching.ts';
import { withQuotedNames } from '../parts/quoted-names.ts';
import { excludesNames } from '../parts/tool-table.ts';
import { compileMatcher as compilePlainly, usesOf } from '../plain/matcher.ts';
import { ourTools } from '../plain/tool-names.ts';
import { readAnswer } from './answer.ts';
import { chain, merge } from './merge.ts';
import { speaker } from './speak.ts';
import { tools } from './tools.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Gemini CLI's tools (packages/core/src/tools/tool-names.ts), and those that call its agents. */
const allTools =
  'run_shell_command write_file replace read_file glob grep_search list_directory write_todos google_web_search web_fetch save_memory read_many_files ask_user activate_skill enter_plan_mode exit_plan_mode get_internal_docs codebase_investigator cli_help complete_task update_topic tracker_create_task tracker_update_task tracker_get_task tracker_list_tasks tracker_add_dependency tracker_visualize'.split(
    ' ',
  );

/** Whether an event's hooks run regardless of their matchers. */
const ignoresMatchers = (event: HookDefinition['event']): boolean =>
  event === 'Notification' || usesOf(event) === 'ignored';

/**
 * Compiles a matcher of Gemini CLI's settings: an unanchored regular expression for tools, the exact
 * word for sessions and compression. Our own name for a tool matches too.
 */
function compileMatcher(
  { event, matcher }: HookDefinition,
  onUndecided: (error: Error) => void,
): Matcher {
  if (ignoresMatchers(event)) return matchesAll;
  const fits = compilePlainly(event, matcher?.trim(), onUndecided);
  if (usesOf(event) !== 'regex') return fits;
  const isOnlyTheirs = excludesNames(matcher ?? '');
  return (ours, budget) =>
    [...new Set([tools.toTheirs(ours), ...(isOnlyTheirs ? [] : [ours])])].some((name) =>
      fits(name, budget),
    );
}

/** The variables whose values Gemini CLI puts into the text of a command. */
const replacedNames =
  'GEMINI_PROJECT_DIR GEMINI_CWD GEMINI_SESSION_ID GEMINI_PLANS_DIR CLAUDE_PROJECT_DIR extensionPath workspacePath'.split(
    ' ',
  );

const format: HookFormat<LifecycleEvent> = {
  host: 'Gemini CLI',
  events: Object.values(HookEventName),
  traitsOf: (at) => ({ at, ...(!ignoresMatchers(at) && { subject: 'any' }) }),
  example: 'BeforeTool',
  reserved,
  matcherFault: (event, matcher) =>
    usesOf(event) !== 'regex' || matcher.trim() === '*' || isRegex(matcher.trim())
      ? undefined
      : 'is not a valid regular expression, so it matches only a tool of exactly that name',
  matcherFix:
    'write a regular expression, such as "write_file|replace"; "*" alone matches every tool',
  entry: {
    runs: { command: 'command' },
    inGroups: true,
    sequential: 'said',
    fields: { env: 'env', name: 'name', description: 'description' },
    timeout: inMilliseconds,
  },
  more: (entry) => ({
    nativeEvent: undefined,
    command: withQuotedNames(
      entry.from.source === 'extension' ? entry.command.replaceAll('${/}', '/') : entry.command,
      replacedNames,
    ),
    shell: 'bash',
    timeout: timeoutOf(entry),
  }),
};

/** Returns the timeout in ms. A timeout of 0 ends the hook at once, as in Gemini CLI, and is reported. */
function timeoutOf({ fields: { timeout }, path, complain }: KnownEntry<LifecycleEvent>): number {
  if (timeout === undefined || timeout === null) return defaultTimeout;
  const given = typeof timeout === 'string' && timeout.trim() !== '' ? Number(timeout) : timeout;
  const fits = typeof given === 'number' && Number.isFinite(given) && given >= 0;
  if (!fits || given === 0)
    complain(() => ({
      path: [...path, 'timeout'],
      message: fits
        ? 'is 0 milliseconds, so the hook is ended at once and never answers'
        : `${said(timeout)}, so it was ignored`,
      fix: 'make it a positive number of milliseconds',
    }));
  if (fits) reportMilliseconds(given, path, complain);
  return fits ? Math.min(given, longestTimeout) : defaultTimeout;
}

/** Whether a level that reaches the hook disables it: by its name, or by its command if it has no name. */
const isDisabled = (
  levels: readonly HostLevel[],
  { source, name }: Pick<HookDefinition, 'source' | 'name'>,
): boolean =>
  levels.some((level) => {
    const { disabled } = fieldsOf(level.values['hooksConfig']);
    return reaches(level.source, source) && Array.isArray(disabled) && disabled.includes(name);
  });

/** Returns the problems of switches and lists that have the wrong type. */
function switchProblems(level: HostLevel): SettingsProblem[] {
  const { file: from, values, locate } = level;
  const config = fieldsOf(values['hooksConfig']);
  const problem = (key: string, fix: string): SettingsProblem => {
    const path: Path = ['hooksConfig', key];
    return {
      file: from,
      ...(locate && { at: locate(path) }),
      place: path.join('.'),
      message: `${said(config[key])}, so it was ignored`,
      fix,
    };
  };
  const { enabled, disabled } = config;
  return [
    ...wrongKeys(level, { hooksConfig: [isRecord, 'make it an object: { … }'] }),
    ...(enabled !== undefined && typeof enabled !== 'boolean'
      ? [problem('enabled', 'make it true or false')]
      : []),
    ...(disabled !== undefined && !Array.isArray(disabled)
      ? [problem('disabled', 'make it an array of hook names')]
      : []),
  ];
}

/** A command with the same name is the same hook, in any group and file. */
const identity = ({ event, name, command }: HookDefinition): string =>
  JSON.stringify([event, name, command]);

/** Returns the variables of a hook; its own `env` overrides them. */
function environmentOf({ env }: HookDefinition, { cwd, session_id }: HookInput) {
  const home = homeFolder();
  const { GEMINI_SESSION_ID: session, GEMINI_PLANS_DIR: given } = environment();
  const usual = home && join(home, '.gemini/tmp', session_id, 'plans');
  const plans = session === session_id && given ? given : usual;
  return {
    GEMINI_PROJECT_DIR: cwd,
    GEMINI_CWD: cwd,
    CLAUDE_PROJECT_DIR: cwd,
    GEMINI_SESSION_ID: session_id,
    ...(plans && { GEMINI_PLANS_DIR: plans }),
    ...env,
  };
}

/** What Gemini CLI tells its hooks, what it obeys, and where they are (as measured). */
export const tableIn = (host: HostFolder): HostRoom => ({
  find: (site) =>
    findHostHooks(site, {
      host,
      // They are denied while it is unknown which hooks guard them.
      needGuards: (['BeforeTool', 'BeforeAgent', 'BeforeModel'] as const).map((event) => ({
        event,
      })),
      filesOf: ({ path }, read) => {
        const found = read(join(path, host.hooksIn), false);
        return found ? [{ ...found, hooks: found.values['hooks'] }] : [];
      },
      offFor: (levels, source) =>
        switchFor(levels, source, 'hooksConfig.enabled', ({ hooksConfig }) => {
          const { enabled } = fieldsOf(hooksConfig);
          return typeof enabled === 'boolean' ? !enabled : undefined;
        }),
      switchProblems,
      define(from, levels) {
        const { definitions, ...checked } = defineHooks(from, format);
        return {
          ...checked,
          definitions: definitions.filter((hook) => !isDisabled(levels, hook)),
        };
      },
    }),
  identity,
  subjectOf: ({ event }) =>
    usesOf(event) === 'regex' ? 'tool_name' : ignoresMatchers(event) ? undefined : 'other',
  compileMatcher,
  toolNames: () => [...allTools, ...ourTools],
  mode: (hooks) => (runsInSequence(hooks, identity) ? 'sequential' : 'parallel'),
  environment: environmentOf,
  stdin: (_, payload, context) => toStdin(payload, context),
  read: readAnswer,
  chain,
  merge,
  readCall,
  reportCall: ({ toolName = '', toolInput }) => ({
    toolInput: toolInput && tools.toInput(toolName, toolInput),
  }),
  speaker,
  installation,
  writer: {
    ...installation,
    ...unanchored,
    toolName: tools.toTheirs,
    write: entryWriter(format.entry),
  },
});

/** Returns what a hook receives (as measured on the host): its results have no `metadata`. */
function toStdin(payload: HookPayload, { transcriptPath }: EventContext): object {
  const { tool_name: tool, tool_input: input, tool_response: response } = payload;
  const { metadata: _, ...result } = fieldsOf(response);
  return {
    ...payload,
    ...(transcriptPath !== undefined && { transcript_path: transcriptPath }),
    ...(typeof tool === 'string' && {
      tool_name: tools.toTheirs(tool),
      ...(isRecord(input) && { tool_input: tools.toInput(tool, input) }),
    }),
    ...(isRecord(response) && { tool_response: result }),
  };
}

/** Reads an event from an agent that speaks Gemini CLI, into canonical form. */
async function readCall(event: string, given: Fields): Promise<CheckedCall> {
  const checked = await llxprt.readCall(event, given);
  if ('faults' in checked) return checked;
  const fields = checked.fields as Fields;
  const { tool_name: theirs, tool_input: input, transcript_path: transcriptPath } = fields;
  const tool = typeof theirs === 'string' ? tools.fromTheirs(theirs) : undefined;
  return {
    fields: {
      ...fields,
      ...(tool !== undefined && {
        tool_name: tool,
        ...(isRecord(input) && { tool_input: tools.fromInput(tool, input) }),
      }),
    },
    context: typeof transcriptPath === 'string' ? { transcriptPath } : {},
  };
}

const settingsIn = (at: string): string => join(at, '.gemini', 'settings.json');

const installation: EntriesInstallation = {
  kind: 'entries',
  programs: ['gemini'],
  measured: '0.61.0',
  pluginFolder: ({ home }) => join(home, '.gemini/extensions/hookmachine'),
  // There the last answer counts.
  undoneAt: ['BeforeModel', 'AfterModel'],
  ownDoubts: folderDoubts('.gemini', 'Gemini CLI'),
  switches: [
    {
      path: ['hooksConfig', 'enabled'],
      off: false,
      files: ({ cwd, home }) => [home, cwd].map(settingsIn),
    },
  ],
  fresh: '{}\n',
  runsInProject: true,
  file: (scope, { cwd, home }) => settingsIn(scope === 'user' ? home : cwd),
  entries: (call) =>
    // In ms; hooks have their own timeouts.
    inGroups(Object.values(HookEventName), (event) => ({
      type: 'command',
      command: call(),
      timeout: speaker.timeoutAt(event),
    })),
  gateway: [
    {
      provider: 'gemini',
      file: ({ home }) => join(home, '.gemini', '.env'),
      at: 'GOOGLE_GEMINI_BASE_URL',
    },
  ],
  after: (scope) =>
    scope === 'project'
      ? [
          'trust the folder in Gemini CLI (/permissions): it runs project hooks only in trusted folders',
        ]
      : [],
  notes: () => ['over the editor protocol (--acp), Gemini CLI runs no hooks around tools'],
};
