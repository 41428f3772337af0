import type { Host } from '../../core/dialects/dialect.ts';
import { type KnownEvent, mustBeJudged, unanswered } from '../../hosts/parts/denying-answer.ts';
import type { Speaker } from '../../core/dialects/speaker.ts';
import type { HookEventName } from '../../core/points/hook-points.ts';
import { oneLine } from '../../base/log.ts';
import { isFolder } from '../../base/folders.ts';
import { messageOf } from '../../base/message-of.ts';
import { callingHost, callsOwnRelay } from './calling-host.ts';
import { denyAtExit } from '../parts/deny-at-exit.ts';
import { tellUser } from '../../hosts/relay/has-no-hook.ts';
import { print, warnAtOnce } from '../parts/print.ts';
import { folderToWorkIn } from '../parts/project-folder.ts';
import { readEvent } from '../parts/read-stdin.ts';
import {
  dialectsBeside,
  knownEvent,
  relayEvent,
  type Relayed,
  type RelayPath,
  silenceOf,
  timeToRead,
  unjudged,
} from '../../hosts/relay/relay-event.ts';
import { leaveStamp } from '../../hosts/relay/last-seen.ts';
import type { RelayOptions } from './relay-options.ts';
import { throughHooks } from '../../hosts/relay/through-hooks.ts';
import { recordingOf } from '../parts/recording-option.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Hosts go on, and may end, while the hooks of these events are still running. */
const unawaited: readonly HookEventName[] = ['SessionEnd', 'Notification'];

/**
 * Acts as one hook of a host for all our hooks: takes its event through them, answers as the host expects,
 * and returns how many ran.
 */
export async function relay(
  asked: Host,
  named: string | undefined,
  options: RelayOptions,
): Promise<number> {
  const within = timeToRead(asked, await asked.speak(), named);
  const input = await readEvent(within === undefined ? undefined : within - sinceStart());
  const host = callingHost(asked, input.given);
  const speaker = await host.speak();
  const naming = `name it, as in hookmachine relay ${host.name} EVENT`;
  const known = knownEvent({ host, speaker, input }, named, { naming, warn: tellUser });
  if (known === undefined) {
    give(silenceOf(speaker), false);
    return 0;
  }
  const isGuarded = mustBeJudged(known);
  const isAnswered = denyAtExit((error) => {
    if (isGuarded) give(unjudged(known, error, warnAtOnce), isGuarded);
  });
  try {
    const relayed = await relayEvent(known, pathOf(asked, known, options));
    give(relayed, isGuarded);
    leaveStamp(host.name, known.event);
    if (!relayed.isLate) return relayed.hookCount;
  } finally {
    isAnswered();
  }
  // What still runs ends with this process.
  process.exit();
}

/** How long this process has been running, in ms; its host has waited since then. */
const sinceStart = (): number => process.uptime() * 1_000;

/** The way of an event through this process; its host asked for this relay, or for that of another host. */
function pathOf(asked: Host, { host, input }: KnownEvent, options: RelayOptions): RelayPath {
  const { given } = input;
  const dialects = dialectsBeside(host, options.dialects);
  return {
    projectOf: (speaker) => projectOf(speaker, given, options),
    ...(host !== asked && { isJudgedElsewhere: () => callsOwnRelay(host, given, options.trust) }),
    through(fired, sessionId) {
      const { event, folder } = fired;
      const through = {
        ...options,
        ...recordingOf(options),
        cwd: folder,
        endsWithCaller: !unawaited.includes(event),
        ...(sessionId && { sessionId }),
      };
      return throughHooks(fired, dialects, through, sessionId);
    },
    ...(options.defer && {
      settle: async (call, outcome) => (await import('./deferred.ts')).deferred(call, outcome),
    }),
    warn: tellUser,
    waited: sinceStart(),
  };
}

/** The project folder: the first that the host names and that is there, or else the relay's own. */
function projectOf(
  { projectIn }: Speaker,
  given: Fields,
  { cwd: named }: Pick<RelayOptions, 'cwd'>,
): string {
  const folders = projectIn?.(given, process.env) ?? [];
  return folderToWorkIn(
    named ?? folders.filter((folder) => typeof folder === 'string').find(isFolder),
  );
}

/** Prints the answer. One that must reach the host, and cannot, becomes an exit status. */
function give({ answer: { stdout, exitCode = 0 }, denial }: Relayed, isGuarded: boolean): void {
  const lost = (error: unknown): void => {
    process.exitCode = unanswered;
    const why = `its answer could not be written (${messageOf(error)}), so it exits with ${unanswered}`;
    warnAtOnce(oneLine(denial === undefined ? why : `${denial} (${why})`));
  };
  process.exitCode = exitCode;
  try {
    const text = typeof stdout === 'object' ? `${JSON.stringify(stdout)}\n` : stdout;
    if (text !== undefined) print(text, isGuarded ? lost : undefined);
  } catch (error) {
    if (!isGuarded) throw error;
    lost(error);
  }
}
