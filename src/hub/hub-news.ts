import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import {
  type Listening,
  type NoAnnouncements,
  openListening,
} from '../durable/database/listening.ts';
import type { Database } from '../durable/database/postgres.ts';

/** How often a silent stream shows that it is alive, in ms. */
const beatEvery = 20_000;

/** Passes the news of workspaces on to machines. All of them share one connection to the database. */
export class HubNews {
  readonly #database: Database;
  readonly #closed = new AbortController();
  readonly #lost = new EventEmitter();
  #listening: Promise<Listening | NoAnnouncements> | undefined;

  constructor(database: Database) {
    this.#database = database;
    this.#lost.setMaxListeners(0);
  }

  /** Sends the news of a workspace until either side ends it; or says why there are none. */
  async send(workspace: string, response: ServerResponse): Promise<NoAnnouncements | undefined> {
    const listening = await this.#listen();
    if ('why' in listening) return listening;
    response.writeHead(200, {
      'content-type': 'application/x-ndjson',
      'cache-control': 'no-store',
    });
    response.write('{}\n');
    const end = await listening.add(workspace, (call) => void response.write(`${JSON.stringify({ call })}\n`)); // prettier-ignore
    const beat = setInterval(() => void response.write('{}\n'), beatEvery);
    await new Promise<void>((resolve) => {
      // The machine may have gone meanwhile.
      if (response.closed) resolve();
      response.once('close', resolve);
      this.#lost.once('lost', resolve);
      response.once('close', () => this.#lost.off('lost', resolve));
    });
    clearInterval(beat);
    response.end();
    await end().catch(() => undefined);
    return undefined;
  }

  /** Listens, if it does not yet. */
  async #listen(): Promise<Listening | NoAnnouncements> {
    this.#listening ??= openListening(this.#database, {
      closed: this.#closed.signal,
      lose: () => {
        this.#listening = undefined;
        this.#lost.emit('lost');
      },
    });
    try {
      const listening = await this.#listening;
      // What stands in the way for now may be gone when the next machine asks.
      if ('why' in listening && !listening.isFinal) this.#listening = undefined;
      return listening;
    } catch (error) {
      this.#listening = undefined;
      throw error;
    }
  }

  async close(): Promise<void> {
    this.#closed.abort();
    this.#lost.emit('lost');
    const listening = await this.#listening?.catch(() => undefined);
    if (listening && 'end' in listening) await listening.end();
  }
}
