import { setTimeout as sleep } from 'node:timers/promises';
import { Approvals, type Approval } from '../durable/approvals.ts';
import { likePattern } from '../durable/database/approvals.ts';
import { type Database, isUnreachable } from '../durable/database/postgres.ts';
import { databaseStore } from '../durable/database/store.ts';
import { withKeys } from '../durable/encrypted-store.ts';
import { messageOf } from '../base/message-of.ts';
import { send } from './channels.ts';
import type { Channel } from './hub-settings.ts';

/** How often it is looked for questions to tell of, in ms. */
const lookEvery = 2_000;

/** How many messages are sent at once on one channel. */
const batch = 20;

/** How long one attempt may take before another hub makes the next one, in seconds. */
const attemptLasts = 60;

/** What telling needs to know of its hub. */
export interface NoticesHub {
  /** Its address, to which people are led. */
  readonly url: string;
  readonly key: string | undefined;
  readonly warn: (line: string) => void;
}

interface Due {
  readonly approval: string;
  readonly attempts: number;
}

/**
 * Tells people of questions that wait: each question at least once on each channel that is about it. What is
 * still to be told follows from the rows of the questions, which are written together with them, so that
 * nothing is lost if a hub dies. An attempt that fails is repeated, after a while that grows.
 */
export class HubNotices {
  readonly #database: Database;
  readonly #hub: NoticesHub;
  readonly #closed = new AbortController();
  readonly #working: Promise<unknown>;

  constructor(database: Database, channels: readonly Channel[], hub: NoticesHub) {
    this.#database = database;
    this.#hub = hub;
    this.#working = Promise.all(channels.map((channel) => this.#serve(channel)));
  }

  async #serve(channel: Channel): Promise<void> {
    const { signal } = this.#closed;
    while (!signal.aborted) {
      let isMore = false;
      try {
        isMore = await this.#tell(channel);
      } catch (error) {
        if (!isUnreachable(error)) this.#hub.warn(`${channel.name}: ${messageOf(error)}`);
      }
      if (!isMore) await sleep(lookEvery, undefined, { signal }).catch(() => undefined);
    }
  }

  /** Returns whether there may be more. */
  async #tell(channel: Channel): Promise<boolean> {
    const { rows } = await this.#database.query<Due>(
      `insert into hookmachine.notices (approval, channel, next_at)
       select a.id, $1, now() + interval '${attemptLasts} seconds'
       from hookmachine.approvals a join hookmachine.calls c on c.id = a.call
       left join hookmachine.notices n on n.approval = a.id and n.channel = $1
       where a.decision is null and a.expires_at > now() and a.asked_at <= now() - $2 * interval '1 millisecond'
         and c.workspace like any($3) and c.tool like any($4)
         and ($5::text[] is null or a.risk is null or a.risk = any($5))
         and (n.approval is null or n.told_at is null and n.next_at <= now())
       order by a.id limit ${batch}
       on conflict (approval, channel) do update
         set attempts = notices.attempts + 1, next_at = excluded.next_at
         where notices.told_at is null and notices.next_at <= now()
       returning approval, attempts`,
      [
        channel.name,
        channel.after ?? 0,
        (channel.workspaces ?? ['*']).map(likePattern),
        (channel.tools ?? ['*']).map(likePattern),
        channel.risks ?? null,
      ],
    );
    await Promise.all(rows.map((due) => this.#tellOf(channel, due)));
    return rows.length === batch;
  }

  async #tellOf(channel: Channel, { approval: number, attempts }: Due): Promise<void> {
    let problem: string | undefined;
    try {
      const approval: Approval = await new Approvals(withKeys(databaseStore(this.#database), this.#hub.key)).show(`ap-${number}`); // prettier-ignore
      if (!approval.answer)
        await send(channel, approval, `${this.#hub.url}/approvals/${approval.id}`);
    } catch (error) {
      problem = messageOf(error);
      this.#hub.warn(`${channel.name} got no message about ap-${number}: ${problem}`);
    }
    // In seconds.
    const pause = Math.min(5 * 2 ** attempts, 3_600);
    await this.#database.query(
      `update hookmachine.notices set problem = $3,
         told_at = case when $3::text is null then now() end, next_at = now() + $4 * interval '1 second'
       where approval = $1 and channel = $2`,
      [number, channel.name, problem ?? null, pause],
    );
  }

  async close(): Promise<void> {
    this.#closed.abort();
    await this.#working;
  }
}
