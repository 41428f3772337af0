import { hash } from 'node:crypto';
import { sharingKey } from '../../core/run/hook-commands.ts';
import type { Host } from '../../core/dialects/dialect.ts';
import type { Speaker } from '../../core/dialects/speaker.ts';
import type { HookEventName } from '../../core/points/hook-points.ts';
import { isFolder } from '../../base/folders.ts';
import { messageOf } from '../../base/message-of.ts';
import { oneLine } from '../../base/log.ts';
import { environment } from '../../base/surroundings.ts';
import type { EventInput } from '../../hosts/parts/event-input.ts';
import { type KnownEvent, unanswered } from '../../hosts/parts/denying-answer.ts';
import { tellUser } from '../../hosts/relay/has-no-hook.ts';
import {
  dialectsBeside,
  knownEvent,
  relayEvent,
  type Relayed,
  silenceOf,
  unjudged,
} from '../../hosts/relay/relay-event.ts';
import type { EventLife, FiredEvent } from '../../hosts/relay/run-hooks.ts';
import { throughHooks } from '../../hosts/relay/through-hooks.ts';
import { reportedInSession } from '../../settings/files/reported-in-session.ts';
import { folderToWorkIn } from '../parts/project-folder.ts';
import { recordingOf } from '../parts/recording-option.ts';
import { callingHost, callsOwnRelay } from './calling-host.ts';
import type { RelayOptions } from './relay-options.ts';

type Fields = Readonly<Record<string, unknown>>;

/**
 * Returns the event that a host gave to its relay, or to that of another host; or what to answer if it is
 * unknown here.
 *
 * @throws {CommandFailure} if nobody names it
 */
export async function eventOf(
  asked: Host,
  named: string | undefined,
  input: EventInput,
): Promise<KnownEvent | { readonly silence: Relayed }> {
  const host = callingHost(asked, input.given);
  const speaker = await host.speak();
  const naming = `name it, as in hookmachine relay ${host.name} EVENT`;
  const known = knownEvent({ host, speaker, input }, named, { naming, warn: tellUser });
  return known ?? { silence: silenceOf(speaker) };
}

/** How an event is judged: by whose relay, how long its host has waited, and whose hooks end with whom. */
export interface JudgeOptions extends RelayOptions {
  readonly asked: Host;
  /** In ms. */
  readonly waited: number;
  readonly life?: EventLife;
}

/** What tells a hook from the others of an event, in a form that fits into a command line. */
export const markOf = (sharing: string): string => hash('sha1', sharing);

/** Denies an event of which hooks had begun in the warm process when that ended, and says so. */
export const cutOff = (known: KnownEvent, begun: readonly string[]): Relayed =>
  unjudged(
    known,
    new Error(`the process that ran its hooks ended; ${begun.length} had begun, and run only once`),
    tellUser,
  );

/** Hosts go on, and may end, while the hooks of these events are still running. */
const unawaited: readonly HookEventName[] = ['SessionEnd', 'Notification'];

/** Whether the hooks of an event end when its host does. */
export const endsWithHost = ({ host, event }: KnownEvent): boolean =>
  !unawaited.includes(host.events[event]!);

/** Takes an event through our hooks as one hook of its host. */
export function judgeEvent(known: KnownEvent, options: JudgeOptions): Promise<Relayed> {
  const { host, input } = known;
  const { asked, waited, life, trust } = options;
  const dialects = dialectsBeside(host, options.dialects);
  return relayEvent(known, {
    projectOf: (speaker) => projectOf(speaker, input.given, options),
    ...(host !== asked && { isJudgedElsewhere: () => callsOwnRelay(host, input.given, trust) }),
    through(fired, sessionId, late) {
      const through = {
        ...options,
        ...recordingOf(options),
        cwd: fired.folder,
        ...(life
          ? { life: { ...life, signal: AbortSignal.any([life.signal, late]) } }
          : { endsWithCaller: endsWithHost(known) }),
        ...(sessionId && { sessionId }),
      };
      return throughHooks(withoutBegun(fired, options.begun), dialects, through, sessionId);
    },
    ...(options.defer && {
      settle: async (call, outcome) => (await import('./deferred.ts')).deferred(call, outcome),
    }),
    notice: async (event, folder) =>
      event === 'SessionStart' && isFirstLook(folder)
        ? (await import('./broken-entries.ts')).brokenEntries(folder)
        : undefined,
    warn: tellUser,
    waited,
  });
}

/** Entries are looked at once a day in each folder: loading what looks at them takes longer than looking. */
const isFirstLook = (folder: string): boolean =>
  !reportedInSession('entries', JSON.stringify([new Date().toISOString().slice(0, 10), folder]));

/** No hook runs twice. */
function withoutBegun(fired: FiredEvent, begun: readonly string[] = []): FiredEvent {
  if (begun.length === 0) return fired;
  tellUser(
    `the process that ran the hooks of this event ended, so ${begun.length} of them, which had begun, are not run again`,
  );
  return {
    ...fired,
    runsElsewhere: (hook) =>
      begun.includes(markOf(sharingKey(hook))) || fired.runsElsewhere?.(hook) === true,
  };
}

/** The project folder: the first that the host names and that is there, or else the relay's own. */
function projectOf(
  { projectIn }: Speaker,
  given: Fields,
  { cwd: named }: Pick<RelayOptions, 'cwd'>,
): string {
  const folders = projectIn?.(given, environment()) ?? [];
  return folderToWorkIn(
    named ?? folders.filter((folder) => typeof folder === 'string').find(isFolder),
  );
}

/** What a relay prints, and with which status it ends. */
export interface Output {
  readonly text: string | undefined;
  readonly exitCode: number;
}

/** Returns what a relay prints. */
export const outputOf = ({ answer: { stdout, exitCode = 0 } }: Relayed): Output => ({
  text: typeof stdout === 'object' ? `${JSON.stringify(stdout)}\n` : stdout,
  exitCode,
});

/**
 * Returns what to say on stderr if the answer to an event that must be judged cannot be written; the exit status
 * is then `unanswered`.
 */
export function lostLine({ denial }: Relayed, error: unknown): string {
  const why = `its answer could not be written (${messageOf(error)}), so it exits with ${unanswered}`;
  return oneLine(denial === undefined ? why : `${denial} (${why})`);
}
