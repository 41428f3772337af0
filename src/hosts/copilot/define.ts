import { defined, isRecord } from '../../base/json.ts';
import type { HookDefinition } from '../../core/definitions/hook-definition.ts';
import type { HooksFromSource } from '../../core/definitions/hooks-from-source.ts';
import {
  checkEntries,
  discarded,
  lostEntry,
  placeOf,
  type Checked,
  type Complain,
  type Path,
} from '../../core/definitions/problem.ts';
import { said } from '../../base/message-of.ts';
import { nearestKey, reportSlips } from '../../settings/format/unknown-names.ts';
import { commentKey } from '../../settings/format/field.ts';
import {
  fieldReader,
  isSeconds,
  isText,
  isTexts,
  isTextsByName,
  longestTimeout,
  reportSeconds,
  type ReadField,
} from '../parts/hook-groups.ts';
import { servePortIn } from '../parts/relay-entry.ts';
import { copilotEventNamed, copilotEventNames, traitsOf, type CopilotEvent } from './events.ts';
import { matcherFault } from './matcher.ts';
import { environment } from '../../base/surroundings.ts';

/** The hooks of one file, and the folder in which they run if that is not the project's. */
export interface CopilotHooks extends HooksFromSource {
  readonly folder?: string;
}

/** Checks hooks entry by entry: a bad entry is skipped and the others still count. */
export function defineHooks(from: CopilotHooks): Checked<HookDefinition> {
  return checkEntries(from, (complain) => defineAll(from, complain));
}

function* defineAll(from: CopilotHooks, complain: Complain): Generator<HookDefinition> {
  const { hooks } = from;
  if (hooks === undefined) return;
  if (!isRecord(hooks)) {
    complain(
      () => ({
        path: ['hooks'],
        message: `${said(hooks)}, so no hook was read`,
        fix: 'make it an object: { "preToolUse": [ … ] }',
      }),
      {},
    );
    return;
  }
  for (const [name, items] of inTheirOrder(hooks)) {
    if (commentKey.test(name)) continue;
    const path = ['hooks', name];
    const event = copilotEventNamed(name);
    if (event === undefined)
      complain(() => ({
        path,
        message: 'Copilot has no such event, so it was skipped',
        fix: `use ${nearestKey(name, copilotEventNames) ?? 'one of its events, such as preToolUse'}`,
        code: 'unknown-event',
      }));
    else if (!Array.isArray(items))
      complain(
        () => ({
          path,
          message: `${said(items)}, so it was discarded`,
          fix: 'make it an array of hooks: [ { "type": "command", "bash": "…" } ]',
        }),
        { event: name },
      );
    else
      for (const [index, item] of items.entries())
        yield* defineItem(event, item, [...path, index], from, complain);
  }
}

/** Within one event, hooks in camel case run before those in Pascal case, wherever they are in the file. */
const inTheirOrder = (hooks: Readonly<Record<string, unknown>>): [string, unknown][] =>
  Object.entries(hooks).toSorted(
    ([one], [other]) => copilotEventNames.indexOf(one) - copilotEventNames.indexOf(other),
  );

/** Reads a hook, or a group of hooks as Claude Code's settings have them. */
function* defineItem(
  event: CopilotEvent,
  item: unknown,
  path: Path,
  from: CopilotHooks,
  complain: Complain,
): Generator<HookDefinition> {
  if (!isRecord(item) || !Array.isArray(item['hooks'])) {
    const hook = defineHook(event, item, path, from, complain);
    if (hook) yield hook;
    return;
  }
  reportSlips(item, path, ['matcher', 'hooks'], complain);
  const { hooks, matcher } = item;
  for (const [index, inner] of (hooks as unknown[]).entries()) {
    const own = isRecord(inner) && matcher !== undefined ? { matcher, ...inner } : inner;
    const hook = defineHook(event, own, [...path, 'hooks', index], from, complain);
    if (hook) yield hook;
  }
}

function defineHook(
  event: CopilotEvent,
  hook: unknown,
  path: Path,
  from: CopilotHooks,
  complain: Complain,
): HookDefinition | undefined {
  const lost = lostEntry(event.name, hook);
  const discard = (at: Path, value: unknown, fix: string): undefined =>
    discarded(complain, lost, at, value, fix);
  if (!isRecord(hook))
    return discard(path, hook, 'make it an object: { "type": "command", "bash": "…" }');
  const { type = 'command', matcher } = hook;
  if (type !== 'command' && type !== 'http')
    return discard([...path, 'type'], type, 'only hooks of type command or http run here');
  reportSlips(hook, path, hookKeys, complain);
  for (const key of ['timeoutSec', 'timeout']) reportSeconds(hook[key], path, key, complain);
  const field = fieldReader(hook, path, complain);
  const runs = type === 'http' ? requestOf(event, hook, field) : programOf(hook, field);
  if ('fault' in runs) return discard([...path, runs.at], hook[runs.at], runs.fault);
  if (matcher !== undefined && !isText(matcher))
    return discard([...path, 'matcher'], matcher, 'make it a string');
  const fault = matcher === undefined ? undefined : matcherFault(event, matcher);
  if (fault !== undefined)
    complain(() => ({
      path: [...path, 'matcher'],
      message: fault,
      fix: event.isPascal
        ? 'write names such as "Write|Edit", "*", or a regular expression, or leave it out'
        : 'write a regular expression on Copilot\'s own names, such as "create|edit", or leave it out',
    }));
  return {
    event: traitsOf(event).at,
    nativeEvent: event.name,
    type,
    timeout: timeoutOf(field),
    sequential: true,
    source: from.source,
    place: placeOf(path),
    env: { ...from.env, ...field('env', isTextsByName, 'an object of strings') },
    ...runs,
    ...defined({
      matcher: traitsOf(event).subject === undefined ? undefined : matcher,
      file: from.file,
      cwd: field('cwd', isText, 'a path') ?? from.folder,
      onFailure: from.onFailure,
    }),
  };
}

const hookKeys = [
  'type',
  'bash',
  'powershell',
  'command',
  'exec',
  'args',
  'url',
  'headers',
  'allowedEnvVars',
  'matcher',
  'cwd',
  'env',
  'timeout',
  'timeoutSec',
];

type Runs =
  | Pick<HookDefinition, 'command' | 'name' | 'args' | 'shell'>
  /** What it should run is missing, or there is more than one. */
  | { readonly fault: string; readonly at: string };

type Hook = Readonly<Record<string, unknown>>;

/** Returns what a command runs: a program, or shell text. */
function programOf(hook: Hook, field: ReadField): Runs {
  const texts = (['bash', 'command', 'powershell'] as const).filter((name) => name in hook);
  if ('exec' in hook) {
    const { exec } = hook;
    if (texts.length > 0)
      return { at: 'exec', fault: `use either "exec" or "${texts[0]}", not both` };
    if (!isText(exec) || !/\S/.test(exec)) return { at: 'exec', fault: 'name a program' };
    const args = field('args', isTexts, 'an array of strings') ?? [];
    return { command: exec, name: [exec, ...args].join(' '), args };
  }
  const [own = 'bash'] = texts;
  const text = hook[own];
  if (!isText(text) || !/\S/.test(text))
    return { at: own, fault: `say what to run: "${own}": "…"` };
  return { command: text, name: text, shell: own === 'powershell' ? 'powershell' : 'bash' };
}

/** Returns how an http hook posts. */
function requestOf(
  { name }: CopilotEvent,
  { url, headers }: Hook,
  field: ReadField,
): Runs & Partial<Pick<HookDefinition, 'headers' | 'allowedEnv' | 'allowedUrls'>> {
  if (!isText(url) || !URL.canParse(url))
    return { at: 'url', fault: 'say where to post: "url": "https://…"' };
  const { protocol, hostname } = new URL(url);
  const isOwn = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname);
  const mayBeOwn = environment()['COPILOT_HOOK_ALLOW_LOCALHOST'] === '1';
  const isRelay = servePortIn(url, headers) !== undefined;
  if (protocol !== 'https:' && !(protocol === 'http:' && isOwn && (mayBeOwn || isRelay)))
    return {
      at: 'url',
      fault: `post to https://…; for ${name} to http://localhost, set COPILOT_HOOK_ALLOW_LOCALHOST=1`,
    };
  return {
    command: url,
    name: url,
    allowedUrls: [url],
    allowedEnv: field('allowedEnvVars', isTexts, 'an array of names') ?? [],
    ...defined({ headers: field('headers', isTextsByName, 'an object of strings') }),
  };
}

/** Returns the timeout in ms, 30 seconds by default; the newer field takes precedence over the older one. */
function timeoutOf(field: ReadField): number {
  const wanted = 'a positive number of seconds';
  const given = field('timeoutSec', isSeconds, wanted) ?? field('timeout', isSeconds, wanted) ?? 30;
  return Math.min(given * 1_000, longestTimeout);
}
