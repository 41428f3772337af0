import type { ToolCallQuestion } from '../../core/calls/run-tool-call.ts';
import { finalOutputOf, hasNoHooks } from '../../core/calls/event-hooks.ts';
import type { HookSystemConfig } from '../../hosts/system/hook-system-config.ts';
import { warn } from '../../base/log.ts';
import type { DefaultHookOutput } from '../../core/protocol/output.ts';

/** A connection as a session: what its hooks say goes to the user, because no model is listening. */
export class McpSession {
  readonly #config: HookSystemConfig;
  #begun: Promise<void> | undefined;
  #isBegun = false;

  constructor(config: HookSystemConfig) {
    this.#config = config;
  }

  /** Fires SessionStart, once. */
  begin(): void {
    if (this.#begun) return;
    this.#isBegun = hasNoHooks(this.#config, 'SessionStart', 'startup');
    this.#begun = this.#isBegun ? Promise.resolve() : this.#start();
  }

  async #start(): Promise<void> {
    const output = await finalOutputOf(this.#config, 'SessionStart', 'startup', (handler) =>
      handler.fireSessionStartEvent({ source: 'startup' }),
    );
    this.#isBegun = true;
    this.#tell('SessionStart', output);
  }

  /**
   * What a call must wait for: SessionStart hooks may set up what its hooks need. Undefined if there is
   * nothing to wait for.
   */
  beginning(): Promise<void> | undefined {
    this.begin();
    return this.#isBegun ? undefined : this.#begun;
  }

  /** Shows Notification hooks that the user is about to be asked about a call. */
  async announce({ name, input, reason }: ToolCallQuestion, signal: AbortSignal): Promise<void> {
    const type = 'ToolPermission';
    const fields = {
      notification_type: type,
      message: reason ?? `The agent wants to run ${name}.`,
      details: { tool_name: name, tool_input: input },
    };
    const output = await finalOutputOf(this.#config, 'Notification', type, (handler) =>
      handler.fire('Notification', fields, { signal }),
    );
    this.#tell('Notification', output);
  }

  /** Fires SessionEnd, if the session has begun. */
  async end(): Promise<void> {
    if (this.#begun === undefined) return;
    await this.#begun;
    const output = await finalOutputOf(this.#config, 'SessionEnd', 'exit', (handler) =>
      handler.fireSessionEndEvent({ reason: 'exit' }),
    );
    this.#tell('SessionEnd', output);
  }

  #tell(
    event: 'SessionStart' | 'SessionEnd' | 'Notification',
    output: DefaultHookOutput | undefined,
  ): void {
    const { systemMessage } = output ?? {};
    const tell = (line: string): void => warn(this.#config.onWarning, line);
    if (systemMessage !== undefined) tell(`a hook says: ${systemMessage}`);
    if (output?.getAdditionalContext() !== undefined)
      tell(
        `${event}: a hook gave context, which has no effect here, because MCP has no place for it`,
      );
  }
}
