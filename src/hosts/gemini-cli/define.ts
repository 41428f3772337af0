import { defined, isRecord } from '../../base/json.ts';
import { HookEventName, type LifecycleEvent } from '../../core/protocol/events.ts';
import type { HookDefinition } from '../../core/definitions/hook-definition.ts';
import type { HooksFromSource } from '../../core/definitions/hooks-from-source.ts';
import { defaultTimeout } from '../../settings/format/hook-fields.ts';
import { reserved } from '../../settings/format/settings-fields.ts';
import {
  checkEntries,
  discarded,
  placeOf,
  type Checked,
  type Complain,
} from '../../core/definitions/problem.ts';
import { said } from '../../base/message-of.ts';
import { isRegex } from '../../base/bounded-regex.ts';
import {
  fieldReader,
  groupEntries,
  isFlag,
  isText,
  isTextsByName,
  longestTimeout,
  reportMilliseconds,
  type GroupEntry,
  type GroupFormat,
} from '../parts/hook-groups.ts';
import { withQuotedNames } from '../parts/quoted-names.ts';
import { ignoresMatchers } from './matcher.ts';

const format: GroupFormat<LifecycleEvent> = {
  host: 'Gemini CLI',
  events: Object.values(HookEventName),
  example: 'BeforeTool',
  groupKeys: ['matcher', 'sequential', 'hooks'],
  hookKeys: ['type', 'command', 'name', 'description', 'timeout', 'env'],
  reserved,
  matcherFault: (event, matcher) =>
    ignoresMatchers(event) || !isTool(event) || matcher.trim() === '*' || isRegex(matcher.trim())
      ? undefined
      : 'is not a valid regular expression, so it matches only a tool of exactly that name',
  matcherFix:
    'write a regular expression, such as "write_file|replace"; "*" alone matches every tool',
};

const isTool = (event: LifecycleEvent): boolean => event === 'BeforeTool' || event === 'AfterTool';

/**
 * Checks hooks entry by entry: a bad one is skipped, and the others still count. `isOff` says whether
 * the settings disable a hook by its name.
 */
export function defineHooks(
  from: HooksFromSource,
  isOff: (name: string) => boolean,
): Checked<HookDefinition> {
  return checkEntries(from, function* (complain) {
    for (const entry of groupEntries(from, format, complain)) {
      const definition = defineHook(entry, from, complain);
      if (definition && !isOff(definition.name)) yield definition;
    }
  });
}

/** The variables whose values Gemini CLI puts into the text of a command. */
const replacedNames = [
  'GEMINI_PROJECT_DIR',
  'GEMINI_CWD',
  'GEMINI_SESSION_ID',
  'GEMINI_PLANS_DIR',
  'CLAUDE_PROJECT_DIR',
  'extensionPath',
  'workspacePath',
];

function defineHook(
  { event, group, matcher, hook, path, lost }: GroupEntry<LifecycleEvent>,
  from: HooksFromSource,
  complain: Complain,
): HookDefinition | undefined {
  const discard = (at: typeof path, value: unknown, fix: string): undefined =>
    discarded(complain, lost, at, value, fix);
  if (!isRecord(hook))
    return discard(path, hook, 'make it an object: { "type": "command", "command": "…" }');
  const { type, command } = hook;
  if (type !== 'command')
    return discard([...path, 'type'], type, 'Gemini CLI runs only hooks of "type": "command"');
  if (typeof command !== 'string' || !/\S/.test(command))
    return discard([...path, 'command'], command, 'say what to run: "command": "…"');
  const field = fieldReader(hook, path, complain);
  const name = field('name', isText, 'a string') || command;
  const sequential = fieldReader(group, path.slice(0, -2), complain)(
    'sequential',
    isFlag,
    'true or false',
  );
  return {
    event,
    type,
    command: withQuotedNames(
      from.source === 'extension' ? command.replaceAll('${/}', '/') : command,
      replacedNames,
    ),
    name,
    shell: 'bash',
    timeout: timeoutOf(hook, path, complain),
    sequential: sequential === true,
    source: from.source,
    place: placeOf(path),
    env: { ...from.env, ...field('env', isTextsByName, 'an object of strings') },
    ...defined({
      description: field('description', isText, 'a string'),
      matcher: ignoresMatchers(event) ? undefined : matcher?.trim(),
      file: from.file,
    }),
  };
}

/** Returns the timeout in ms. A timeout of 0 ends the hook at once, as in Gemini CLI, and is reported. */
function timeoutOf(
  { timeout }: Readonly<Record<string, unknown>>,
  path: GroupEntry<LifecycleEvent>['path'],
  complain: Complain,
): number {
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
