import { defineHooks, type SettingsFormat } from '../../settings/define-hooks.ts';
import type { HookDefinition } from '../../settings/hook-definition.ts';
import type { HooksFromSource } from '../../settings/hooks-from-source.ts';
import type { SettingsOwner } from '../../settings/levels.ts';
import type { FoundHooks, HookSite } from '../hook-site.ts';

/** The hooks of the settings and of extensions, checked entry by entry (HOOK-082 to 085). */
export const findHooks = (site: HookSite): FoundHooks =>
  hooksOf('llxprt', site, ({ file }) => ({
    // Only settings in code can hold functions.
    kinds: ['command', 'plugin', ...(file === undefined ? (['function'] as const) : [])],
  }));

/** The hooks of one owner's settings, whose format may differ from one source to the other. */
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

/** The command alone, unless it names a variable of its own source: `${extensionPath}/x` is another script in each extension. */
export function identityOf({ event, type, command, name, env, call }: HookDefinition): string {
  if (type === 'plugin') return `${event} plugin:${name}`;
  if (call !== undefined) return `${event} function:${numberOf(call)}`;
  const own = Object.entries(env).filter(([variable]) => command.includes(variable));
  return `${event} ${type}:${command}${own.length > 0 ? JSON.stringify(own) : ''}`;
}

const numbers = new WeakMap<object, number>();
let functionsKnown = 0;

/** Functions have no text to tell them apart by. */
function numberOf(call: object): number {
  const number = numbers.get(call) ?? functionsKnown++;
  numbers.set(call, number);
  return number;
}
