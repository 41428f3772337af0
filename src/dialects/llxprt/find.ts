import { defineHooks } from '../../settings/define-hooks.ts';
import type { HookDefinition } from '../../settings/hook-definition.ts';
import type { FoundHooks, HookSite } from '../hook-site.ts';

/** The hooks of the settings and of extensions, checked entry by entry (HOOK-082 to 085). */
export function findHooks(site: HookSite): FoundHooks {
  const read = site.settings().map(defineHooks);
  return {
    definitions: read.flatMap(({ definitions }) => definitions),
    problems: read.flatMap(({ problems }) => problems),
    unasked: [],
  };
}

/** The command alone, unless it names a variable of its own source: `${extensionPath}/x` is another script in each extension. */
export function identityOf({ event, type, command, name, env }: HookDefinition): string {
  if (type === 'plugin') return `${event} plugin:${name}`;
  const own = Object.entries(env).filter(([variable]) => command.includes(variable));
  return `${event} command:${command}${own.length > 0 ? JSON.stringify(own) : ''}`;
}
