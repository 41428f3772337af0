import type { Dialect, Host } from '../dialects/dialect.ts';
import { denyingAnswer, mustBeJudged, type KnownEvent } from '../dialects/denying-answer.ts';
import type { EventInput } from '../dialects/event-input.ts';
import { findSame, presentDialects } from '../dialects/index.ts';
import type { Said, Speaker, HostAnswer } from '../dialects/speaker.ts';
import { AllWishes } from '../dialects/wishes.ts';
import { messageOf } from '../message-of.ts';
import { isRecord } from '../protocol/output.ts';
import { callOutcome, type CallOutcome } from './call-outcome.ts';
import { CommandFailure } from './failure.ts';
import type { Fired, FiredEvent } from './run-hooks.ts';
import { isOnlySystems } from './system-hooks-of.ts';

type Fields = Readonly<Record<string, unknown>>;

/** An event as a host gave it. */
export interface HostEvent {
  readonly host: Host;
  readonly input: EventInput;
  /** The event, for hosts whose input does not name it. */
  readonly named: string | undefined;
}

/** The way of an event from a host to our hooks. */
export interface RelayPath {
  /** How to name an event that the input does not name, for messages. */
  readonly naming: string;
  /** The project folder. */
  readonly projectOf: (speaker: Speaker, sessionId: string | undefined) => string;
  /** Whether the host has another relay judge the event. */
  readonly isJudgedElsewhere?: () => Promise<boolean>;
  /** Takes the event through the hooks. */
  readonly through: (fired: FiredEvent, sessionId: string | undefined) => Promise<Fired>;
  /** Finds the answer for a call that hooks ask about, if the host can defer it. Default: the host asks. */
  readonly settle?: (asked: AskedCall, outcome: CallOutcome) => Promise<CallOutcome>;
  /** Warns the user when no hook runs. */
  readonly warn: (line: string) => void;
  /** Called when the event turns out to be one that is denied unless it is judged. */
  readonly onKnown?: (known: KnownEvent) => void;
  /** How much of the time that the host waits has gone, in ms; default: none. */
  readonly waited?: number;
  /** Called when an event was denied because time ran out; ends what still runs for it. */
  readonly giveUp: () => void;
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
 * Takes a host's event through our hooks, and returns the answer for that host. Once the event is known to be
 * one that must be judged, whatever goes wrong is a denial (S-33).
 *
 * @throws {CommandFailure} if the input is not an event of this host
 */
export async function relayEvent(given: HostEvent, path: RelayPath): Promise<Relayed> {
  const { host, input } = given;
  const speaker = await host.speak();
  const event = eventOf(given, speaker, path);
  if (event === undefined) return { answer: speaker.silence ?? {}, hookCount: 0 };
  const known: KnownEvent = { host, speaker, event, given: input.given };
  if (!mustBeJudged(known)) return judged(known, input, path);
  path.onKnown?.(known);
  try {
    return await inTime(speaker.patience(event) - (path.waited ?? 0), path, () =>
      judged(known, input, path),
    );
  } catch (error) {
    return unjudged(known, error, path.warn);
  }
}

/** Denies an event that could not be judged, and warns the user. */
export function unjudged(
  known: KnownEvent,
  error: unknown,
  warn: RelayPath['warn'],
): Relayed & { readonly denial: string } {
  const denial = `hookmachine could not judge this: ${messageOf(error)}`;
  warn(`${known.event} of ${known.speaker.title} is denied: ${messageOf(error)}`);
  return { answer: denyingAnswer(known, denial), denial, hookCount: 0 };
}

/** How long before its host stops waiting an event is denied, in ms. */
const margin = 2_000;

/** How long reading an event may take, in ms: while it is not known, as long as at the one that waits least. */
export function timeToRead(
  host: Host,
  { patience }: Speaker,
  named: string | readonly string[] = Object.keys(host.events).filter((event) =>
    mustBeJudged({ host, event }),
  ),
): number {
  return Math.min(...[named].flat().map(patience)) - 2 * margin;
}

async function inTime<Result>(
  patience: number,
  { giveUp }: RelayPath,
  work: () => Promise<Result>,
): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const expire = (): void => {
      giveUp();
      reject(new Error('there was no answer in the time that the agent waits; hooks that still ran were ended')); // prettier-ignore
    };
    // It does not keep the process alive: one that can do nothing more need not wait.
    timer = setTimeout(expire, Math.max(patience - margin, 0)).unref();
  });
  try {
    return await Promise.race([work(), late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Judges an event. Anything that it throws says why it could not. */
async function judged(
  known: KnownEvent,
  { name, fault }: EventInput,
  path: RelayPath,
): Promise<Relayed> {
  const { host, speaker, event, given } = known;
  if (fault !== undefined) throw new CommandFailure(fault);
  const read = await host.readCall(event, given);
  if ('faults' in read)
    throw new CommandFailure(`${name} does not match ${event}: ${read.faults.join('; ')}`);
  if (read.isOnlyTheirs) return { answer: speaker.silence ?? {}, hookCount: 0 };
  const session = sessionOf(speaker, given);
  const folder = path.projectOf(speaker, session);
  if (await path.isJudgedElsewhere?.()) return { answer: {}, hookCount: 0 };
  const ownFiles = new Set(speaker.readsItself?.(folder));
  const fired: FiredEvent = {
    event: host.events[event]!,
    fields: read.fields,
    ...(read.parts && { parts: read.parts.calls }),
    context: read.context,
    folder,
    canAsk: speaker.asks(event),
    isRelayed: true,
    ...(ownFiles.size > 0 && { runsElsewhere: ({ file = '' }) => ownFiles.has(file) }),
  };
  const { warn, ...came } = await path.through(fired, session);
  const results = [came.result, ...(came.partResults ?? [])].flatMap((one) => one.results);
  const call = { fields: fired.fields, folder, session, results };
  const outcome = await settled(known, call, callOutcome(fired, came, read.parts), path);
  const said = await saidTo(host, given, fired, outcome);
  const wishes = new AllWishes(fired.event, said);
  const answer = speaker.write(event, said, wishes);
  if (read.parts?.note !== undefined) warn(`${event} of ${speaker.title}: ${read.parts.note}`);
  const lost = (wish: string): string =>
    `${speaker.title} cannot accept this in answer to ${event}: ${wish}`;
  for (const { name, quoted } of wishes.lost()) warn(lost(quoted), { text: lost(name) });
  for (const wish of outcome.lost) warn(lost(wish), { text: lost(wish) });
  return { answer, denial: wishes.peek('deny'), hookCount: results.length };
}

/** The outcome of a call that hooks ask about, if the host can defer it. */
async function settled(
  { speaker, event, given }: KnownEvent,
  { session, ...call }: Omit<AskedCall, 'session' | 'callId'> & { readonly session: string | undefined }, // prettier-ignore
  found: CallOutcome,
  { settle, warn }: RelayPath,
): Promise<CallOutcome> {
  const callId = given['tool_use_id'];
  const isOpen = found.verdict.decision === 'ask' && !found.verdict.stop;
  if (!settle || !isOpen) return found;
  if (!speaker.defers)
    warn(`${speaker.title} cannot defer a call, so it asks the user itself: --defer does nothing here`); // prettier-ignore
  if (!speaker.defers?.(event, process.env)) return found;
  if (session === undefined || typeof callId !== 'string') return found;
  return settle({ ...call, session, callId }, found);
}

/** The event that the host's input names, or else our caller; undefined if it is unknown here. */
function eventOf(
  { host: { events }, input: { name, given, fault }, named }: HostEvent,
  { title, eventIn = ({ hook_event_name }) => hook_event_name }: Speaker,
  { naming, warn }: RelayPath,
): string | undefined {
  const event = [eventIn(given), named].find((one) => typeof one === 'string');
  if (event === undefined)
    throw new CommandFailure(fault ?? `${name} does not name the event of ${title}: ${naming}`);
  if (Object.hasOwn(events, event)) return event;
  warn(`${title} has an event that is unknown here, so no hook runs for it: ${event}`);
  return undefined;
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
): Promise<Said> {
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
