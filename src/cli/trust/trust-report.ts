import { structuredPatch } from 'diff';
import type { RegisteredHook, UnaskedHook } from '../../core/definitions/hook-definition.ts';
import { hookEventNames } from '../../core/protocol/events.ts';
import { keptText } from '../../settings/trust/kept-texts.ts';
import type { MissingGuard } from '../../hosts/relay/missing-guards.ts';
import { rememberAll, type Once } from '../../settings/trust/once.ts';
import type { ScriptFile } from '../../settings/trust/script-file.ts';
import type { HookFingerprint } from '../../settings/trust/trusted-hook.ts';
import { counted } from '../../base/counted.ts';

/** A hook of the project, the files behind it, and why it would be skipped, if it would. */
export interface ShownHook {
  /** The event of a program that may not be run is unknown. */
  readonly hook: RegisteredHook | UnaskedHook;
  /** What it matches, if its event has matchers. */
  readonly matcher: string | undefined;
  readonly now: HookFingerprint;
  readonly why: string | undefined;
  /** Its fingerprint when it was trusted. */
  readonly before: HookFingerprint | undefined;
}

/** How many lines are shown of a script that changed. */
const mostLines = 400;

/** Returns all hooks of a project as readable lines, with what has changed since they were trusted. */
export function describeTrust(
  shown: readonly ShownHook[],
  missing: readonly MissingGuard[],
  texts: ReadonlyMap<string, Buffer>,
): string[] {
  const lines: string[] = [];
  const once = rememberAll();
  const events = shown.map(({ hook }) => eventOf(hook)).filter((event) => event !== undefined);
  for (const event of new Set([...hookEventNames, ...events, undefined])) {
    const own = shown.filter(({ hook }) => eventOf(hook) === event);
    if (own.length === 0) continue;
    lines.push(event ?? 'Unknown events');
    // One by one: a call takes only so many arguments.
    for (const one of own) lines.push(...describeHook(one, texts, once));
    lines.push('');
  }
  return [...lines, ...describeMissing(missing)];
}

/** Whether the hooks of a project are trusted, in one line. */
export function verdictOf(
  project: string,
  shown: readonly ShownHook[],
  isRecorded: boolean,
  isAllRead: boolean,
): string {
  if (shown.length === 0)
    return isRecorded
      ? `Forgotten: all hooks of ${project}`
      : `This project configures no hooks${isAllRead ? '' : ' that can be read'}: ${project}`;
  const skipped = shown.filter(({ why }) => why !== undefined).length;
  const refused = shown.filter(({ now }) => now.refused !== undefined).length;
  const all = `${counted(shown.length, 'hook')} of ${project}`;
  if (isRecorded)
    return `Trusted as they are now: ${all}${refused > 0 ? `, but ${refused} of them cannot run` : ''}`;
  return skipped === 0
    ? `Trusted: ${all}`
    : `Not trusted: ${skipped} of ${all}; to allow them: hookmachine trust`;
}

function describeHook(
  { hook, matcher, now, why, before }: ShownHook,
  texts: ReadonlyMap<string, Buffer>,
  once: Once,
): string[] {
  const { command, name, onFailure } = hook;
  const { scripts, selected, unfollowed, refused } = now;
  const isAll = scripts.length === 0 && unfollowed.length === 0;
  return [
    `  ${name}${isEnabled(hook) ? '' : ' (disabled)'}`,
    ...(command === name ? [] : [`    command  ${command}`]),
    ...(matcher === undefined ? [] : [`    matcher  ${matcher}`]),
    ...scripts.map(
      ({ path, size, sha256, isManifest }) =>
        `    ${isManifest ? 'decides ' : 'script  '} ${path}  ${sha256 === '' ? 'cannot be read' : `${size} bytes  sha256 ${sha256.slice(0, 12)}`}`,
    ),
    ...unfollowed.map((what) => `    cannot be followed: ${what}`),
    ...selected.map(({ pattern }) => `    scripts  ${pattern}`),
    ...(refused === undefined ? [] : [`    refused  ${refused}`]),
    ...(onFailure ? ['    failure  blocks'] : []),
    ...(isAll ? ['    script   none in the project, only the command itself'] : []),
    ...(why === undefined ? [] : [`    so far   ${onFailure ? 'blocks' : 'skipped'}: ${why}`]),
    ...(why === undefined || before === undefined ? [] : changes(before, now, texts, once)),
  ];
}

/** How a hook differs from what was trusted: in its definition, its scripts, and files of its folder. */
function changes(
  before: HookFingerprint,
  now: HookFingerprint,
  texts: ReadonlyMap<string, Buffer>,
  once: Once,
): string[] {
  const lines = before.text === now.text ? [] : difference('definition', before.text, now.text);
  const [then, today] = [before, now].map(
    ({ scripts }) => new Map(scripts.map((script) => [script.path, script])),
  );
  for (const path of new Set([...then!.keys(), ...today!.keys()])) {
    const [old, current] = [then!.get(path), today!.get(path)];
    if (old?.sha256 !== current?.sha256)
      lines.push(
        ...once(`script ${path} ${old?.sha256} ${current?.sha256}`, () =>
          scriptChange(path, old, current, texts),
        ),
      );
    else if (old && current && old.realPath !== current.realPath)
      lines.push(
        `    changed  ${path} pointed to ${old.realPath} and now points to ${current.realPath}`,
      );
  }
  return lines;
}

function scriptChange(
  path: string,
  before: ScriptFile | undefined,
  now: ScriptFile | undefined,
  texts: ReadonlyMap<string, Buffer>,
): string[] {
  const old = before ? keptText(before.sha256) : '';
  const current = now ? texts.get(now.sha256)?.toString() : '';
  return old === undefined || current === undefined || `${old}${current}`.includes('\0')
    ? [`    changed  ${path}: its text cannot be shown`]
    : difference(path, old, current);
}

function difference(name: string, before: string, now: string): string[] {
  const patch = structuredPatch('', '', before, now, '', '', { context: 3, timeout: 2_000 });
  const head = `    changed  ${name}`;
  if (patch === undefined) return [`${head}: too much to compare`];
  const lines = patch.hunks.flatMap(({ oldStart, oldLines, newStart, newLines, lines: own }) => [
    `@@ -${oldStart},${oldLines} +${newStart},${newLines} @@`,
    ...own,
  ]);
  const cut = lines.length - mostLines;
  return [
    head,
    ...lines.slice(0, mostLines).map((line) => `      ${line}`),
    ...(cut > 0 ? [`      … and ${counted(cut, 'more line')}`] : []),
  ];
}

function describeMissing(missing: readonly MissingGuard[]): string[] {
  if (missing.length === 0) return [];
  return [
    'Guards that you trusted and that no longer guard anything',
    ...missing.map(
      ({ event, name, why }) => `  ${name}${event === '' ? '' : ` (${event})`}  ${why}`,
    ),
    '',
  ];
}

const eventOf = (hook: ShownHook['hook']) => ('event' in hook ? hook.event : undefined);

const isEnabled = (hook: ShownHook['hook']): boolean => !('enabled' in hook) || hook.enabled;
