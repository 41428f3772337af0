import { defined } from '../../base/json.ts';
import type { HookDefinition } from '../../core/definitions/hook-definition.ts';
import type { HooksFromSource } from '../../core/definitions/hooks-from-source.ts';
import { defaultTimeout } from '../../settings/format/hook-fields.ts';
import { reserved } from '../../settings/format/settings-fields.ts';
import {
  checkEntries,
  placeOf,
  type Checked,
  type Complain,
} from '../../core/definitions/problem.ts';
import { said } from '../../base/message-of.ts';
import {
  fieldReader,
  groupEntries,
  isFlag,
  isShell,
  isText,
  isTexts,
  isTextsByName,
  longestTimeout,
  type GroupEntry,
  type GroupFormat,
} from '../parts/hook-groups.ts';
import { typedHook, type HandlerType } from '../parts/typed-hook.ts';
import { qwenEvents, traitsOf, type QwenEventName } from './events.ts';
import { matcherFault } from './matcher.ts';

const format: GroupFormat<QwenEventName> = {
  host: 'Qwen Code',
  events: qwenEvents.names,
  example: 'PreToolUse',
  groupKeys: ['matcher', 'sequential', 'hooks'],
  hookKeys: [
    'type',
    'command',
    'url',
    'headers',
    'allowedEnvVars',
    'prompt',
    'model',
    'name',
    'description',
    'timeout',
    'env',
    'shell',
    'async',
    'once',
    'statusMessage',
  ],
  reserved,
  matcherFault: (event, matcher) =>
    traitsOf(event).subject === undefined ? undefined : matcherFault(matcher),
  matcherFix: 'write names such as "write_file|edit", or a regular expression',
};

/** Checks hooks entry by entry: a bad one is skipped, and the others still count. */
export function defineHooks(from: HooksFromSource): Checked<HookDefinition> {
  return checkEntries(from, (complain) => defineAll(from, complain));
}

function* defineAll(from: HooksFromSource, complain: Complain): Generator<HookDefinition> {
  for (const entry of groupEntries(from, format, complain)) {
    const definition = defineHook(entry, from, complain);
    if (definition) yield definition;
  }
}

function defineHook(
  entry: GroupEntry<QwenEventName>,
  from: HooksFromSource,
  complain: Complain,
): HookDefinition | undefined {
  const typed = typedHook(entry, complain);
  if (typed === undefined) return undefined;
  const { event, group, matcher, path } = entry;
  const { type, command, fields } = typed;
  const field = fieldReader(fields, path, complain);
  const groupField = fieldReader(group, path.slice(0, -2), complain);
  return {
    event: qwenEvents.ours[event],
    nativeEvent: event,
    type,
    command,
    name: field('name', isText, 'a string') || command,
    timeout: timeoutOf(type, fields, path, complain),
    sequential: groupField('sequential', isFlag, 'true or false') === true,
    source: from.source,
    place: placeOf(path),
    env: { ...from.env, ...field('env', isTextsByName, 'an object of strings') },
    ...(type === 'http' && {
      allowedEnv: field('allowedEnvVars', isTexts, 'an array of names') ?? [],
      allowedUrls: [command],
    }),
    ...defined({
      description: field('description', isText, 'a string'),
      matcher: traitsOf(event).subject === undefined ? undefined : matcher?.trim(),
      file: from.file,
      shell:
        type === 'command'
          ? (field('shell', isShell, '"bash" or "powershell"') ?? 'bash')
          : undefined,
      headers:
        type === 'http' ? field('headers', isTextsByName, 'an object of strings') : undefined,
      model: type === 'prompt' ? field('model', isText, 'a string') : undefined,
      async: (type === 'command' && field('async', isFlag, 'true or false') === true) || undefined,
    }),
  };
}

/** From this number on, a timeout is in milliseconds instead of seconds. */
const fewestMilliseconds = 1_000;

/**
 * Returns the timeout in ms. It is given in seconds, or from 1000 on in milliseconds, possibly as a text;
 * anything else yields the default.
 */
function timeoutOf(
  type: HandlerType,
  { timeout }: Readonly<Record<string, unknown>>,
  path: GroupEntry<QwenEventName>['path'],
  complain: Complain,
): number {
  const usual = type === 'prompt' ? 30_000 : defaultTimeout;
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
