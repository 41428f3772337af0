import { z } from 'zod';
import { appendToChain } from '../durable/chain.ts';
import type { Database, Queryable } from '../durable/database/postgres.ts';
import type { Holder } from './known.ts';
import { readArguments } from './operation-arguments.ts';
import type { Recordings } from './recordings.ts';

const source = z.string().min(1).max(200);
const lines = z.array(z.string().max(1_048_576)).max(20_000);
const piece = [source, z.int().min(0), z.int().min(0), lines] as const;

/** What a machine sends of a file. */
type Body = Readonly<Record<string, unknown>>;

/**
 * Takes what machines have decided alone, and what their agents did: the lines of their audit logs and recordings,
 * each once.
 */
export class Intake {
  readonly #database: Database;
  readonly #recordings: Recordings;

  constructor(database: Database, recordings: Recordings) {
    this.#database = database;
    this.#recordings = recordings;
  }

  /** Returns up to which byte a file has arrived. */
  async position(machine: string, given: unknown): Promise<number> {
    const [from] = readArguments([source], [given]);
    const { rows } = await this.#database.query<{ position: string }>(
      'select position from hookmachine.intake where machine = $1 and source = $2',
      [machine, from],
    );
    return Number(rows[0]?.position ?? 0);
  }

  /**
   * Takes lines of an audit log. If others have arrived meanwhile, nothing is taken.
   *
   * @returns up to which byte the log has arrived
   */
  take(machine: string, body: Body): Promise<number> {
    return this.#advance(machine, body, (connection, texts) =>
      appendToChain(
        connection,
        texts.map((text) => ({ kind: 'line', subject: machine, body: text })),
      ),
    );
  }

  /** Takes lines of a recording, as `take` does those of an audit log. */
  takeRecording(machine: Extract<Holder, { kind: 'machine' }>, body: Body): Promise<number> {
    return this.#advance(machine.name, body, (connection, texts) =>
      this.#recordings.keep(connection, machine, texts),
    );
  }

  /** Takes lines that begin and end at certain bytes of a file, unless they have arrived before. */
  #advance(
    machine: string,
    body: Body,
    keep: (connection: Queryable, texts: readonly string[]) => Promise<void>,
  ): Promise<number> {
    const { source: name, from: start, to: end, lines: sent } = body;
    const [from, at, to, texts] = readArguments(piece, [name, start, end, sent]);
    return this.#database.transaction(async (connection) => {
      const { rows } = await connection.query<{ position: string }>(
        `insert into hookmachine.intake (machine, source, position) values ($1, $2, 0)
         on conflict (machine, source) do update set position = intake.position returning position`,
        [machine, from],
      );
      const position = Number(rows[0]!.position);
      if (position !== at) return position;
      await keep(connection, texts);
      await connection.query(
        'update hookmachine.intake set position = $3 where machine = $1 and source = $2',
        [machine, from, to],
      );
      return to;
    });
  }

  /** Keeps the latest report of a machine about itself. */
  async report(machine: string, given: unknown): Promise<void> {
    const [report] = readArguments([z.record(z.string(), z.unknown())], [given]);
    await this.#database.query(
      'update hookmachine.machines set report = $2, reported_at = now() where name = $1',
      [machine, JSON.stringify(report)],
    );
  }
}
