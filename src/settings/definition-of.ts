import { defaultTimeout } from './default-timeout.ts';
import type { HookEventName } from '../protocol/events.ts';
import type { HooksFromSource } from './hooks-from-source.ts';
import type { HookDefinition } from './hook-definition.ts';
import { placeOf, type Path } from './problem.ts';
import type { HookEntry, OpenGroup } from './schema.ts';

/** The longest delay that a timer takes, in ms; a longer one would fire at once. */
const longestTimeout = 2_147_483_647;

/** A checked entry of the settings as a definition, with its defaults. */
export function definitionOf(
  hook: HookEntry,
  group: OpenGroup,
  event: HookEventName,
  place: Path,
  from: HooksFromSource,
): HookDefinition {
  const command = hook.type === 'command' ? (hook.command ?? '') : '';
  const matcher = group.matcher?.trim();
  return {
    event,
    type: hook.type,
    command,
    name: hook.name?.trim() || command || 'unknown-command',
    ...(hook.description !== undefined && { description: hook.description }),
    timeout: Math.min(hook.timeout ?? defaultTimeout, longestTimeout),
    ...(matcher !== undefined && { matcher }),
    sequential: group.sequential === true,
    ...onFailureOf(hook, from),
    ...(hook.leftBehind && { leftBehind: hook.leftBehind }),
    ...(hook.prestart && { prestart: true as const }),
    source: from.source,
    ...(from.file !== undefined && { file: from.file }),
    place: placeOf(place),
    env: from.env ?? {},
  };
}

/** Its own word, else that of its file (S-09). */
function onFailureOf(
  { onFailure }: HookEntry,
  from: HooksFromSource,
): Pick<HookDefinition, 'onFailure' | 'failsOpen'> {
  if (onFailure === 'block') return { onFailure };
  if (onFailure !== undefined) return { failsOpen: true };
  return from.onFailure ? { onFailure: from.onFailure } : {};
}

/** Whether an event's matcher should be a regular expression, and is none. */
export function isLiteral(event: HookEventName, matcher: string): boolean {
  if (event !== 'BeforeTool' && event !== 'AfterTool') return false;
  try {
    return !(matcher === '*' || new RegExp(matcher));
  } catch {
    return true;
  }
}
