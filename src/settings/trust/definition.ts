import type { UnaskedHook } from '../../core/definitions/hook-definition.ts';
import { createHash } from 'node:crypto';
import { relative } from 'node:path';
import type { HookEventName } from '../../core/protocol/events.ts';

/** A hook. A program decides its own event, which is unknown until it has been run. */
export type AnyHook = UnaskedHook & { readonly event?: HookEventName };

/** Whether a hook is not in any settings but is a program that states its own event. */
export const isFoundProgram = ({ args, place }: Pick<AnyHook, 'args' | 'place'>): boolean =>
  args !== undefined && place === '';

/** Returns the event of a hook; '' for a program that states its own. */
export const eventOf = (hook: AnyHook): string => (isFoundProgram(hook) ? '' : (hook.event ?? ''));

/**
 * Returns the hash of everything that decides when and how a hook runs. The description is not part of it,
 * and neither is the place, which may move when another hook comes or goes.
 */
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

/** Relative for a found program, because several paths may lead to its folder. */
const commandOf = (hook: AnyHook, cwd: string): string =>
  isFoundProgram(hook) ? relative(cwd, hook.command) : hook.command;

/** Returns the fields that only some types of hooks have, and those that decide how these run. */
function ownFields(hook: AnyHook) {
  const { headers, allowedEnv, allowedUrls, retries, tokenFile, tls } = hook;
  const { model, concurrency, stream } = hook;
  const { agent, secretFile, schema, entities, default: byDefault, request } = hook;
  const { cwd, shell, if: rule, once, async: isAsync, wakes, idempotent } = hook;
  const ofHttp = { headers, allowedEnv, allowedUrls, retries, tokenFile, tls };
  const ofAcs = { agent, secretFile };
  const ofCedar = { schema, entities, default: byDefault, request };
  const ofTypes = { ...ofHttp, ...ofAcs, ...ofCedar, model, concurrency, stream };
  const fields = { ...ofTypes, cwd, shell, if: rule, once, async: isAsync, wakes, idempotent };
  return Object.entries(fields).filter(([, value]) => value !== undefined);
}

/** The user's own settings for failures may change without making it a different hook. */
const ownOnFailure = ({ inheritsOnFailure, onFailure }: AnyHook): AnyHook['onFailure'] =>
  inheritsOnFailure ? undefined : onFailure;

/** Returns a hook's definition for people, one property per line. */
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
