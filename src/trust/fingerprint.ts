import { createHash } from 'node:crypto';
import { relative } from 'node:path';
import type { UnaskedHook } from '../dialects/hook-site.ts';
import type { HookEventName } from '../protocol/events.ts';
import { scriptFiles, type ScriptFile } from './script-files.ts';

/** What a user trusts when they trust a hook. */
export interface HookFingerprint {
  readonly event: string;
  readonly name: string;
  /** Where in the settings it stood. */
  readonly place: string;
  /** The hash of what decides when and how it runs. */
  readonly definition: string;
  readonly scripts: readonly ScriptFile[];
}

/** A hook; the event of a program is not known before it has been run, and is the program's own. */
type AnyHook = UnaskedHook & { readonly event?: HookEventName };

/** A hook as it is now. */
export const fingerprint = (hook: AnyHook, cwd: string): HookFingerprint => ({
  event: eventOf(hook),
  name: hook.name,
  place: hook.place,
  definition: definitionHash(hook, cwd),
  scripts: scriptFiles(hook, cwd),
});

const eventOf = ({ event, args }: AnyHook): string => (args ? '' : (event ?? ''));

/** The description says nothing of what runs, and the place may move when another hook comes or goes. */
function definitionHash(hook: AnyHook, cwd: string): string {
  const { type, args, name, matcher, timeout, onFailure, sequential, env } = hook;
  // A folder may be reached by several paths.
  const command = args ? relative(cwd, hook.command) : hook.command;
  const how = [type, command, name, matcher ?? null, timeout, sequential, Object.entries(env)];
  const parts = [
    eventOf(hook),
    ...how,
    ...(args ? [args] : []),
    ...(onFailure ? [{ onFailure }] : []),
  ];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}

/** What tells a hook from those that were trusted; undefined when it is one of them. */
export function difference(
  hook: HookFingerprint,
  trusted: readonly HookFingerprint[],
): string | undefined {
  // An unreadable file is none that anybody has looked at.
  const unread = hook.scripts.find(({ sha256 }) => sha256 === '');
  if (unread) return `its script ${JSON.stringify(unread.path)} cannot be read`;
  const same = trusted.find(({ definition }) => definition === hook.definition);
  if (same) return scriptDifference(hook.scripts, same.scripts);
  const isKnown = trusted.some(
    ({ event, name, place }) =>
      event === hook.event && (name === hook.name || (place !== '' && place === hook.place)),
  );
  return isKnown
    ? 'its definition has changed since you trusted it'
    : 'it is new since you trusted this folder';
}

function scriptDifference(
  now: readonly ScriptFile[],
  then: readonly ScriptFile[],
): string | undefined {
  for (const script of now) {
    const name = `its script ${JSON.stringify(script.path)}`;
    const before = then.find(({ path }) => path === script.path);
    if (before === undefined) return `${name} is new since you trusted it`;
    if (before.sha256 !== script.sha256) return `${name} has changed since you trusted it`;
    if (before.realPath !== script.realPath)
      return `${name} leads to another file than when you trusted it`;
  }
  const gone = then.find(({ path }) => !now.some((script) => script.path === path));
  return gone && `its script ${JSON.stringify(gone.path)} is gone`;
}
