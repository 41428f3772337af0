import { type BigIntStats, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { HookProcessOutcome } from '../../../machines/hook-process.ts';
import type { HookDefinition, UnaskedHook } from '../../core/definitions/hook-definition.ts';
import { isThere } from '../../settings/files/read-files.ts';
import type { SettingsProblem } from '../../core/definitions/problem.ts';
import type { FoundHooks, HookSite } from '../../core/dialects/hook-site.ts';
import { unknownGuards } from '../parts/host-levels.ts';
import { kodeletEvents, type KodeletEvent } from './events.ts';
import { hookFolders, runArgs, runLimit, type HookFolder } from './places.ts';

/** How long a hook may take to print its type, in ms. */
const askingLimit = 5_000;

/** A file that may be a hook. */
interface Candidate {
  readonly hook: UnaskedHook;
  /** Changes whenever the file does. */
  readonly stamp: string;
}

/** The outcome of asking a file for its type. */
type HeardEvent = { readonly type: KodeletEvent } | { readonly fault: string };

/**
 * Finds executables and asks each for its type; among those of one name the first that may run counts.
 */
export async function findHooks(site: HookSite): Promise<FoundHooks> {
  const problems: SettingsProblem[] = [];
  const definitions: HookDefinition[] = [];
  const candidates = hookFolders(site.cwd)
    .filter(({ source }) => source !== 'project' || site.ignoresProject !== true)
    .flatMap((folder) => {
      const { candidates: found, fault } = candidatesIn(folder, problems);
      if (fault === undefined) return found;
      definitions.push(...guardsIn(folder, fault, site));
      return [];
    });
  const said = await Promise.all(
    candidates.map(async (candidate) =>
      (await site.trusts(candidate.hook)) ? ask(site, candidate) : undefined,
    ),
  );
  const unasked: UnaskedHook[] = [];
  for (const [index, { hook }] of candidates.entries()) {
    const answer = said[index];
    if (answer === undefined) unasked.push(hook);
    else if ('fault' in answer) problems.push(problemOf(hook, answer.fault));
    else definitions.push({ ...hook, event: kodeletEvents[answer.type] });
  }
  return { definitions, problems, unasked };
}

function candidatesIn(
  from: HookFolder,
  problems: SettingsProblem[],
): { readonly candidates: Candidate[]; readonly fault?: SettingsProblem } {
  const { folder } = from;
  try {
    const candidates = readdirSync(folder)
      .toSorted()
      .filter((name) => !name.endsWith('.disable'))
      .flatMap((name) => readCandidate(name, from, problems));
    return { candidates };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const fault = {
      file: folder,
      place: '',
      message: `cannot be read (${code ?? message}), so none of its hooks was found`,
      fix: 'make it a folder that this user may read',
    };
    problems.push(fault);
    return { candidates: [], fault };
  }
}

/** Returns hooks that deny in place of those in an unreadable folder, if a failure of theirs would deny. */
const guardsIn = (
  { source, folder }: HookFolder,
  fault: SettingsProblem,
  site: HookSite,
): HookDefinition[] =>
  unknownGuards(
    {
      source,
      file: folder,
      problems: [fault],
      broken: { fault: 'cannot be read', isUnread: true, isStale: false },
    },
    needGuards,
    site,
  );

/** The events that are denied while it is unknown which hooks guard them. */
const needGuards = (['BeforeTool', 'BeforeAgent'] as const).map((event) => ({ event }));

/** Returns the file if it is an executable. */
function readCandidate(
  name: string,
  { folder, source, prefix }: HookFolder,
  problems: SettingsProblem[],
): Candidate[] {
  const path = join(folder, name);
  let stats: BigIntStats;
  try {
    stats = statSync(path, { bigint: true });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const isLink = code === 'ENOENT' || code === 'ELOOP';
    // A file that was removed since the folder was listed is not lost.
    if (code === 'ENOENT' && !isThere(path)) return [];
    problems.push({
      file: path,
      place: '',
      message: isLink
        ? `is a link that leads ${code === 'ELOOP' ? 'back to itself' : 'nowhere'}, so it was skipped`
        : `cannot be examined (${code}), so it was skipped`,
      fix: 'point it at an executable, or remove it',
      lost: { sources: [source] },
    });
    return [];
  }
  if (!stats.isFile() || (stats.mode & 0o111n) === 0n) return [];
  const { dev, ino, mode, size, mtimeNs, ctimeNs } = stats;
  return [
    {
      stamp: [dev, ino, mode, size, mtimeNs, ctimeNs].join(' '),
      hook: {
        type: 'command',
        command: path,
        args: runArgs,
        name: `${prefix}${name}`,
        timeout: runLimit,
        sequential: true,
        source,
        file: path,
        place: '',
        env: {},
      },
    },
  ];
}

const remembered = new Map<string, { readonly stamp: string; readonly heard: HeardEvent }>();

/** Asks a file for its type. It is asked only once, and again when it has changed. */
async function ask(site: HookSite, { hook: { command }, stamp }: Candidate): Promise<HeardEvent> {
  const known = remembered.get(command);
  if (known?.stamp === stamp) return known.heard;
  const outcome = await site.run(command, ['hook'], askingLimit);
  const heard = understand(outcome);
  // A file that failed may only have lacked something, or time, so it is asked again next time.
  if (outcome.status === 'exited' && outcome.exit.exitCode === 0)
    remembered.set(command, { stamp, heard });
  return heard;
}

function understand(outcome: HookProcessOutcome): HeardEvent {
  switch (outcome.status) {
    case 'exited': {
      const { exitCode, signal, stdout } = outcome.exit;
      if (exitCode !== 0)
        return { fault: `ended with ${signal ?? exitCode} when asked for its type ("hook")` };
      const text = stdout.trim();
      if (Object.hasOwn(kodeletEvents, text)) return { type: text as KodeletEvent };
      return {
        fault: `printed ${text === '' ? 'nothing' : JSON.stringify(shortened(text))} when asked for its type ("hook")`,
      };
    }
    case 'timedOut':
      return { fault: `did not print its type ("hook") within ${outcome.timeout} ms` };
    case 'failed':
      return { fault: `could not be asked for its type (${outcome.error.message})` };
    case 'cancelled':
      return { fault: `was not asked for its type (${outcome.reason})` };
  }
}

const shortened = (text: string): string => (text.length > 60 ? `${text.slice(0, 57)}...` : text);

const problemOf = ({ command, source }: UnaskedHook, fault: string): SettingsProblem => ({
  file: command,
  place: '',
  message: `${fault}, so it was skipped`,
  fix: `make it print one of ${Object.keys(kodeletEvents).join(', ')}, or remove its executable bit`,
  lost: { sources: [source] },
});
