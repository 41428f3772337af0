import type { UnaskedHook } from '../settings/hook-definition.ts';
import { createHash } from 'node:crypto';
import { relative } from 'node:path';
import type { HookEventName } from '../protocol/events.ts';

/** A hook; the event of a program is not known before it has been run, and is the program's own. */
export type AnyHook = UnaskedHook & { readonly event?: HookEventName };

/** Whether a hook stands in no settings but is a program that says its own event. */
export const isFoundProgram = ({ args, place }: Pick<AnyHook, 'args' | 'place'>): boolean =>
  args !== undefined && place === '';

/** The event of a hook; '' for a program that says its own. */
export const eventOf = (hook: AnyHook): string => (isFoundProgram(hook) ? '' : (hook.event ?? ''));

/** The hash of what decides when and how a hook runs: the description says nothing of that, and the place may move when another hook comes or goes. */
export const definitionHash = (hook: AnyHook, cwd: string): string =>
  createHash('sha256')
    .update(JSON.stringify(partsOf(hook, cwd)))
    .digest('hex');

function partsOf(hook: AnyHook, cwd: string): unknown[] {
  const { type, args, name, matcher, timeout, sequential, env } = hook;
  const onFailure = ownOnFailure(hook);
  const command = commandOf(hook, cwd);
  const how = [type, command, name, matcher ?? null, timeout, sequential, Object.entries(env)];
  const { leftBehind, prestart } = hook;
  return [
    eventOf(hook),
    ...how,
    ...(args ? [args] : []),
    ...(onFailure ? [{ onFailure }] : []),
    ...(leftBehind ? [{ leftBehind }] : []),
    ...(prestart ? [{ prestart }] : []),
    ...ownFields(hook),
  ];
}

/** A folder may be reached by several paths. */
const commandOf = (hook: AnyHook, cwd: string): string =>
  isFoundProgram(hook) ? relative(cwd, hook.command) : hook.command;

/** What only hooks of some types have, and what decides how those run. */
function ownFields(hook: AnyHook) {
  const { headers, allowedEnv, allowedUrls, retries, tokenFile, tls } = hook;
  const { model, concurrency, stream } = hook;
  const { cwd, shell, if: rule, once, async: isAsync, wakes, idempotent } = hook;
  const ofHttp = { headers, allowedEnv, allowedUrls, retries, tokenFile, tls };
  const ofTypes = { ...ofHttp, model, concurrency, stream };
  const fields = { ...ofTypes, cwd, shell, if: rule, once, async: isAsync, wakes, idempotent };
  return Object.entries(fields).filter(([, value]) => value !== undefined);
}

/** What the user's own settings say of failures may change without making a hook another one. */
const ownOnFailure = ({ inheritsOnFailure, onFailure }: AnyHook): AnyHook['onFailure'] =>
  inheritsOnFailure ? undefined : onFailure;

/** The same for people: one property a line. */
export function definitionText(hook: AnyHook, cwd: string): string {
  const { args, name, matcher, timeout, sequential, env, type, leftBehind, prestart } = hook;
  const command = commandOf(hook, cwd);
  const shown = {
    event: eventOf(hook) || undefined,
    name,
    type,
    command,
    args,
    matcher,
    timeout,
    sequential,
    onFailure: ownOnFailure(hook) ?? 'allow',
    leftBehind,
    prestart,
    ...Object.fromEntries(ownFields(hook)),
    ...(Object.keys(env).length > 0 && { env }),
  };
  return Object.entries(shown)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => `${key}: ${typeof value === 'string' ? value : JSON.stringify(value)}\n`)
    .join('');
}
