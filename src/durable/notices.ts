import { firedResult } from '../core/calls/event-hooks.ts';
import type { HookSystemConfig } from '../hosts/system/hook-system-config.ts';
import type { Untold } from './database/approvals.ts';
import { format } from './database/schema.ts';
import type { CallStore } from './database/store.ts';

/**
 * Tells the `Notification` hooks of new questions: each question at least once. What is still to be told stands
 * in its row, so that no host takes it along when it dies.
 */
export class Notices {
  readonly #store: CallStore;
  readonly #config: HookSystemConfig;
  readonly #workspace: string;

  constructor(store: CallStore, config: HookSystemConfig, workspace: string) {
    this.#store = store;
    this.#config = config;
    this.#workspace = workspace;
  }

  /**
   * Tells of the question of one call, or of all questions of the workspace that nobody is telling of. Those of
   * a newer release are told of there.
   */
  async tell(call?: string): Promise<void> {
    const untold = await this.#store.takeUntold(this.#workspace, call, format);
    await Promise.all(untold.map((row) => this.#tellOf(row)));
  }

  async #tellOf({ id, call, tool, asked }: Untold): Promise<void> {
    const { reason } = JSON.parse(asked) as { readonly reason?: string };
    const notification_type = 'ToolPermission';
    const message = `ap-${id}: may ${tool} run? ${reason ?? ''}`.trim();
    const details = { approval_id: `ap-${id}`, call_id: call, tool_name: tool };
    await firedResult(this.#config, 'Notification', notification_type, (handler) =>
      handler.fireNotificationEvent({ notification_type, message, details }),
    );
    await this.#store.markTold(id);
  }
}
