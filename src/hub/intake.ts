import { z } from 'zod';
import { appendToChain } from '../durable/chain.ts';
import type { Database } from '../durable/database/postgres.ts';
import { readArguments } from './operation-arguments.ts';

const source = z.string().min(1).max(200);
const lines = z.array(z.string().max(1_048_576)).max(5_000);

/** Takes what machines have decided alone: the lines of their audit logs, each once. */
export class Intake {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Returns up to which byte a log has arrived. */
  async position(machine: string, given: unknown): Promise<number> {
    const [from] = readArguments([source], [given]);
    const { rows } = await this.#database.query<{ position: string }>(
      'select position from hookmachine.intake where machine = $1 and source = $2',
      [machine, from],
    );
    return Number(rows[0]?.position ?? 0);
  }

  /**
   * Takes lines that begin and end at these bytes of a log. If others have arrived meanwhile, nothing is taken.
   *
   * @returns up to which byte the log has arrived
   */
  async take(machine: string, body: Readonly<Record<string, unknown>>): Promise<number> {
    const [from, at, to, texts] = readArguments(
      [source, z.int().min(0), z.int().min(0), lines],
      [body['source'], body['from'], body['to'], body['lines']],
    );
    return this.#database.transaction(async (connection) => {
      const { rows } = await connection.query<{ position: string }>(
        `insert into hookmachine.intake (machine, source, position) values ($1, $2, 0)
         on conflict (machine, source) do update set position = intake.position returning position`,
        [machine, from],
      );
      const position = Number(rows[0]!.position);
      if (position !== at) return position;
      await appendToChain(
        connection,
        texts.map((text) => ({ kind: 'line', subject: machine, body: text })),
      );
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
