import { defined } from '../../base/json.ts';
import type { HookDefinition } from '../../core/definitions/hook-definition.ts';
import type { HooksFromSource } from '../../core/definitions/hooks-from-source.ts';
import {
  checkEntries,
  placeOf,
  type Checked,
  type Complain,
  type Path,
} from '../../core/definitions/problem.ts';
import { said } from '../../base/message-of.ts';
import {
  fieldReader,
  type GroupEntry,
  groupEntries,
  isFlag,
  isSeconds,
  isShell,
  isText,
  isTexts,
  isTextsByName,
  longestTimeout,
  reportSeconds,
  type GroupFormat,
  type ReadField,
} from '../parts/hook-groups.ts';
import { typedHook, type HandlerType } from '../parts/typed-hook.ts';
import {
  claudeEvents,
  failsOpenAt,
  toolEvents,
  traitsOf,
  usualSeconds,
  type ClaudeEventName,
} from './events.ts';
import { matcherFault } from './matcher.ts';
import { parseRule } from './rules.ts';

type Fields = Readonly<Record<string, unknown>>;

/** The hooks of one file, and the folders that its commands may name. */
export interface ClaudeHooks extends HooksFromSource {
  /** The folders that `${NAME}` stands for in `args`, by name. */
  readonly folders: Readonly<Record<string, string>>;
  /** The URLs that http hooks may post to, if the settings list them. */
  readonly allowedUrls?: readonly string[] | undefined;
  /** The variables that the headers of http hooks may use, if the settings list them. */
  readonly allowedEnv?: readonly string[] | undefined;
}

/**
 * Checks hooks entry by entry: a bad entry is skipped and the others still count, which Claude Code
 * does not promise.
 */
export function defineHooks(from: ClaudeHooks): Checked<HookDefinition> {
  return checkEntries(from, (complain) => defineAll(from, complain));
}

function* defineAll(from: ClaudeHooks, complain: Complain): Generator<HookDefinition> {
  for (const entry of groupEntries(from, format, complain)) {
    const definition = defineHook(entry, from, complain);
    if (definition) yield definition;
  }
}

const format: GroupFormat<ClaudeEventName> = {
  host: 'Claude Code',
  events: claudeEvents.names,
  example: 'PreToolUse',
  groupKeys: ['matcher', 'hooks'],
  hookKeys: [
    'type',
    'command',
    'args',
    'url',
    'headers',
    'allowedEnvVars',
    'prompt',
    'model',
    'timeout',
    'if',
    'shell',
    'once',
    'async',
    'asyncRewake',
    'statusMessage',
    'onFailure',
  ],
  matcherFault: (event, matcher) => traitsOf(event).subject && matcherFault(matcher),
  matcherFix:
    'write names such as "Write|Edit", or a regular expression; a permission rule belongs in the "if" of a hook',
};

function defineHook(
  entry: GroupEntry<ClaudeEventName>,
  from: ClaudeHooks,
  complain: Complain,
): HookDefinition | undefined {
  const typed = typedHook(entry, complain);
  if (typed === undefined) return undefined;
  const { event, matcher, path } = entry;
  const { type, command, fields } = typed;
  const field = fieldReader(fields, path, complain);
  reportSeconds(fields['timeout'], path, 'timeout', complain);
  const args = type === 'command' ? field('args', isTexts, 'an array of strings') : undefined;
  const inPlace = (text: string): string =>
    text.replaceAll(/\$\{(\w+)\}/g, (whole, name: string) => from.folders[name] ?? whole);
  const shell = shellOf(args, field);
  const rule = ruleOf(event, fields, path, complain);
  const isAsync = field('async', isFlag, 'true or false') === true;
  const wakes = field('asyncRewake', isFlag, 'true or false') === true;
  return {
    event: claudeEvents.ours[event],
    nativeEvent: event,
    type,
    command: args ? inPlace(command) : command,
    name: [command, ...(args ?? [])].join(' '),
    timeout: timeoutOf(event, type, field),
    sequential: false,
    source: from.source,
    place: placeOf(path),
    env: from.env ?? {},
    ...onFailureOf(event, isAsync || wakes, fields, from, field),
    ...(type === 'http' && requestOf(command, from, field)),
    ...defined({
      args: args?.map(inPlace),
      matcher: traitsOf(event).subject === undefined ? undefined : matcher?.trim(),
      file: from.file,
      shell: type === 'command' ? shell : undefined,
      if: rule,
      model: type === 'prompt' ? field('model', isText, 'a string') : undefined,
      async: isAsync || wakes || undefined,
      wakes: wakes || undefined,
    }),
  };
}

/**
 * Returns a hook's timeout in ms; the default depends on its event and its type
 * (code.claude.com/docs/en/hooks).
 */
function timeoutOf(event: ClaudeEventName, type: HandlerType, field: ReadField): number {
  const given = field('timeout', isSeconds, 'a positive number of seconds');
  const usual = type === 'prompt' ? 30 : usualSeconds(event);
  return Math.min((given ?? usual) * 1_000, longestTimeout);
}

/** The shell that runs a command: the system's own unless the hook names one. */
function shellOf(args: readonly string[] | undefined, field: ReadField): HookDefinition['shell'] {
  if (args) return undefined;
  return field('shell', isShell, '"bash" or "powershell"') ?? 'sh';
}

/** Returns a hook's rule; a rule that cannot be parsed does not keep the hook from running. */
function ruleOf(
  event: ClaudeEventName,
  hook: Fields,
  path: Path,
  complain: Complain,
): string | undefined {
  const { if: rule } = hook;
  if (rule === undefined) return undefined;
  const at = [...path, 'if'];
  if (typeof rule !== 'string' || parseRule(rule) === undefined) {
    complain(() => ({
      path: at,
      message: `${said(rule)}, which is not a permission rule, so the hook runs for everything its matcher matches; Claude Code would never run it`,
      fix: 'write one rule, such as "Bash(git push *)"',
    }));
    return undefined;
  }
  if (!toolEvents.has(event))
    complain(() => ({
      path: at,
      message: 'is checked only at tool events, so this hook never runs',
      fix: 'remove it',
    }));
  return rule;
}

const isFailureWord = (value: unknown): value is string =>
  value === 'block' || value === 'continue' || value === 'allow';

/** What a failure means: a word that is not known makes the hook a guard, as elsewhere. */
function onFailureOf(
  event: ClaudeEventName,
  isAsync: boolean,
  { onFailure: given }: Fields,
  from: ClaudeHooks,
  field: ReadField,
): Pick<HookDefinition, 'onFailure' | 'failsOpen'> {
  const word = field('onFailure', isFailureWord, '"continue" or "block"; it counts as "block"');
  if (isAsync || failsOpenAt.has(event)) return { failsOpen: true };
  if (given === undefined) return from.onFailure ? { onFailure: from.onFailure } : {};
  return word === 'continue' || word === 'allow' ? { failsOpen: true } : { onFailure: 'block' };
}

/**
 * Returns how an http hook posts. A list in the settings narrows what the hook says; without a list of
 * URLs, the hook's own URL is allowed.
 */
function requestOf(
  url: string,
  { allowedUrls, allowedEnv }: ClaudeHooks,
  field: ReadField,
): Pick<HookDefinition, 'headers' | 'allowedEnv' | 'allowedEnvKey' | 'allowedUrls'> {
  const named = field('allowedEnvVars', isTexts, 'an array of names') ?? [];
  return defined({
    headers: field('headers', isTextsByName, 'an object of strings'),
    allowedEnvKey: 'allowedEnvVars',
    allowedEnv: allowedEnv ? named.filter((name) => allowedEnv.includes(name)) : named,
    allowedUrls: allowedUrls ?? [url],
  });
}
