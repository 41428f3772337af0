import type { HookEventInput, HookPayload } from '../../machines/hook-event.ts';
import { llxprt } from '../dialects/llxprt/index.ts';
import { debugChannel, warn } from '../log.ts';
import type { HookEventName } from '../protocol/events.ts';
import type { HookEventFields, HookInput } from '../protocol/input.ts';
import type { HookSystemConfig } from './config.ts';
import { messageOf } from './message-of.ts';
import type { HookPlan, HookPlanner } from './hook-planner.ts';
import { matching, type MatchSubject } from './matcher.ts';
import { toMachineInput, type PlanObserver, type Verdict } from './plan-input.ts';
import {
  makeEmptySuccessResult,
  makeFailureResult,
  type AggregatedHookResult,
  type HookExecutionResult,
} from './results.ts';

const debug = debugChannel('event-handler');
const debugRunner = debugChannel('runner');
const debugAggregator = debugChannel('aggregator');

/** Options of a fired event. */
export interface FireOptions {
  /** Aborting it cancels the running hooks: their process groups are ended, and only what was said before counts. */
  readonly signal?: AbortSignal | undefined;
}

/** Events whose callers cannot block: a denial is reported, and does nothing (C-63). */
const cannotBlock: readonly HookEventName[] = ['AfterModel', 'BeforeToolSelection'];

/** Fires events: plans, runs and merges. None of its methods throws (HOOK-143, 147). */
export class HookEventHandler {
  readonly #config: HookSystemConfig;
  readonly #planner: HookPlanner;
  #disposed = false;

  constructor(config: HookSystemConfig, planner: HookPlanner) {
    this.#config = config;
    this.#planner = planner;
  }

  /** Before a tool runs (HOOK-014, 015). */
  fireBeforeToolEvent(
    toolName: string,
    toolInput: Readonly<Record<string, unknown>>,
    options?: FireOptions,
  ): Promise<AggregatedHookResult> {
    return this.fire('BeforeTool', { tool_name: toolName, tool_input: toolInput }, options);
  }

  /** After a tool ran (HOOK-025, 026). */
  fireAfterToolEvent(
    toolName: string,
    toolInput: Readonly<Record<string, unknown>>,
    toolResponse: Readonly<Record<string, unknown>>,
    options?: FireOptions,
  ): Promise<AggregatedHookResult> {
    return this.fire(
      'AfterTool',
      { tool_name: toolName, tool_input: toolInput, tool_response: toolResponse },
      options,
    );
  }

  /** Fires any event with its own fields; the base fields are ours (HOOK-215). */
  async fire<Event extends HookEventName>(
    event: Event,
    fields: HookEventFields[Event],
    { signal }: FireOptions = {},
  ): Promise<AggregatedHookResult> {
    if (signal?.aborted) return makeEmptySuccessResult();
    try {
      const input = this.prepare(event, () => fields, subjectOf(event, fields));
      if (input === undefined) return makeEmptySuccessResult();
      // Only now, because the machines and the process library cost a short-lived command its time.
      const [{ hookEvent }, { runMachine }] = await Promise.all([
        import('./actors.ts'),
        import('./run-machine.ts'),
      ]);
      const options = { signal, inspect: this.#config.inspect };
      const { verdict } = await runMachine(hookEvent, input, options);
      return (verdict as Verdict).result;
    } catch (error) {
      return this.#fail(event, error);
    }
  }

  /**
   * The machine input for an event, or undefined when no hook is meant for it; `fields` is then not
   * called. Synchronous (HOOK-011 to 013).
   */
  prepare<Event extends HookEventName>(
    event: Event,
    fields: () => HookEventFields[Event],
    subject: MatchSubject,
  ): HookEventInput | undefined {
    const plan = this.#disposed ? undefined : this.#planner.plan(event, subject);
    if (plan === undefined) return undefined;
    const base = this.#baseFields(event);
    // The base fields come first and are ours, whatever the caller gave (HOOK-215).
    const input: HookInput = { ...base, ...fields(), ...base };
    debug('%s: %d hooks, %s', event, plan.hooks.length, plan.mode);
    return toMachineInput(plan, input, llxprt, this.#observer());
  }

  /** Nothing fires any more; what runs already finishes (DELTA-HEVT-004, G-10). */
  dispose(): void {
    this.#disposed = true;
  }

  #baseFields(event: HookEventName): HookInput {
    return {
      session_id: this.#config.getSessionId(),
      transcript_path: this.#config.getTranscriptPath?.() ?? '',
      cwd: this.#config.getWorkingDir(),
      hook_event_name: event,
      timestamp: new Date().toISOString(),
    };
  }

  #observer(): PlanObserver {
    return {
      started: (hook, payload: HookPayload) =>
        debugRunner('%s "%s" starts; input %o', hook.event, hook.name, payload),
      ended: (result) => {
        debugRunner(
          '%s "%s" ended after %d ms: %s, exit %s, stdout %o, stderr %o',
          result.event,
          result.hook.name,
          Math.round(result.durationMs),
          result.fared,
          result.signal ?? result.exitCode,
          result.stdout,
          result.stderr,
        );
        for (const line of warningsOf(result)) this.warn(line);
      },
      settled: (plan, result) => this.#settled(plan, result),
    };
  }

  #settled({ event }: HookPlan, result: AggregatedHookResult): void {
    debugAggregator('%s: merged %o, conflicts %o', event, result.finalOutput, result.conflicts);
    debug(
      '%s: %d hooks, success %s, %d ms in all',
      event,
      result.results.length,
      result.success,
      Math.round(result.totalDuration),
    );
    for (const { field, hooks, winner } of result.conflicts)
      this.warn(
        `${event}: the hooks ${hooks.map((name) => `"${name}"`).join(' and ')} set ${field} differently; "${winner}" won`,
      );
    if (cannotBlock.includes(event) && result.finalOutput?.isBlockingDecision())
      this.warn(
        `${event} cannot be blocked; the denial ("${result.finalOutput.getBlockReason()}") has no effect`,
      );
  }

  #fail(event: HookEventName, error: unknown): AggregatedHookResult {
    const cause = error instanceof Error ? error : new Error(messageOf(error));
    this.warn(`${event}: the hooks could not be run (${cause.message}); it goes on without them`);
    return makeFailureResult(cause);
  }

  /** Tells the user, on one line. */
  warn(line: string): void {
    warn(this.#config.onWarning, line);
  }
}

/** What an event's matchers are compared with (C-20). */
function subjectOf<Event extends HookEventName>(
  event: Event,
  fields: HookEventFields[Event],
): MatchSubject {
  if (matching[event] === 'ignored') return undefined;
  const { tool_name, source, reason, trigger, notification_type } = fields as Readonly<
    Record<string, unknown>
  >;
  const subject = tool_name ?? source ?? reason ?? trigger ?? notification_type;
  return typeof subject === 'string' ? subject : undefined;
}

/** What a user must be told of one hook: that it failed, and what in its answer was not understood. */
function* warningsOf({ hook, event, error, fared, stderr, notes }: HookExecutionResult) {
  const name = `hook "${hook.name}" (${event})`;
  if (error && fared !== 'cancelled') {
    const said = stderr.trim() === '' ? '' : `: ${stderr.trim()}`;
    yield `${name} failed and was passed over: ${error.message}${said}`;
  }
  for (const note of notes) yield `${name}: ${note}`;
}
