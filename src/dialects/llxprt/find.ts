import { defineHooks } from '../../settings/define-hooks.ts';
import type { HookDefinition } from '../../settings/hook-definition.ts';
import type { FoundHooks, HookSite } from '../hook-site.ts';

/** The hooks of the settings and of extensions, checked entry by entry (HOOK-082 to 085). */
export function findHooks(site: HookSite): FoundHooks {
  const read = site.settings().map((from) =>
    // Only settings in code can hold functions.
    defineHooks(from, [
      'command',
      'plugin',
      ...(from.file === undefined ? (['function'] as const) : []),
    ]),
  );
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
