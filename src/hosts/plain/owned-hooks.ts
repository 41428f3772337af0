import type { HookDefinition } from '../../core/definitions/hook-definition.ts';
import type { HooksFromSource } from '../../core/definitions/hooks-from-source.ts';
import type { SettingsOwner } from '../../core/definitions/settings.ts';
import type { FoundHooks, HookSite } from '../../core/dialects/hook-site.ts';
import { defineHooks, type SettingsFormat } from '../../settings/files/define-hooks.ts';

/** Returns the hooks in one owner's settings, whose format may differ from source to source. */
export function hooksOf(
  owner: SettingsOwner,
  site: HookSite,
  formatOf: (from: HooksFromSource) => SettingsFormat,
): FoundHooks {
  const own = site.settings().filter((from) => (from.owner ?? 'llxprt') === owner);
  const read = own.map((from) => defineHooks(from, formatOf(from)));
  return {
    definitions: read.flatMap(({ definitions }) => definitions),
    problems: read.flatMap(({ problems }) => problems),
    unasked: [],
  };
}

/**
 * Returns the command alone, unless it names a variable of its own source: `${extensionPath}/x` is a
 * different script in each extension.
 */
export function identityOf({ event, type, command, name, env, call }: HookDefinition): string {
  if (type === 'plugin') return `${event} plugin:${name}`;
  if (call !== undefined) return `${event} function:${numberOf(call)}`;
  const own = Object.entries(env).filter(([variable]) => command.includes(variable));
  return `${event} ${type}:${command}${own.length > 0 ? JSON.stringify(own) : ''}`;
}

const numbers = new WeakMap<object, number>();
let functionsKnown = 0;

/** Numbers functions, because they have no text that tells them apart. */
function numberOf(call: object): number {
  const number = numbers.get(call) ?? functionsKnown++;
  numbers.set(call, number);
  return number;
}
