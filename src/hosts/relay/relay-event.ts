import type { Dialect, Host } from '../../core/dialects/dialect.ts';
import {
  denyingAnswer,
  mustBeJudged,
  type KnownEvent,
  unjudgedReason,
} from '../parts/denying-answer.ts';
import { findSame, presentDialects } from '../all/known.ts';
import type { EventOutcome, Speaker, HostAnswer } from '../../core/dialects/speaker.ts';
import { AllWishes } from '../parts/wishes.ts';
import type { HookEventName } from '../../core/points/hook-points.ts';
import { messageOf } from '../../base/message-of.ts';
import { isRecord } from '../../base/json.ts';
import { callOutcome, type CallOutcome } from './call-outcome.ts';
import { canaryDenial } from './canary.ts';
import { CommandFailure } from './failure.ts';
import type { Fired, FiredEvent } from './run-hooks.ts';
import { isOnlySystems } from './system-hooks-of.ts';
import { environment } from '../../base/surroundings.ts';

type Fields = Readonly<Record<string, unknown>>;

/** The way of an event from a host to our hooks. */
export interface RelayPath {
  /** The project folder. */
  readonly projectOf: (speaker: Speaker, sessionId: string | undefined) => string;
  /** Whether the host has another relay judge the event. */
  readonly isJudgedElsewhere?: () => Promise<boolean>;
  /** Takes the event through the hooks; `late` is aborted if the event was denied because time ran out. */
  readonly through: (
    fired: FiredEvent,
    sessionId: string | undefined,
    late: AbortSignal,
  ) => Promise<Fired>;
  /** Finds the answer for a call that hooks ask about, if the host can defer it. Default: the host asks. */
  readonly settle?: (asked: AskedCall, outcome: CallOutcome) => Promise<CallOutcome>;
  /** Returns what else the user should be told with the answer. */
  readonly notice?: (event: HookEventName, folder: string) => Promise<string | undefined>;
  /** Warns the user when no hook runs. */
  readonly warn: (line: string) => void;
  /** How much of the time that the host waits has gone, in ms; default: none. */
  readonly waited?: number;
}

/** A call that hooks ask about. */
export interface AskedCall {
  readonly fields: Fields;
  readonly folder: string;
  readonly session: string;
  readonly callId: string;
  readonly results: Fired['result']['results'];
}

/** The outcome of an event. */
export interface Relayed {
  readonly answer: HostAnswer;
  /** Why it is denied. */
  readonly denial?: string | undefined;
  /** How many hooks ran. */
  readonly hookCount: number;
  /** How long the slowest of them took, in ms; default: none ran. */
  readonly hooksTook?: number;
  /** Time ran out: hooks may still run. */
  readonly isLate?: true;
}

/**
 * The dialects whose hooks run for a host: not its own dialect, which it runs itself, unless that was asked
 * for.
 */
export const dialectsBeside = (host: Host, asked?: readonly Dialect[]): readonly Dialect[] =>
  (asked ?? presentDialects).filter(
    (one) => !findSame(one, host) || (asked !== undefined && !isOnlySystems(one)),
  );

/**
 * Returns the event that a host gave, as the input names it or else our caller (`named`); undefined if it is
 * unknown here.
 *
 * @throws {CommandFailure} if nobody names it; `naming` says how to
 */
export function knownEvent(
  { host, speaker, input }: Omit<KnownEvent, 'event'>,
  named: string | undefined,
  { naming, warn }: { readonly naming: string; readonly warn: RelayPath['warn'] },
): KnownEvent | undefined {
  const { title, eventIn = ({ hook_event_name }) => hook_event_name } = speaker;
  const { name, given, fault } = input;
  const event = [eventIn(given), named].find((one) => typeof one === 'string');
  if (event === undefined)
    throw new CommandFailure(fault ?? `${name} does not name the event of ${title}: ${naming}`);
  if (Object.hasOwn(host.events, event)) return { host, speaker, input, event };
  warn(`${title} has an event that is unknown here, so no hook runs for it: ${event}`);
  return undefined;
}

/** The outcome of an event in which none of our hooks takes part. */
export const silenceOf = ({ silence = {} }: Speaker): Relayed => ({
  answer: silence,
  hookCount: 0,
});

/**
 * Takes a host's event through our hooks, and returns the answer for that host. Whatever goes wrong at an
 * event that must be judged is a denial.
 */
export async function relayEvent(known: KnownEvent, path: RelayPath): Promise<Relayed> {
  const late = new AbortController();
  if (!mustBeJudged(known)) return judged(known, path, late.signal);
  const left = known.speaker.timeoutAt(known.event) - margin - (path.waited ?? 0);
  try {
    return await inTime(left, late, judged(known, path, late.signal));
  } catch (error) {
    const denied = unjudged(known, error, path.warn);
    return late.signal.aborted ? { ...denied, isLate: true } : denied;
  }
}

/** Denies an event that could not be judged, and warns the user. */
export function unjudged(
  known: KnownEvent,
  error: unknown,
  warn: RelayPath['warn'],
): Relayed & { readonly denial: string } {
  const denial = unjudgedReason(error);
  warn(`${known.event} of ${known.speaker.title} is denied: ${messageOf(error)}`);
  return { answer: denyingAnswer(known, denial), denial, hookCount: 0 };
}

/** How long before its host stops waiting an event is denied, in ms. */
const margin = 2_000;

/**
 * How long reading an event may take, in ms: while it is not known which it is, as long as at the one that its
 * host waits least for. Undefined if it need not be judged.
 */
export function timeToRead(
  host: Host,
  { timeoutAt }: Speaker,
  named: string | undefined,
): number | undefined {
  const events = Object.keys(host.events).filter(
    (event) => mustBeJudged({ host, event }) && (named ?? event) === event,
  );
  return events.length > 0 ? Math.min(...events.map(timeoutAt)) - 2 * margin : undefined;
}

async function inTime<Result>(
  ms: number,
  late: AbortController,
  work: Promise<Result>,
): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_, reject) => {
    const expire = (): void => {
      late.abort();
      reject(new Error(outOfTime));
    };
    // It does not keep the process alive: one that can do nothing more need not wait.
    timer = setTimeout(expire, Math.max(ms, 0)).unref();
  });
  try {
    return await Promise.race([work, tooLate]);
  } finally {
    clearTimeout(timer);
  }
}

const outOfTime =
  'there was no answer in the time that the agent waits; hooks that still ran were ended';

/** Judges an event. Anything that it throws says why it could not. */
async function judged(known: KnownEvent, path: RelayPath, late: AbortSignal): Promise<Relayed> {
  const { host, speaker, event, input } = known;
  const { name, given, fault } = input;
  if (fault !== undefined) throw new CommandFailure(fault);
  const read = await host.readCall(event, given);
  if ('faults' in read)
    throw new CommandFailure(`${name} does not match ${event}: ${read.faults.join('; ')}`);
  if (read.isOnlyTheirs) return silenceOf(speaker);
  const canary = mustBeJudged(known) ? canaryDenial(given) : undefined;
  if (canary !== undefined)
    return { answer: denyingAnswer(known, canary), denial: canary, hookCount: 0 };
  const session = sessionOf(speaker, given);
  const folder = path.projectOf(speaker, session);
  if (await path.isJudgedElsewhere?.()) return { answer: {}, hookCount: 0 };
  const ownFiles = new Set(speaker.readsItself?.(folder));
  const fired: FiredEvent = {
    event: host.events[event]!,
    fields: read.fields,
    ...(read.parts && { parts: read.parts.calls }),
    context: { ...read.context, agent: host.name },
    folder,
    canAsk: speaker.asks(event),
    isRelayed: true,
    ...(ownFiles.size > 0 && { runsElsewhere: ({ file = '' }) => ownFiles.has(file) }),
  };
  const { warn, ...verdicts } = await path.through(fired, session, late);
  const results = [verdicts.result, ...(verdicts.partResults ?? [])].flatMap((one) => one.results);
  const call = { fields: fired.fields, folder, session, results };
  const found = await settled(known, call, callOutcome(fired, verdicts, read.parts), path);
  const outcome = withNotice(found, await path.notice?.(fired.event, folder));
  const said = await saidTo(host, given, fired, outcome);
  const wishes = new AllWishes(fired.event, said);
  const written = speaker.write(event, said, wishes);
  const denial = wishes.peek('deny');
  const unheard = wishes.lost();
  const isLost = mustBeJudged(known) && unheard.some(({ kind }) => kind === 'deny');
  const answer = isLost ? denyingAnswer(known, denial!) : written;
  if (read.parts?.note !== undefined) warn(`${event} of ${speaker.title}: ${read.parts.note}`);
  const lost = (wish: string): string =>
    `${speaker.title} cannot accept this in answer to ${event}: ${wish}`;
  for (const { kind, quoted, name: wish } of unheard)
    if (!isLost || kind !== 'deny') warn(lost(quoted), { text: lost(wish) });
  for (const wish of outcome.lost) warn(lost(wish), { text: lost(wish) });
  const hooksTook = Math.max(0, ...results.map(({ durationMs }) => durationMs));
  return { answer, denial, hookCount: results.length, hooksTook };
}

function withNotice(outcome: CallOutcome, notice: string | undefined): CallOutcome {
  if (notice === undefined) return outcome;
  const { verdict } = outcome;
  const message = verdict.message === undefined ? notice : `${verdict.message}\n${notice}`;
  return { ...outcome, verdict: { ...verdict, message } };
}

/** A call that hooks may ask about; without a session, nothing can be asked later. */
interface JudgedCall extends Omit<AskedCall, 'session' | 'callId'> {
  readonly session: string | undefined;
}

/** The outcome of a call that hooks ask about, if the host can defer it. */
async function settled(
  { speaker, event, input }: KnownEvent,
  { session, ...call }: JudgedCall,
  found: CallOutcome,
  { settle, warn }: RelayPath,
): Promise<CallOutcome> {
  const { title, defers } = speaker;
  const callId = input.given['tool_use_id'];
  const isOpen = found.verdict.decision === 'ask' && !found.verdict.stop;
  if (!settle || !isOpen) return found;
  if (!defers)
    warn(`${title} cannot defer a call, so it asks the user itself: --defer has no effect here`);
  if (!defers?.(event, environment())) return found;
  if (session === undefined || typeof callId !== 'string') return found;
  return settle({ ...call, session, callId }, found);
}

/** The session's id, if it is safe in file names, where hooks use it. */
function sessionOf(
  { sessionIn = ({ session_id }) => session_id }: Speaker,
  given: Fields,
): string | undefined {
  const id = sessionIn(given);
  return typeof id === 'string' && /^[\w.-]+$/.test(id) ? id : undefined;
}

async function saidTo(
  host: Host,
  given: Fields,
  { fields, folder }: FiredEvent,
  { verdict, toolInput, toolResponse }: CallOutcome,
): Promise<EventOutcome> {
  const tool = 'tool_name' in fields ? String(fields.tool_name) : undefined;
  const { followUps } = verdict;
  return {
    given,
    project: folder,
    verdict,
    native: await host.reportCall({ toolName: tool, toolInput, toolResponse, followUps }),
    ...(tool !== undefined && { tool }),
    ...(isRecord(toolInput) && { toolInput }),
    ...(toolResponse && { toolResponse }),
  };
}
