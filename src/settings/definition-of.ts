import type { HookEventName } from '../protocol/events.ts';
import type { HooksFromSource } from './define-hooks.ts';
import type { HookDefinition } from './hook-definition.ts';
import { placeOf, type Path } from './problem.ts';
import type { HookEntry, OpenGroup } from './schema.ts';

/** A hook's deadline where its definition names none that can be used, in ms (HOOK-120, C-32). */
export const defaultTimeout = 60_000;

/** The longest delay that a timer takes, in ms; a longer one would fire at once. */
const longestTimeout = 2_147_483_647;

/** Keys under `hooks` that name no event but once were settings (C-04). */
export const reserved: readonly string[] = ['enabled', 'disabled', 'notifications'];

/** A checked entry of the settings as a definition, with its defaults. */
export function definitionOf(
  hook: HookEntry,
  group: OpenGroup,
  event: HookEventName,
  place: Path,
  from: HooksFromSource,
): HookDefinition {
  const command = hook.type === 'command' ? hook.command : '';
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
    ...(hook.onFailure === 'block' && { onFailure: 'block' }),
    source: from.source,
    ...(from.file !== undefined && { file: from.file }),
    place: placeOf(place),
    env: from.env ?? {},
  };
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
