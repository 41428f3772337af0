import { isRecord } from '../../base/json.ts';
import type { HookDefinition } from '../../core/definitions/hook-definition.ts';
import type { HooksFromSource } from '../../core/definitions/hooks-from-source.ts';
import {
  checkEntries,
  discarded,
  placeOf,
  type Checked,
  type Complain,
} from '../../core/definitions/problem.ts';
import { said } from '../../base/message-of.ts';
import {
  fieldReader,
  groupEntries,
  isFlag,
  longestTimeout,
  reportSeconds,
  type GroupEntry,
  type GroupFormat,
  type ReadField,
} from '../parts/hook-groups.ts';
import { codexEvents, snakeOf, traitsOf, type CodexEventName } from './events.ts';
import { matcherFault } from './matcher.ts';

/** The hooks of one file, and which of them the user switched off. */
export interface CodexHooks extends HooksFromSource {
  readonly file: string;
  /** Whether the user's config switches off the hook with this key. */
  readonly isOff: (key: string) => boolean;
}

const format: GroupFormat<CodexEventName> = {
  host: 'Codex',
  events: codexEvents.names,
  example: 'PreToolUse',
  groupKeys: ['matcher', 'hooks'],
  hookKeys: ['type', 'command', 'timeout', 'async', 'statusMessage'],
  // What the user's config remembers about hooks, and what an administrator says about theirs.
  reserved: ['state', 'managed_dir', 'windows_managed_dir'],
  matcherFault,
  matcherFix:
    'write names such as "Bash|apply_patch", or a regular expression without look-around and back-references',
};

/**
 * Checks hooks entry by entry: a bad entry is skipped alone, but a matcher that is not a string
 * discards the whole file, as it does in Codex.
 */
export function defineHooks(from: CodexHooks): Checked<HookDefinition> {
  return checkEntries(from, function* (complain) {
    const hooks = withoutNulls(from.hooks);
    const wrong = wrongMatcher(hooks);
    if (wrong) {
      complain(
        () => ({
          path: wrong.path,
          message: `${said(wrong.matcher)}, so none of the hooks in this file runs`,
          fix: 'make it a string',
        }),
        {},
      );
      return;
    }
    for (const entry of groupEntries({ ...from, hooks }, format, complain)) {
      const definition = defineHook(entry, from, complain);
      if (definition) yield definition;
    }
  });
}

/** A matcher that is null counts as absent. */
const withoutNulls = (hooks: unknown): unknown =>
  isRecord(hooks)
    ? Object.fromEntries(
        Object.entries(hooks).map(([event, groups]) => [
          event,
          Array.isArray(groups)
            ? groups.map((group: unknown) => {
                if (!isRecord(group) || group['matcher'] !== null) return group;
                const { matcher: _, ...others } = group;
                return others;
              })
            : groups,
        ]),
      )
    : hooks;

/** Returns the first matcher of a file that is not a string. */
function wrongMatcher(
  hooks: unknown,
): { readonly path: (string | number)[]; readonly matcher: unknown } | undefined {
  if (!isRecord(hooks)) return undefined;
  for (const event of codexEvents.names) {
    const groups = hooks[event];
    if (!Array.isArray(groups)) continue;
    for (const [index, group] of groups.entries()) {
      const matcher: unknown = isRecord(group) ? group['matcher'] : undefined;
      if (matcher !== undefined && typeof matcher !== 'string')
        return { path: ['hooks', event, index, 'matcher'], matcher };
    }
  }
  return undefined;
}

function defineHook(
  { event, matcher, hook, path, lost }: GroupEntry<CodexEventName>,
  from: CodexHooks,
  complain: Complain,
): HookDefinition | undefined {
  const discard = (field: string | undefined, value: unknown, fix: string): undefined =>
    discarded(complain, lost, field === undefined ? path : [...path, field], value, fix);
  if (!isRecord(hook))
    return discard(undefined, hook, 'make it an object: { "type": "command", "command": "…" }');
  const { type, command } = hook;
  if (type !== 'command') return discard('type', type, 'only hooks of type command run here');
  if (typeof command !== 'string' || !/\S/.test(command))
    return discard('command', command, 'say what to run: "command": "…"');
  // The positions in the file are part of the key by which Codex remembers a hook.
  const [, , group, , handler] = path;
  if (from.isOff(`${from.file}:${snakeOf(event)}:${group}:${handler}`)) return undefined;
  const field = fieldReader(hook, path, complain);
  if (longestOf(event) === Infinity) reportSeconds(hook['timeout'], path, 'timeout', complain);
  const isAsync = field('async', isFlag, 'true or false') === true;
  const isAwaited = event === 'SessionEnd';
  if (isAsync && isAwaited)
    complain(() => ({
      path: [...path, 'async'],
      message: 'nothing follows the end of a session, so the hook is waited for',
      fix: 'remove it',
    }));
  return {
    event: codexEvents.ours[event],
    nativeEvent: event,
    type,
    command,
    name: command,
    timeout: timeoutOf(event, field, () =>
      complain(() => ({
        path: [...path, 'timeout'],
        message: `${said(hook['timeout'])}, which is more than ${event} hooks may take, so it counts as ${longestOf(event)}`,
        fix: `make it ${longestOf(event)} or less`,
      })),
    ),
    sequential: false,
    source: from.source,
    file: from.file,
    place: placeOf(path),
    env: {},
    ...(traitsOf(event).subject !== undefined && matcher !== undefined && { matcher }),
    ...(isAsync && !isAwaited && { async: true }),
  };
}

const isSeconds = (value: unknown): value is number =>
  Number.isSafeInteger(value) && Number(value) >= 0;

const longestOf = (event: CodexEventName): number => 3 * (traitsOf(event).seconds ?? Infinity);

/** Returns a hook's timeout in ms; 0 seconds count as 1. */
function timeoutOf(event: CodexEventName, field: ReadField, onTooLong: () => void): number {
  const given = field('timeout', isSeconds, 'a whole number of seconds');
  const seconds = Math.max(1, given ?? traitsOf(event).seconds ?? 600);
  if (seconds > longestOf(event)) onTooLong();
  return Math.min(Math.min(seconds, longestOf(event)) * 1_000, longestTimeout);
}
