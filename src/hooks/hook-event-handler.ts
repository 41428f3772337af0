import type { HookEventInput } from '../../machines/hook-event.ts';
import type { EventContext } from '../dialects/event-context.ts';
import { debugChannel } from '../log.ts';
import type { HookEventName } from '../protocol/events.ts';
import type { HookEventFields, HookInput } from '../protocol/input.ts';
import type { LLMRequest, LLMResponse } from '../protocol/llm.ts';
import type { HookSystemConfig } from './config.ts';
import { buildFailureEnvelope, denyingEnvelope, type HookStage } from './failure.ts';
import { subjectOf, type HookPlan, type HookPlanner, type MatchSubject } from './hook-planner.ts';
import { hookMachines } from './load-machines.ts';
import { errorOf } from './message-of.ts';
import { settledInput, toMachineInput, verdictOf, type Verdict } from './plan-input.ts';
import { eventWarnings, observePlan } from './plan-observer.ts';
import { makeEmptySuccessResult, type AggregatedHookResult } from './results.ts';
import { batchSummary } from './telemetry-records.ts';
import { HookTelemetry } from './telemetry.ts';

const debug = debugChannel('event-handler');

/** Options of a fired event. */
export interface FireOptions extends EventContext {
  /** Aborting it cancels the running hooks: their process groups are ended, and only what was said before counts. */
  readonly signal?: AbortSignal | undefined;
}

/** How far an event has come. */
interface Progress {
  stage: HookStage;
  /** Those of the planned hooks whose failure denies. */
  failClosed?: HookPlan['failClosed'];
}

/** Fires events: plans, runs and merges. None of its methods throws (HOOK-143, 147). */
export class HookEventHandler {
  readonly #config: HookSystemConfig;
  readonly #planner: HookPlanner;
  readonly #telemetry: HookTelemetry;
  #disposed = false;

  constructor(
    config: HookSystemConfig,
    planner: HookPlanner,
    telemetry: HookTelemetry = new HookTelemetry(),
  ) {
    this.#config = config;
    this.#planner = planner;
    this.#telemetry = telemetry;
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

  /** Before a prompt is worked on. */
  fireBeforeAgentEvent(prompt: string, options?: FireOptions): Promise<AggregatedHookResult> {
    return this.fire('BeforeAgent', { prompt }, options);
  }

  /** When the agent has answered; `stopHookActive` when it did so because an AfterAgent hook asked (G-16). */
  fireAfterAgentEvent(
    prompt: string,
    promptResponse: string,
    stopHookActive = false,
    options?: FireOptions,
  ): Promise<AggregatedHookResult> {
    return this.fire(
      'AfterAgent',
      { prompt, prompt_response: promptResponse, stop_hook_active: stopHookActive },
      options,
    );
  }

  /** Before the model is asked. The request is in the stable format; `fireBeforeModelHook` takes the SDK's (HOOK-141). */
  fireBeforeModelEvent(
    llmRequest: LLMRequest,
    options?: FireOptions,
  ): Promise<AggregatedHookResult> {
    return this.fire('BeforeModel', { llm_request: llmRequest }, options);
  }

  /** After the model answered, both in the stable format; `fireAfterModelHook` takes the SDK's (HOOK-141). */
  fireAfterModelEvent(
    llmRequest: LLMRequest,
    llmResponse: LLMResponse,
    options?: FireOptions,
  ): Promise<AggregatedHookResult> {
    return this.fire('AfterModel', { llm_request: llmRequest, llm_response: llmResponse }, options);
  }

  /** Before the model is offered tools; the request is in the stable format (HOOK-141). */
  fireBeforeToolSelectionEvent(
    llmRequest: LLMRequest,
    options?: FireOptions,
  ): Promise<AggregatedHookResult> {
    return this.fire('BeforeToolSelection', { llm_request: llmRequest }, options);
  }

  /** When a session starts (DELTA-HPAY-006). */
  fireSessionStartEvent(
    fields: HookEventFields['SessionStart'],
    options?: FireOptions,
  ): Promise<AggregatedHookResult> {
    return this.fire('SessionStart', fields, options);
  }

  /** When a session ends (DELTA-HPAY-006). */
  fireSessionEndEvent(
    fields: HookEventFields['SessionEnd'],
    options?: FireOptions,
  ): Promise<AggregatedHookResult> {
    return this.fire('SessionEnd', fields, options);
  }

  /** Before the conversation is compressed. */
  firePreCompressEvent(
    fields: HookEventFields['PreCompress'],
    options?: FireOptions,
  ): Promise<AggregatedHookResult> {
    return this.fire('PreCompress', fields, options);
  }

  /** When the user is to be notified, such as of a question for permission. */
  fireNotificationEvent(
    fields: HookEventFields['Notification'],
    options?: FireOptions,
  ): Promise<AggregatedHookResult> {
    return this.fire('Notification', fields, options);
  }

  /** Fires any event with its own fields; the base fields are ours (HOOK-215). */
  async fire<Event extends HookEventName>(
    event: Event,
    fields: HookEventFields[Event],
    { signal, ...context }: FireOptions = {},
  ): Promise<AggregatedHookResult> {
    if (signal?.aborted) return makeEmptySuccessResult();
    const progress: Progress = { stage: 'planning' };
    try {
      const subject = subjectOf(event, fields);
      const input = this.#input(event, () => fields, subject, context, progress);
      if (input === undefined) return makeEmptySuccessResult();
      const { hookEvent, runMachine } = await hookMachines();
      const { inspect } = this.#config;
      const origin = inspect && { sessionId: this.#config.getSessionId() };
      const { verdict } = await runMachine(hookEvent, input, { signal, inspect, origin });
      return (verdict as Verdict).result;
    } catch (error) {
      return this.#fail(event, error, progress);
    }
  }

  /**
   * The machine input for an event, or undefined when no hook is meant for it; `fields` is then not
   * called. Synchronous (HOOK-011 to 013). Where it cannot be made, it has no hooks, and its verdict
   * is what `fire` would give.
   */
  prepare<Event extends HookEventName>(
    event: Event,
    fields: () => HookEventFields[Event],
    subject: MatchSubject,
    context: EventContext = {},
  ): HookEventInput | undefined {
    const progress: Progress = { stage: 'planning' };
    try {
      return this.#input(event, fields, subject, context, progress);
    } catch (error) {
      return settledInput(event, verdictOf(this.#fail(event, error, progress)));
    }
  }

  #input<Event extends HookEventName>(
    event: Event,
    fields: () => HookEventFields[Event],
    subject: MatchSubject,
    context: EventContext,
    progress: Progress,
  ): HookEventInput | undefined {
    if (this.#disposed) return undefined;
    const plan = this.#planner.plan(event, subject);
    if (plan === undefined) {
      this.#telemetry.tell('hook:batch_summary', () =>
        batchSummary(event, makeEmptySuccessResult(), 0),
      );
      return undefined;
    }
    progress.failClosed = plan.failClosed;
    progress.stage = 'formatting';
    const { input, unfit } = this.#hookInput(event, fields, plan);
    debug('%s: %d hooks, %s', event, plan.hooks.length, plan.mode);
    const machineInput = toMachineInput(
      plan,
      input,
      context,
      observePlan(this.#telemetry, (line) => this.warn(line)),
      this.#planner.trusts,
      unfit,
    );
    progress.stage = 'execution';
    const { rules } = machineInput;
    let denied: Verdict | undefined;
    return {
      ...machineInput,
      rules: {
        ...rules,
        merge: (...heard) => {
          progress.stage = 'aggregation';
          try {
            return rules.merge(...heard);
          } catch (error) {
            // A call's machine goes on where its hooks break.
            if (!plan.failClosed) throw error;
            return (denied ??= verdictOf(this.#fail(event, error, progress)));
          }
        },
      },
    };
  }

  /**
   * The result of an event that never came to its hooks, because `error` befell the call that would
   * fire it; undefined when no hook is meant for it.
   */
  giveUp(
    event: HookEventName,
    subject: MatchSubject,
    error: unknown,
  ): AggregatedHookResult | undefined {
    const progress: Progress = { stage: 'planning' };
    try {
      const plan = this.#disposed ? undefined : this.#planner.plan(event, subject);
      if (plan === undefined) return undefined;
      progress.failClosed = plan.failClosed;
      progress.stage = 'execution';
    } catch {
      // What befell the call is told in any case.
    }
    return this.#fail(event, error, progress);
  }

  /** Nothing fires any more; what runs already finishes (DELTA-HEVT-004, G-10). */
  dispose(): void {
    this.#disposed = true;
  }

  /** What the hooks are told. Where it cannot be found out, the event is given up, unless a failure of its hooks denies. */
  #hookInput(
    event: HookEventName,
    fields: () => object,
    { failClosed }: HookPlan,
  ): { input: HookInput; unfit?: Error } {
    try {
      const base = this.#baseFields(event);
      // The base fields come first and are ours, whatever the caller gave (HOOK-215).
      return { input: { ...base, ...fields(), ...base } };
    } catch (error) {
      if (!failClosed) throw error;
      const unknown = { session_id: '', transcript_path: '', cwd: '', timestamp: '' };
      return { input: { ...unknown, hook_event_name: event }, unfit: errorOf(error) };
    }
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

  #fail(event: HookEventName, error: unknown, progress: Progress): AggregatedHookResult {
    const envelope = this.#diagnose(event, error, progress);
    const { decision: guard } = envelope.setBy;
    const fate =
      guard === undefined
        ? 'it goes on without them'
        : `hook "${guard}" blocks, as its settings say`;
    this.warn(`${event}: the hooks could not be run (${envelope.failure.message}); ${fate}`);
    for (const line of eventWarnings(event, envelope)) this.warn(line);
    return envelope;
  }

  /** The first hook whose failure denies. */
  #guardOf(event: HookEventName, { stage, failClosed }: Progress): string | undefined {
    if (stage !== 'planning') return failClosed?.values().next().value?.name;
    try {
      return this.#planner.failClosed(event)[0]?.name;
    } catch {
      // The registry is what broke.
      return undefined;
    }
  }

  #diagnose(event: HookEventName, error: unknown, progress: Progress) {
    const { stage } = progress;
    const guard = this.#guardOf(event, progress);
    const envelope =
      guard === undefined
        ? buildFailureEnvelope(error, stage, { event })
        : denyingEnvelope(error, stage, event, guard);
    this.#telemetry.diagnose({ event, stage, message: envelope.failure.message });
    return envelope;
  }

  /** Tells the user, on one line. */
  warn(line: string): void {
    this.#telemetry.warn(this.#config.onWarning, line);
  }
}
