import { defined, isRecord } from '../../protocol/output.ts';
import type { HookDefinition } from '../../settings/hook-definition.ts';
import type { HooksFromSource } from '../../settings/hooks-from-source.ts';
import { nearestKey } from '../../settings/unknown-names.ts';
import {
  collectProblems,
  placeOf,
  said,
  type Complain,
  type Path,
  type SettingsProblem,
} from '../../settings/problem.ts';
import {
  claudeEvents,
  failsOpenAt,
  isClaudeEvent,
  toolEvents,
  traitsOf,
  type ClaudeEventName,
} from './events.ts';
import { matcherFault } from './matcher.ts';
import { parseRule } from './rules.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Hooks of one file, and the folders that its commands may name. */
export interface ClaudeHooks extends HooksFromSource {
  /** By the name of a variable that stands in `args` as `${NAME}`, what it is. */
  readonly folders: Readonly<Record<string, string>>;
  /** The URLs that http hooks may post to, where the settings say so. */
  readonly allowedUrls?: readonly string[] | undefined;
  /** The variables that the headers of http hooks may use, where the settings say so. */
  readonly allowedEnv?: readonly string[] | undefined;
}

/** Checks hooks entry by entry: a bad one costs itself and nothing else, which Claude Code does not promise. */
export function defineHooks(from: ClaudeHooks): {
  definitions: HookDefinition[];
  problems: SettingsProblem[];
} {
  const definitions: HookDefinition[] = [];
  const problems = collectProblems(from, (complain) => {
    for (const definition of defineAll(from, complain)) definitions.push(definition);
  });
  return { definitions, problems };
}

function* defineAll(from: ClaudeHooks, complain: Complain): Generator<HookDefinition> {
  const { hooks } = from;
  if (hooks === undefined) return;
  if (!isRecord(hooks)) {
    complain(() => ({
      path: ['hooks'],
      message: `${said(hooks)}, so no hook was read`,
      fix: 'make it an object: { "PreToolUse": [ … ] }',
    }));
    return;
  }
  for (const [event, groups] of Object.entries(hooks)) {
    const path = ['hooks', event];
    if (!isClaudeEvent(event)) {
      complain(() => ({
        path,
        message: 'Claude Code has no such event, so it was skipped',
        fix: `use ${nearestKey(event, Object.keys(claudeEvents)) ?? 'one of its events, such as PreToolUse'}`,
      }));
      continue;
    }
    if (!Array.isArray(groups)) {
      complain(() => ({
        path,
        message: `${said(groups)}, so it was discarded`,
        fix: 'make it an array of hook groups: [ { "hooks": [ … ] } ]',
      }));
      continue;
    }
    for (const [index, group] of groups.entries())
      yield* defineGroup(event, group, [...path, index], from, complain);
  }
}

function* defineGroup(
  event: ClaudeEventName,
  group: unknown,
  path: Path,
  from: ClaudeHooks,
  complain: Complain,
): Generator<HookDefinition> {
  if (!isRecord(group) || !Array.isArray(group['hooks'])) {
    const isHook = isRecord(group) && ('command' in group || 'type' in group);
    complain(() => ({
      path: isRecord(group) ? [...path, 'hooks'] : path,
      message: `${said(isRecord(group) ? group['hooks'] : group)}, so the group was discarded`,
      fix: isHook
        ? 'put the hook into a group: { "hooks": [ … ] }'
        : 'make it a hook group: { "matcher": "…", "hooks": [ … ] }',
    }));
    return;
  }
  const { matcher } = group;
  const wrongMatcher =
    matcher === undefined
      ? undefined
      : typeof matcher === 'string'
        ? traitsOf(event).subject && matcherFault(matcher)
        : `${said(matcher)}, so the group was discarded`;
  if (wrongMatcher !== undefined)
    complain(() => ({
      path: [...path, 'matcher'],
      message: wrongMatcher,
      fix: 'write names such as "Write|Edit", or a regular expression; a permission rule belongs in the "if" of a hook',
    }));
  if (matcher !== undefined && typeof matcher !== 'string') return;
  for (const [index, hook] of (group['hooks'] as unknown[]).entries()) {
    const definition = defineHook(event, hook, matcher, [...path, 'hooks', index], from, complain);
    if (definition) yield definition;
  }
}

/** The kinds of hooks that run here, and the field that says what each runs. */
const handlers = { command: 'command', http: 'url', prompt: 'prompt' } as const;

const isHandler = (type: unknown): type is keyof typeof handlers =>
  typeof type === 'string' && Object.hasOwn(handlers, type);

function defineHook(
  event: ClaudeEventName,
  hook: unknown,
  matcher: string | undefined,
  path: Path,
  from: ClaudeHooks,
  complain: Complain,
): HookDefinition | undefined {
  const discard = (at: Path, value: unknown, fix: string): undefined => {
    complain(() => ({ path: at, message: `${said(value)}, so the hook was discarded`, fix }));
  };
  if (!isRecord(hook))
    return discard(path, hook, 'make it an object: { "type": "command", "command": "…" }');
  const { type } = hook;
  if (!isHandler(type))
    return discard(
      [...path, 'type'],
      type,
      `hooks that run here are of type ${Object.keys(handlers).join(', ')}`,
    );
  const command = hook[handlers[type]];
  if (typeof command !== 'string' || !/\S/.test(command))
    return discard([...path, handlers[type]], command, `say what to run: "${handlers[type]}": "…"`);
  const field = fieldReader(hook, path, complain);
  const args = type === 'command' ? field('args', isTexts, 'an array of strings') : undefined;
  const inPlace = (text: string): string =>
    text.replaceAll(/\$\{(\w+)\}/g, (whole, name: string) => from.folders[name] ?? whole);
  const shell = shellOf(args, field);
  const rule = ruleOf(event, hook, path, complain);
  const isAsync = field('async', isFlag, 'true or false') === true;
  const wakes = field('asyncRewake', isFlag, 'true or false') === true;
  return {
    event: claudeEvents[event].at,
    nativeEvent: event,
    type,
    command: args ? inPlace(command) : command,
    name: [command, ...(args ?? [])].join(' '),
    timeout: timeoutOf(event, type, field),
    sequential: false,
    source: from.source,
    place: placeOf(path),
    env: from.env ?? {},
    ...onFailureOf(event, isAsync || wakes, hook, from, field),
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

type ReadField = <T>(
  name: string,
  fits: (value: unknown) => value is T,
  wanted: string,
) => T | undefined;

/** A field of a hook; one that does not fit is reported, and is as good as absent. */
const fieldReader =
  (hook: Fields, path: Path, complain: Complain): ReadField =>
  (name, fits, wanted) => {
    const value = hook[name];
    if (value === undefined || fits(value)) return value;
    complain(() => ({
      path: [...path, name],
      message: `${said(value)}, so it was ignored`,
      fix: `make it ${wanted}`,
    }));
    return undefined;
  };

const isText = (value: unknown): value is string => typeof value === 'string';
const isFlag = (value: unknown): value is boolean => typeof value === 'boolean';
const isTexts = (value: unknown): value is string[] => Array.isArray(value) && value.every(isText);
const isTextsByName = (value: unknown): value is Readonly<Record<string, string>> =>
  isRecord(value) && Object.values(value).every(isText);
const isSeconds = (value: unknown): value is number =>
  typeof value === 'number' && Number.isFinite(value) && value > 0;

/** The longest delay that a timer takes, in ms; a longer one would fire at once. */
const longestTimeout = 2_147_483_647;

/** Seconds that a hook has where it does not say it, by its event and its kind (code.claude.com/docs/en/hooks). */
function timeoutOf(event: ClaudeEventName, type: keyof typeof handlers, field: ReadField): number {
  const given = field('timeout', isSeconds, 'a positive number of seconds');
  const usual = type === 'prompt' ? 30 : (shorter[event] ?? 600);
  return Math.min((given ?? usual) * 1_000, longestTimeout);
}

const shorter: Readonly<Partial<Record<ClaudeEventName, number>>> = {
  UserPromptSubmit: 30,
  PreModelSwitch: 30,
  PostModelSwitch: 30,
  MessageDisplay: 10,
  SessionEnd: 60,
};

const isShell = (value: unknown): value is 'bash' | 'powershell' =>
  value === 'bash' || value === 'powershell';

/** The shell that runs a command: the system's own unless the hook wants bash. */
function shellOf(args: readonly string[] | undefined, field: ReadField): HookDefinition['shell'] {
  if (args) return undefined;
  return field('shell', isShell, '"bash" or "powershell"') ?? 'sh';
}

/** The rule of a hook; one that cannot be read does not keep the hook from running (S-20). */
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
      message: `${said(rule)}, which is no permission rule, so the hook runs for all that its matcher fits; Claude Code would never run it`,
      fix: 'write one rule, such as "Bash(git push *)"',
    }));
    return undefined;
  }
  if (!toolEvents.has(event))
    complain(() => ({
      path: at,
      message: 'is looked at only at the events of tools, so this hook never runs',
      fix: 'remove it',
    }));
  return rule;
}

const isFailureWord = (value: unknown): value is string =>
  value === 'block' || value === 'continue' || value === 'allow';

/** What a failure means: whatever is no known word means a guard, as elsewhere (S-09). */
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

/** How an http hook posts; a list of the settings narrows what the hook says, and its own URL is one that it names. */
function requestOf(
  url: string,
  { allowedUrls, allowedEnv }: ClaudeHooks,
  field: ReadField,
): Pick<HookDefinition, 'headers' | 'allowedEnv' | 'allowedUrls'> {
  const named = field('allowedEnvVars', isTexts, 'an array of names') ?? [];
  return defined({
    headers: field('headers', isTextsByName, 'an object of strings'),
    allowedEnv: allowedEnv ? named.filter((name) => allowedEnv.includes(name)) : named,
    allowedUrls: allowedUrls ?? [url],
  });
}
