import { isHookmachineError } from '../../base/errors.ts';
import { oneLine } from '../../base/log.ts';
import { inSurroundings } from '../../base/surroundings.ts';
import { loadCallerWatch } from '../../handlers/process/index.ts';
import { mustBeJudged } from '../../hosts/parts/denying-answer.ts';
import { type EventInput, EventReader } from '../../hosts/parts/event-input.ts';
import { leaveStamp } from '../../hosts/relay/last-seen.ts';
import { type Relayed, timeToRead } from '../../hosts/relay/relay-event.ts';
import type { EventLife } from '../../hosts/relay/run-hooks.ts';
import { plainRelay } from '../relay/plain-relay.ts';
import {
  endsWithHost,
  eventOf,
  judgeEvent,
  lostLine,
  markOf,
  outputOf,
} from '../relay/judge-event.ts';
import { type Caller, callerOf } from './caller.ts';
import type { Client } from './client.ts';

/** How long a client has to say who it is, in ms. */
const patience = 5_000;

/**
 * Answers the event of a client as the command would that it stands for. If that cannot be done, the client
 * is left without an answer, and has its event judged otherwise.
 */
export async function answerClient(
  client: Client,
  kept: Omit<EventLife, 'signal'>,
  hasAgents: () => boolean,
): Promise<void> {
  const timer = setTimeout(() => client.giveUp(), patience);
  try {
    const caller = callerOf(Number(await client.read(10)));
    clearTimeout(timer);
    if (caller === undefined) return refuse(client);
    const around = {
      env: caller.env,
      folder: caller.folder,
      writeError: (text: string) => client.send('e', text),
      beforeHook: (sharing: string) => client.sendSurely('b', markOf(sharing)),
    };
    await inSurroundings(around, async () => {
      if (!hasAgents()) return client.giveUp();
      const call = plainRelay(caller.args);
      if (call === undefined || call.options.defer) return refuse(client);
      client.take();
      await relay(client, caller, call, kept);
      client.end();
    });
  } catch {
    client.giveUp();
  } finally {
    clearTimeout(timer);
  }
}

function refuse(client: Client): void {
  client.send('n');
  client.end();
}

type Call = NonNullable<ReturnType<typeof plainRelay>>;

/** Does what the command `relay` does; see src/cli/relay/relay.ts. */
async function relay(
  client: Client,
  { pid }: Caller,
  { host: asked, event: named, options }: Call,
  kept: Omit<EventLife, 'signal'>,
): Promise<void> {
  const startedAt = performance.now();
  const waited = (): number => performance.now() - startedAt;
  try {
    const input = await inputOf(client, timeToRead(asked, await asked.speak(), named));
    const known = await eventOf(asked, named, input);
    if ('silence' in known) return answer(client, known.silence, false);
    const ended = new AbortController();
    const signal = endsWithHost(known)
      ? AbortSignal.any([client.left, ended.signal])
      : ended.signal;
    const unwatch = endsWithHost(known)
      ? (await loadCallerWatch())(() => {
          client.send('x', '1');
          ended.abort(new Error('the agent is gone'));
        }, pid)
      : undefined;
    const life = { ...kept, signal };
    const relayed = await judgeEvent(known, { ...options, asked, waited: waited(), life }).finally(
      unwatch,
    );
    answer(client, relayed, mustBeJudged(known));
    const hooks = relayed.hooksTook ?? 0;
    leaveStamp(known.host.name, known.event, { ms: waited(), hooks, isWarm: true });
  } catch (error) {
    if (!isHookmachineError(error, 'COMMAND_FAILED')) throw error;
    client.send('e', `hookmachine: ${oneLine(error.message)}\n`);
    client.send('x', '1');
  }
}

async function inputOf(client: Client, within: number | undefined): Promise<EventInput> {
  const reader = new EventReader('stdin');
  const reading = (async () => {
    for (;;) {
      const size = (await client.read(4)).readUInt32BE();
      if (size === 0) return client.stopReading();
      reader.take(await client.read(size));
    }
  })();
  if (within === undefined) {
    await reading;
    return reader.end();
  }
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<'late'>((resolve) => {
    timer = setTimeout(() => resolve('late'), within);
  });
  const how = await Promise.race([reading, late]).finally(() => clearTimeout(timer));
  return how === 'late'
    ? reader.end(`cannot be read: it did not end within ${Math.round(within / 1_000)} s`)
    : reader.end();
}

function answer(client: Client, relayed: Relayed, isGuarded: boolean): void {
  const { text, exitCode } = outputOf(relayed);
  if (text !== undefined) client.send('o', text);
  if (isGuarded) client.send('l', `hookmachine: ${lostLine(relayed, unwritten)}\n`);
  client.send('x', String(exitCode));
}

/** The client puts in what the system says. */
const unwritten = new Error('%s');
