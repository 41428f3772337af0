import { isRecord } from '../../base/json.ts';
import type { HookEventName } from './events.ts';

/** In LLxprt, `ask` is reserved and treated as `allow`. */
export type HookDecision = 'ask' | 'block' | 'deny' | 'approve' | 'allow';

/** What a hook prints on stdout. */
export interface HookOutput {
  /** `false` stops the agent. */
  readonly continue?: boolean;
  readonly stopReason?: string;
  readonly suppressOutput?: boolean;
  /** Reaches the model, never the user. */
  readonly systemMessage?: string;
  /** Absent or null: no decision, which allows. */
  readonly decision?: HookDecision | null;
  readonly reason?: string;
  readonly hookSpecificOutput?: Readonly<Record<string, unknown>>;
}

const decisions: readonly unknown[] = [
  'block',
  'deny',
  'allow',
  'approve',
  'ask',
] satisfies HookDecision[];

/** Whether a value is exactly one of the five decisions. */
export const isDecision = (value: unknown): value is HookDecision => decisions.includes(value);

/** A description of a valid decision, for messages. */
export const decisionWanted = 'exactly one of block, deny, allow, approve, ask';

/** Whether a decision blocks. */
export const isBlocking = (decision: unknown): boolean =>
  decision === 'block' || decision === 'deny';

const isString = (value: unknown): boolean => typeof value === 'string';
const isBoolean = (value: unknown): boolean => typeof value === 'boolean';

const fields: Readonly<
  Record<keyof HookOutput, { fits: (value: unknown) => boolean; wanted: string }>
> = {
  continue: { fits: isBoolean, wanted: 'true or false' },
  stopReason: { fits: isString, wanted: 'a string' },
  suppressOutput: { fits: isBoolean, wanted: 'true or false' },
  systemMessage: { fits: isString, wanted: 'a string' },
  decision: { fits: isDecision, wanted: decisionWanted },
  reason: { fits: isString, wanted: 'a string' },
  hookSpecificOutput: { fits: isRecord, wanted: 'an object' },
};

/**
 * Checks the common fields of a hook's JSON object. A field of the wrong type is dropped with a note and does
 * not affect the others; null means that a field is omitted. Fields that are not ours are passed
 * through.
 */
export function checkHookOutput(printed: Readonly<Record<string, unknown>>): {
  output: HookOutput;
  notes: string[];
} {
  const notes: string[] = [];
  const dropped = new Set<string>();
  for (const [name, { fits, wanted }] of Object.entries(fields)) {
    const value = printed[name];
    if (!Object.hasOwn(printed, name) || fits(value)) continue;
    // A null decision is a documented way to make none, and is kept for callers that check it.
    if (name === 'decision' && value === null) continue;
    dropped.add(name);
    if (value !== null) notes.push(ignored(`"${name}"`, value, wanted));
  }
  if (dropped.size === 0) return { output: printed, notes };
  const kept = Object.entries(printed).filter(([name]) => !dropped.has(name));
  return { output: Object.fromEntries(kept), notes };
}

const text = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

/**
 * One hook's output, or the merged output of all hooks of an event.
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

  /** Whether the agent must stop: `continue` is false. */
  shouldStopExecution(): boolean {
    return this.continue === false;
  }

  /**
   * The reason to show: a stop prefers `stopReason`, everything else `reason`; each falls back to the other.
   */
  getEffectiveReason(): string {
    const [first, second] = this.shouldStopExecution()
      ? [this.stopReason, this.reason]
      : [this.reason, this.stopReason];
    return text(first) ?? text(second) ?? 'No reason provided';
  }

  /** The reason of a block: `reason` first, even if the agent must stop too. */
  getBlockReason(): string {
    return text(this.reason) ?? text(this.stopReason) ?? 'No reason provided';
  }

  /** The reason of a stop: `stopReason` first. */
  getStopReason(): string {
    return text(this.stopReason) ?? text(this.reason) ?? 'No reason provided';
  }

  /** `hookSpecificOutput.additionalContext`, if a hook gave it. */
  getAdditionalContext(): string | undefined {
    return text(this.hookSpecificOutput?.['additionalContext']);
  }

  getBlockingError(): { blocked: boolean; reason: string } {
    return this.isBlockingDecision()
      ? { blocked: true, reason: this.getBlockReason() }
      : { blocked: false, reason: '' };
  }
}

/**
 * A BeforeTool output, which honours `permissionDecision` and carries rewritten arguments.
 */
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

  /** The rewritten arguments, if a hook gave any; to be spread over the original ones. */
  getModifiedToolInput(): Record<string, unknown> | undefined {
    const input = this.hookSpecificOutput?.['tool_input'];
    return isRecord(input) ? { ...input } : undefined;
  }

  #permissionReason(): string | undefined {
    return text(this.hookSpecificOutput?.['permissionDecisionReason']);
  }
}

/** An AfterTool output; its additional context goes into the tool result's text for the model. */
export class AfterToolHookOutput extends DefaultHookOutput {}

/** Wraps the merged output of a tool's event in its class; undefined for other events. */
export function createToolHookOutput(
  output: HookOutput,
  event: HookEventName,
): DefaultHookOutput | undefined {
  if (event === 'BeforeTool') return new BeforeToolHookOutput(output);
  return event === 'AfterTool' ? new AfterToolHookOutput(output) : undefined;
}

/** The note for a hook's author about an ignored value: where it was, what it was, what it must be. */
export const ignored = (path: string, value: unknown, wanted: string): string =>
  `${path} is ${shown(value)} and was ignored: it must be ${wanted}`;

const longestShown = 60;

/** A value as shown in a message, shortened if needed. */
function shown(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object' && value !== null) return 'an object';
  const written =
    typeof value === 'string' ? JSON.stringify(value.slice(0, longestShown)) : String(value);
  return written.length > longestShown ? `${written.slice(0, longestShown - 3)}...` : written;
}

/** What a hook's exit code means. Any other code is a failure of the hook and never blocks. */
export const EXIT_CODE_SUCCESS = 0;
export const EXIT_CODE_NON_BLOCKING_ERROR = 1;
export const EXIT_CODE_BLOCKING_ERROR = 2;
