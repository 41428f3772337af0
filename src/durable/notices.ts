import { firedResult } from '../core/calls/event-hooks.ts';
import type { HookSystemConfig } from '../hosts/system/hook-system-config.ts';
import type { Database } from './postgres.ts';
import { format } from './schema.ts';

interface Untold {
  readonly id: string;
  readonly call: string;
  readonly tool: string;
  readonly asked: string;
}

/** How long a host may take to tell of a question before another one does, in seconds. */
const tellingLasts = 120;

/** How many questions are told of at once. */
const batch = 20;

/**
 * Tells the `Notification` hooks of new questions: each question at least once. What is still to be told stands
 * in its row, so that no host takes it along when it dies.
 */
export class Notices {
  readonly #database: Database;
  readonly #config: HookSystemConfig;
  readonly #workspace: string;

  constructor(database: Database, config: HookSystemConfig, workspace: string) {
    this.#database = database;
    this.#config = config;
    this.#workspace = workspace;
  }

  /**
   * Tells of the question of one call, or of all questions of the workspace that nobody is telling of. Those of
   * a newer release are told of there.
   */
  async tell(call?: string): Promise<void> {
    const { rows } = await this.#database.query<Untold>(
      `update hookmachine.approvals a set telling_at = now()
       from hookmachine.calls c
       where c.id = a.call and a.id in (
         select a.id from hookmachine.approvals a join hookmachine.calls c on c.id = a.call
         where a.told_at is null and a.decision is null and a.expires_at > now() and c.workspace = $1
           and c.format <= $3
           and ($2::text is null or a.call = $2)
           and (a.telling_at is null or a.telling_at < now() - interval '${tellingLasts} seconds')
         order by a.id limit ${batch} for update of a skip locked
       ) returning a.id, a.call, c.tool, a.asked`,
      [this.#workspace, call ?? null, format],
    );
    await Promise.all(rows.map((row) => this.#tellOf(row)));
  }

  async #tellOf({ id, call, tool, asked }: Untold): Promise<void> {
    const { reason } = JSON.parse(asked) as { readonly reason?: string };
    const notification_type = 'ToolPermission';
    const message = `ap-${id}: may ${tool} run? ${reason ?? ''}`.trim();
    const details = { approval_id: `ap-${id}`, call_id: call, tool_name: tool };
    await firedResult(this.#config, 'Notification', notification_type, (handler) =>
      handler.fireNotificationEvent({ notification_type, message, details }),
    );
    await this.#database.query('update hookmachine.approvals set told_at = now() where id = $1', [
      id,
    ]);
  }
}
