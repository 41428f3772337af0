import { join } from 'node:path';
import { isRegex } from '../../base/bounded-regex.ts';
import { said } from '../../base/message-of.ts';
import type { HookDefinition } from '../../core/definitions/hook-definition.ts';
import { inGroups, type EntriesInstallation } from '../../core/dialects/installation.ts';
import { entryWriter, unanchored } from '../../core/dialects/writer.ts';
import type { HookInput } from '../../core/protocol/input.ts';
import { defaultTimeout } from '../../settings/format/hook-fields.ts';
import { reserved } from '../../settings/format/settings-fields.ts';
import { folderDoubts } from '../install/trusted-folders.ts';
import { defineHooks, type HookFormat, type KnownEntry } from '../parts/define-hooks.ts';
import { type HostRoom, usuallyApplies } from '../parts/host-dialect.ts';
import { findHostHooks } from '../parts/host-find.ts';
import { aFlag, flagIn, switchFor, wrongKeys } from '../parts/host-levels.ts';
import type { HostFolder } from '../parts/host-places.ts';
import { runsInSequence } from '../parts/host-sequence.ts';
import { isShell, longestTimeout } from '../parts/hook-groups.ts';
import { anyMatches, type Matcher, matchesAll, toClaudeWord } from '../parts/matching.ts';
import { excludesNames } from '../parts/tool-table.ts';
import { ourTools } from '../plain/tool-names.ts';
import { chain, merge, readAnswer } from './answer.ts';
import { readCall, reportCall, tools, toStdin } from './calls.ts';
import { qwenEventOf, qwenEvents, traitsOf, type QwenEventName } from './events.ts';
import { speaker } from './speak.ts';

/** Qwen Code's tools that we do not have (packages/core/src/tools/tool-names.ts). */
const moreTools =
  'ask_user_question exit_plan_mode monitor notebook_edit save_memory skill read_many_files structured_output task_create task_get task_list task_output task_stop task_update'.split(
    ' ',
  );

/** Returns the names of one of our tools that a matcher can match exactly, not as a regular expression. */
const exactNamesOf = (ours: string): readonly string[] => [
  tools.toTheirs(ours),
  ours,
  ...(tools.of(ours)?.aliases ?? displayNames(ours)),
];

/** Returns a tool's usual display name, without and with "Tool". */
function displayNames(name: string): string[] {
  if (!/^[a-z]+(?:_[a-z]+)*$/.test(name)) return [];
  const display = name.replaceAll(/(?:^|_)([a-z])/g, (_, first: string) => first.toUpperCase());
  return [display, `${display}Tool`];
}

const isAll = (matcher: string): boolean => ['', '*', '.*'].includes(matcher);

/** Splits a matcher into its entries: a `|` separates them unless it is escaped, in a group or in a class. */
function entriesIn(matcher: string): string[] {
  const entries = [''];
  let depth = 0;
  let isClass = false;
  for (const [part] of matcher.matchAll(/\\[^]|[^]/g)) {
    if (isClass) isClass = part !== ']';
    else if (part === '[') isClass = true;
    else if (part === '(') depth++;
    else if (part === ')') depth--;
    if (part === '|' && depth <= 0 && !isClass) entries.push('');
    else entries[entries.length - 1] += part;
  }
  return entries.map((entry) => entry.trim()).filter(Boolean);
}

/** Returns what is wrong with a matcher that matches at most exact names; undefined if it may match more. */
function matcherFault(given: string): string | undefined {
  const matcher = given.trim();
  if (isAll(matcher)) return undefined;
  const entries = entriesIn(matcher);
  if (entries.length === 0) return 'names nothing, so it matches nothing';
  if (matcher.includes(',') && !/[{[(\\]/.test(matcher))
    return 'has a comma, which is not a separator here, so it matches nothing';
  return isRegex(entries.join('|'))
    ? undefined
    : 'is not a valid regular expression, so it matches only names that equal one of its entries';
}

/**
 * Compiles a matcher of Qwen Code's settings: a name or an alias, a list of them with `|`, or else one
 * unanchored regular expression, which is not tested with aliases. Our names match too. A matcher that
 * cannot be decided in time matches, so that a guard is never skipped.
 */
function compileMatcher(hook: HookDefinition, onUndecided: (error: Error) => void): Matcher {
  const event = qwenEventOf(hook);
  const { subject } = traitsOf(event);
  const matcher = hook.matcher?.trim() ?? '';
  const entries = entriesIn(matcher);
  if (subject === undefined || isAll(matcher) || entries.some(isAll)) return matchesAll;
  const isTool = subject === 'tool_name';
  const words = new Set([matcher, ...entries]);
  const source = entries.join('|');
  const isTested = entries.length > 0 && isRegex(source);
  return (given, budget) => {
    const name = isTool ? tools.toTheirs(given) : toClaudeWord(event, given);
    const exact = isTool ? exactNamesOf(given) : [name, given];
    if (exact.some((one) => words.has(one))) return true;
    if (!isTested) return false;
    const tested = excludesNames(source) ? [name] : [...new Set([name, given])];
    return anyMatches(source, tested, onUndecided, budget);
  };
}

const matching = {
  subjectOf: (hook: HookDefinition): string | undefined => traitsOf(qwenEventOf(hook)).subject,
  compileMatcher,
};

const format: HookFormat<QwenEventName> = {
  host: 'Qwen Code',
  events: qwenEvents.names,
  traitsOf,
  example: 'PreToolUse',
  reserved,
  matcherFault: (event, matcher) =>
    traitsOf(event).subject === undefined ? undefined : matcherFault(matcher),
  matcherFix: 'write names such as "write_file|edit", or a regular expression',
  entry: {
    runs: { command: 'command', http: 'url', prompt: 'prompt' },
    inGroups: true,
    sequential: 'said',
    fields: {
      env: 'env',
      name: 'name',
      description: 'description',
      async: 'async',
      model: 'model',
      headers: 'headers',
      allowedEnv: 'allowedEnvVars',
    },
    timeout: (ms) => ({ timeout: ms < fewestMilliseconds * 1_000 ? ms / 1_000 : ms }),
  },
  otherKeys: ['shell', 'once', 'statusMessage'],
  more: (entry) => ({
    timeout: timeoutOf(entry),
    ...(entry.kind === 'command' && {
      shell: entry.field('shell', isShell, '"bash" or "powershell"') ?? 'bash',
    }),
  }),
};

/** From this number on, a timeout is in milliseconds instead of seconds. */
const fewestMilliseconds = 1_000;

/**
 * Returns the timeout in ms. It is given in seconds, or from 1000 on in milliseconds, possibly as a text;
 * anything else yields the default.
 */
function timeoutOf({
  kind,
  fields: { timeout },
  path,
  complain,
}: KnownEntry<QwenEventName>): number {
  const usual = kind === 'prompt' ? 30_000 : defaultTimeout;
  if (timeout === undefined || timeout === null) return usual;
  const given = typeof timeout === 'string' && timeout.trim() !== '' ? Number(timeout) : timeout;
  if (typeof given !== 'number' || !Number.isFinite(given) || given <= 0) {
    complain(() => ({
      path: [...path, 'timeout'],
      message: `${said(timeout)}, so it was ignored`,
      fix: 'make it a positive number of seconds',
    }));
    return usual;
  }
  return Math.min(given >= fewestMilliseconds ? given : given * 1_000, longestTimeout);
}

const switchKey = 'disableAllHooks';

/** A command with the same name is the same hook, in any group and file. */
const identity = ({ nativeEvent, type, name, command }: HookDefinition): string =>
  JSON.stringify([nativeEvent, type, name, command]);

/** What Qwen Code tells its hooks, what it obeys, and where they are (as measured). */
export const tableIn = (host: HostFolder): HostRoom => ({
  find: (site) =>
    findHostHooks(site, {
      host,
      // They are denied while it is unknown which hooks guard them.
      needGuards: qwenEvents.guards('PreToolUse', 'PermissionRequest', 'UserPromptSubmit'),
      filesOf: ({ path, manifest }, read) => {
        const hooks = manifest?.values['hooks'];
        // A string names a file of the extension.
        const named = typeof hooks === 'string' ? read(join(path, hooks), false) : undefined;
        if (named) return [{ ...named, hooks: named.values['hooks'] }];
        return manifest === undefined ? [] : [{ ...manifest, hooks, problems: [] }];
      },
      offFor: (levels, source) =>
        switchFor(levels, source, switchKey, (values) => flagIn(values[switchKey])),
      switchProblems: (level) => wrongKeys(level, { [switchKey]: aFlag }),
      define: (from) => defineHooks(from, format),
    }),
  identity,
  ...matching,
  applies: usuallyApplies(matching),
  toolNames: () => [...new Set([...ourTools, ...moreTools].flatMap(exactNamesOf))],
  mode: (hooks) => (runsInSequence(hooks, identity) ? 'sequential' : 'parallel'),
  environment: ({ env }, input: HookInput & { readonly prompt_id?: unknown }) => ({
    QWEN_PROJECT_DIR: input.cwd,
    GEMINI_PROJECT_DIR: input.cwd,
    CLAUDE_PROJECT_DIR: input.cwd,
    QWEN_CODE_SESSION_ID: input.session_id,
    ...(typeof input.prompt_id === 'string' && { QWEN_CODE_PROMPT_ID: input.prompt_id }),
    // A hook's own variables override them.
    ...env,
  }),
  stdin: toStdin,
  read: readAnswer,
  chain,
  merge,
  readCall,
  reportCall,
  speaker,
  installation,
  writer: {
    ...installation,
    ...unanchored,
    toolName: tools.toTheirs,
    word: toClaudeWord,
    write: entryWriter(format.entry),
  },
});

const secondsAt = (event: string): number => speaker.timeoutAt(event) / 1_000;
const settingsIn = (folder: string): string => join(folder, '.qwen', 'settings.json');

const installation: EntriesInstallation = {
  kind: 'entries',
  programs: ['qwen'],
  measured: '0.24.0',
  pluginFolder: ({ home }) => join(home, '.qwen/extensions/hookmachine'),
  ownDoubts: folderDoubts('.qwen', 'Qwen Code'),
  switches: [
    { path: [switchKey], off: true, files: ({ cwd, home }) => [home, cwd].map(settingsIn) },
  ],
  fresh: '{}\n',
  runsInProject: true,
  file: (scope, { cwd, home }) => settingsIn(scope === 'user' ? home : cwd),
  entries: (call) =>
    inGroups(qwenEvents.shared, (event) => ({
      type: 'command',
      command: call(),
      timeout: secondsAt(event),
    })),
  overHttp: {
    failsOpen: 'where "hookmachine serve" does not answer',
    entries: (request) =>
      inGroups(qwenEvents.shared, (event) => ({
        type: 'http',
        ...request(),
        timeout: secondsAt(event),
      })),
  },
  after: (scope) =>
    scope === 'project'
      ? ['trust the folder in Qwen Code: it runs project hooks only in trusted folders']
      : [],
  notes: (scope) => [
    ...(scope === 'project'
      ? [
          'an "allow" from one of your own hooks overrides a denial from the project\'s hooks: --scope user comes later and wins',
        ]
      : []),
    'before a tool, Qwen Code waits 60 s for its hooks and then runs the tool',
  ],
};
