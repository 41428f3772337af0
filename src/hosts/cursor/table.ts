import { dirname, join } from 'node:path';
import { isRegex } from '../../base/bounded-regex.ts';
import { fieldsOf } from '../../base/json.ts';
import { said } from '../../base/message-of.ts';
import type { HookDefinition } from '../../core/definitions/hook-definition.ts';
import type { HookPayload } from '../../../machines/hook-event.ts';
import type { EntriesInstallation } from '../../core/dialects/installation.ts';
import { entryWriter, inSeconds, unanchored } from '../../core/dialects/writer.ts';
import { settingsReader } from '../../settings/files/read-files.ts';
import { defineHooks, type HookFormat, type KnownEntry, secondsIn } from '../parts/define-hooks.ts';
import { isFlag, isText } from '../parts/hook-groups.ts';
import type { HostRoom } from '../parts/host-dialect.ts';
import { foundHooks, hooksOfLevel, readLevels, type HostLevel } from '../parts/host-levels.ts';
import type { HostPlace } from '../parts/host-places.ts';
import { anyMatches, isNotFailedTool, type Matcher } from '../parts/matching.ts';
import { ourTools } from '../plain/tool-names.ts';
import { mergeAnswers, readAnswer } from './answer.ts';
import { readCall, reportCall, toStdin } from './calls.ts';
import { environmentOf } from './environment.ts';
import {
  cursorEventOf,
  cursorEvents,
  keepsDenials,
  traitsOf,
  type CursorEventName,
} from './events.ts';
import { speaker } from './speak.ts';
import { callOf, toCursorTool } from './tools.ts';

/** Cursor's types of tools. */
const toolTypes = 'Shell Read Write Grep Delete Task Glob WebFetch WebSearch'.split(' ');

const isAll = (matcher: string | undefined): boolean =>
  matcher === undefined || matcher === '' || matcher === '*';

/**
 * Compiles a matcher of Cursor, if it is compared with the type of a tool, the kind of an agent or a
 * fixed word.
 */
function compileMatcher(hook: HookDefinition, onUndecided: (error: Error) => void): Matcher {
  const { calls, matched } = traitsOf(cursorEventOf(hook));
  const isForCall = (subject: string): boolean => calls === undefined || callOf(subject) === calls;
  const { matcher } = hook;
  if (isAll(matcher) || matched === undefined || matched === 'command') return isForCall;
  return (subject, budget) => {
    const text =
      matched === 'tool' ? toCursorTool(subject) : matched === 'agent' ? subject : matched.word;
    return isForCall(subject) && anyMatches(matcher!, [text], onUndecided, budget);
  };
}

/**
 * Whether a hook applies to what happened: the command's text, a tool that did not fail, a word that no
 * other dialect compares.
 */
function applies(hook: HookDefinition, payload: HookPayload): boolean {
  const event = cursorEventOf(hook);
  const { matched } = traitsOf(event);
  const { matcher } = hook;
  if (event === 'postToolUse') return isNotFailedTool(hook, payload);
  const { command } = fieldsOf(payload['tool_input']);
  const text = matched === 'command' ? command : typeof matched === 'object' && matched.word;
  const isCompared = matched === 'command' || typeof matched === 'object';
  return (
    isAll(matcher) ||
    !isCompared ||
    anyMatches(matcher!, [isText(text) ? text : ''], () => undefined)
  );
}

const format: HookFormat<CursorEventName, HostLevel & { readonly hooks: unknown }> = {
  host: 'Cursor',
  events: cursorEvents.names,
  traitsOf: (event) => ({ at: traitsOf(event).at, subject: 'any' }),
  example: 'preToolUse',
  isFlat: () => true,
  needsHooks: true,
  unknownFate: 'it would ignore this file',
  entry: {
    runs: { command: 'command', prompt: 'prompt' },
    inGroups: false,
    typeIsOptional: true,
    fields: { model: 'model', loopLimit: 'loop_limit' },
    onBlock: { failClosed: true },
    blocksAt: (event) => keepsDenials(event as CursorEventName),
    timeout: inSeconds,
  },
  otherKeys: ['matcher', 'failClosed'],
  entries(from, complain, usual) {
    const { version } = from.values;
    if (version !== 1)
      complain(() => ({
        path: ['version'],
        message: `${said(version)}, so Cursor would ignore this file`,
        fix: 'write "version": 1',
      }));
    return usual(from);
  },
  refuses: ({ fields: { matcher } }) =>
    matcher === undefined || matcher === '*' || (isText(matcher) && isRegex(matcher))
      ? undefined
      : ['matcher', 'make it a regular expression', matcher],
  more(entry) {
    const { event, field, from, matcher } = entry;
    const failsClosed = field('failClosed', isFlag, 'true or false') === true;
    return {
      timeout: secondsIn(entry, 60),
      matcher,
      // A project's hooks run in the project; all others run beside their file.
      cwd: from.source === 'project' ? undefined : dirname(from.file),
      loopLimit: loopLimitOf(entry),
      onFailure: failsClosed && keepsDenials(event) ? 'block' : undefined,
    };
  },
};

/** Returns how often a hook may make the agent continue: five times by default; null means no limit. */
function loopLimitOf({
  event,
  fields: { loop_limit: given },
  path,
  complain,
}: KnownEntry<CursorEventName>): number | undefined {
  if ((event !== 'stop' && event !== 'subagentStop') || given === null) return undefined;
  if (given === undefined || (typeof given === 'number' && given >= 0)) return given ?? 5;
  complain(() => ({
    path: [...path, 'loop_limit'],
    message: `${said(given)}, so it counts as 5`,
    fix: 'make it a number, or null',
  }));
  return 5;
}

/** Shared by all sessions: a file that breaks while an agent works counts as it was before. */
const read = settingsReader();

/** What Cursor tells its hooks, what it obeys, and where they are, from its documents. */
export const tableIn = (places: (cwd: string) => readonly HostPlace[]): HostRoom => ({
  find(site) {
    const levels = readLevels(places(site.cwd), site, read);
    const known = levels.filter(({ broken }) => broken === undefined || broken.isStale);
    return foundHooks({
      site,
      sources: known.map((level) => ({
        from: { ...level, ...hooksOfLevel(level) },
        off: undefined,
      })),
      files: levels,
      // They are denied while it is unknown which hooks guard them.
      guards: cursorEvents.guards('preToolUse', 'beforeSubmitPrompt'),
      problems: levels.flatMap(({ problems }) => problems),
      define: (from) => defineHooks(from, format),
    });
  },
  // The same command listed twice runs twice.
  identity: ({ file, place }) => `${file} ${place}`,
  matcherOf: (hook) =>
    traitsOf(cursorEventOf(hook)).matched === undefined ? undefined : hook.matcher || '*',
  compileMatcher,
  applies,
  subjectOf(hook) {
    const { calls, matched } = traitsOf(cursorEventOf(hook));
    return matched === 'tool' && calls === undefined ? 'tool_name' : undefined;
  },
  toolNames: () => [...toolTypes, ...ourTools],
  environment: environmentOf,
  stdin: toStdin,
  read: readAnswer,
  merge: mergeAnswers,
  readCall,
  reportCall,
  speaker,
  installation,
  writer: {
    ...installation,
    ...unanchored,
    toolName: toCursorTool,
    write: entryWriter(format.entry),
  },
});

/**
 * An event that Cursor does not know would cost the whole file. Events for shell or MCP calls alone are
 * left out, because `preToolUse` comes with them.
 */
const installed = cursorEvents.shared.filter((event) => traitsOf(event).calls === undefined);

const installation: EntriesInstallation = {
  kind: 'entries',
  programs: ['cursor-agent', 'cursor'],
  fresh: '{\n  "version": 1,\n  "hooks": {}\n}\n',
  file: (scope, { cwd, home }) => join(scope === 'user' ? home : cwd, '.cursor', 'hooks.json'),
  entries: (call) =>
    installed.map((event) => ({
      event,
      entry: { command: call(), timeout: speaker.timeoutAt(event) / 1_000 },
    })),
  after: (scope) =>
    scope === 'project'
      ? ['trust the workspace in Cursor: it runs project hooks only in trusted workspaces']
      : [],
  notes: () => ["in print mode, Cursor's command line runs no hooks for prompts or at the end"],
};
