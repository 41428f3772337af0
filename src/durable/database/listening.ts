import { randomUUID } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { channelOf } from './calls.ts';
import type { Connection, Database } from './postgres.ts';

/** Who listens to the news of a workspace. */
export interface Listener {
  readonly workspace: string;
  /** Called with the id of a call, or with an empty text if it may be any. */
  readonly hear: (call: string) => void;
  /** Called once if nothing is announced any more. */
  readonly lose: () => void;
  /** Aborted when nobody listens any more. */
  readonly closed: AbortSignal;
}

/** Announcements of news, until they are ended. */
export interface Announcements {
  end(): Promise<void>;
}

/** Why there are none: for now, or, if `isFinal`, at all. */
export interface NoAnnouncements {
  readonly why: string;
  readonly isFinal: boolean;
}

/** Has news of a workspace announced. */
export type Listen = (listener: Listener) => Promise<Announcements | NoAnnouncements>;

/** How long a notification may take before it is considered lost, in ms. */
const heardWithin = 2_000;

/** A connection that listens, for as many workspaces as are added. */
export interface Listening extends Announcements {
  /** Begins to hear of the calls of a workspace, and returns what ends that. */
  add(workspace: string, hear: Listener['hear']): Promise<() => Promise<void>>;
}

/** Listens on a connection of its own to what the database announces of the calls of a workspace. */
export async function listenTo(
  database: Database,
  { workspace, hear, ...listener }: Listener,
): Promise<Announcements | NoAnnouncements> {
  const listening = await openListening(database, listener);
  if (!('why' in listening)) await listening.add(workspace, hear);
  return listening;
}

/**
 * Opens a connection that listens, and checks that what another connection announces arrives. `lose` is called
 * once if the connection is lost later.
 */
export async function openListening(
  database: Database,
  { lose, closed }: Pick<Listener, 'lose' | 'closed'>,
): Promise<Listening | NoAnnouncements> {
  const why = await whyNot(database);
  if (why !== undefined) {
    database.spareConnections();
    return { why, isFinal: false };
  }
  const ended = new AbortController();
  let isOpen = false;
  const connection = await database.connection(() => {
    if (isOpen && !ended.signal.aborted) lose();
    ended.abort();
  });
  const end = (): Promise<void> => {
    ended.abort();
    return connection.end().catch(() => undefined);
  };
  const channels = channelsOf(connection);
  try {
    const isHeard = await channels.probe(database, closed);
    if (ended.signal.aborted) throw new Error('the connection was lost');
    if (isHeard) {
      isOpen = true;
      return { add: channels.add, end };
    }
  } catch (error) {
    await end();
    throw error;
  }
  await end();
  return {
    why: "the database's notifications do not arrive, as behind a pooler in transaction mode",
    isFinal: true,
  };
}

/** Returns why this host does without a connection of its own; undefined if it may have one. */
async function whyNot(database: Database): Promise<string | undefined> {
  const { rows } = await database.query<{ used: number; most: number }>(
    `select count(*)::integer as used, current_setting('max_connections')::integer as most
     from pg_stat_activity where backend_type = 'client backend'`,
  );
  const { used, most } = rows[0]!;
  return used * 2 > most
    ? `more than half of the ${most} connections of the database are in use`
    : undefined;
}

/** The channels that a connection listens to, each with those who hear of it. */
function channelsOf(connection: Connection) {
  const heard = new Map<string, Set<Listener['hear']>>();
  connection.on('notification', ({ channel, payload = '' }) => {
    for (const hear of heard.get(channel) ?? []) hear(payload);
  });
  // A connection runs one statement at a time.
  let turn: Promise<unknown> = Promise.resolve();
  const run = (text: string): Promise<unknown> => {
    const ran = turn.then(() => connection.query(text));
    turn = ran.catch(() => undefined);
    return ran;
  };
  const listen = async (channel: string, hear: Listener['hear']): Promise<() => Promise<void>> => {
    const others = heard.get(channel) ?? new Set();
    heard.set(channel, others.add(hear));
    await run(`listen ${channel}`);
    return async () => {
      others.delete(hear);
      if (others.size > 0) return;
      heard.delete(channel);
      await run(`unlisten ${channel}`);
    };
  };
  return {
    add: (workspace: string, hear: Listener['hear']) => listen(channelOf(workspace), hear),
    async probe(database: Database, closed: AbortSignal): Promise<boolean> {
      const channel = `hookmachine_${randomUUID().replaceAll('-', '')}`;
      const arrived = new EventEmitter();
      const ignore = await listen(channel, () => arrived.emit('probe'));
      const signal = AbortSignal.any([AbortSignal.timeout(heardWithin), closed]);
      const isProbed = once(arrived, 'probe', { signal }).then(
        () => true,
        () => false,
      );
      await database.query('select pg_notify($1, $2)', [channel, '']);
      if (!(await isProbed)) return false;
      await ignore();
      return true;
    },
  };
}
