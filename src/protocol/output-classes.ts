import { isBlocking, isRecord, type HookDecision, type HookOutput } from './output.ts';

const text = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

/**
 * One hook's output, or the merged output of all hooks of an event (seed 003 "DefaultHookOutput").
 *
 * @example
 * const output = new DefaultHookOutput({ decision: 'deny', reason: 'no secrets' });
 * output.isBlockingDecision(); // true
 * output.getEffectiveReason(); // 'no secrets'
 */
export class DefaultHookOutput implements HookOutput {
  declare readonly continue?: boolean;
  declare readonly stopReason?: string;
  declare readonly suppressOutput?: boolean;
  declare readonly systemMessage?: string;
  declare readonly decision?: HookDecision | null;
  declare readonly reason?: string;
  declare readonly hookSpecificOutput?: Readonly<Record<string, unknown>>;

  constructor(output: HookOutput = {}) {
    if (output.continue !== undefined) this.continue = output.continue;
    if (output.stopReason !== undefined) this.stopReason = output.stopReason;
    if (output.suppressOutput !== undefined) this.suppressOutput = output.suppressOutput;
    if (output.systemMessage !== undefined) this.systemMessage = output.systemMessage;
    if (output.decision !== undefined) this.decision = output.decision;
    if (output.reason !== undefined) this.reason = output.reason;
    if (output.hookSpecificOutput !== undefined)
      this.hookSpecificOutput = output.hookSpecificOutput;
  }

  /** Whether the operation is blocked: `decision` is block or deny. */
  isBlockingDecision(): boolean {
    return isBlocking(this.decision);
  }

  /** Whether the agent is to stop: `continue` is false. */
  shouldStopExecution(): boolean {
    return this.continue === false;
  }

  /** The reason to show: a stop prefers `stopReason`, all else `reason`; each falls back to the other (C-39). */
  getEffectiveReason(): string {
    const [first, second] = this.shouldStopExecution()
      ? [this.stopReason, this.reason]
      : [this.reason, this.stopReason];
    return text(first) ?? text(second) ?? 'No reason provided';
  }

  /** The reason of a block: `reason` first, even when the agent is to stop as well (C-39). */
  getBlockReason(): string {
    return text(this.reason) ?? text(this.stopReason) ?? 'No reason provided';
  }

  /** The reason of a stop: `stopReason` first (C-39). */
  getStopReason(): string {
    return text(this.stopReason) ?? text(this.reason) ?? 'No reason provided';
  }

  /** `hookSpecificOutput.additionalContext`, when a hook gave one. */
  getAdditionalContext(): string | undefined {
    return text(this.hookSpecificOutput?.['additionalContext']);
  }

  getBlockingError(): { blocked: boolean; reason: string } {
    return this.isBlockingDecision()
      ? { blocked: true, reason: this.getBlockReason() }
      : { blocked: false, reason: '' };
  }
}

/** A BeforeTool output: honours `permissionDecision` and carries rewritten arguments (HOOK-169, HOOK-170, HOOK-199). */
export class BeforeToolHookOutput extends DefaultHookOutput {
  override isBlockingDecision(): boolean {
    return (
      super.isBlockingDecision() || isBlocking(this.hookSpecificOutput?.['permissionDecision'])
    );
  }

  override getEffectiveReason(): string {
    return this.#permissionReason() ?? super.getEffectiveReason();
  }

  override getBlockReason(): string {
    return this.#permissionReason() ?? super.getBlockReason();
  }

  /** The arguments the tool is to run with, when a hook rewrote any; to be spread over the original ones (C-43). */
  getModifiedToolInput(): Record<string, unknown> | undefined {
    const input = this.hookSpecificOutput?.['tool_input'];
    return isRecord(input) ? { ...input } : undefined;
  }

  #permissionReason(): string | undefined {
    return text(this.hookSpecificOutput?.['permissionDecisionReason']);
  }
}

/** An AfterTool output; its additional context is for the tool result's model-facing text (HOOK-027). */
export class AfterToolHookOutput extends DefaultHookOutput {}
