import type { HookEventInput } from '../../../machines/hook-event.ts';
import type { EventContext } from '../answers/event-context.ts';
import { askModelOf } from './hook-commands.ts';
import { HookCommands } from './hook-commands.ts';
import { hookPointOf } from '../points/hook-points.ts';
import { isNestedTooDeep, overDepth } from '../../base/json.ts';
import { debugChannel, type PlainWarning } from '../../base/log.ts';
import { errorOf } from '../../base/message-of.ts';
import type { HookEventName } from '../protocol/events.ts';
import type { HookEventFields, HookInput } from '../protocol/input.ts';
import type { RegisteredHook } from '../definitions/hook-definition.ts';
import { formatProblem, type SettingsProblem } from '../definitions/problem.ts';
import { observed } from './telemetry.ts';
import { hookEvent, runMachine } from './run-machine.ts';
import {
  eventWarnings,
  observePlan,
  type PlanObserver,
  batchSummary,
  HookTelemetry,
} from './telemetry.ts';
import {
  type HookStage,
  makeEmptySuccessResult,
  type AggregatedHookResult,
} from '../answers/results.ts';
import type { HookHost } from '../host/config.ts';
import {
  buildFailureEnvelope,
  denyingEnvelope,
  type FailureEnvelope,
  isBlockedUnready,
  refusingEnvelope,
  unreadyEnvelope,
  withLate,
  resultOf,
  settledInput,
} from './event-result.ts';
import { applyingTo, modeOf, subjectOf, type HookPlanner } from '../plan/hook-planner.ts';
import type { HookPlan, MatchSubject } from '../plan/hook-plan.ts';
import { EventMethods } from './event-methods.ts';
import { type StartUnawaited, toMachineInput } from './event-run.ts';
import type { FireOptions, PlannedEvent, PrepareOptions, UnknownGuards } from './planned-event.ts';
import type { UnawaitedHooks } from './unawaited-hooks.ts';
import { onDemand } from '../../base/on-demand.ts';

const loadUnawaitedHooks = onDemand(() => import('./unawaited-hooks.ts'));

const debug = debugChannel('event-handler');

const noUnknownGuards: UnknownGuards = {
  hasUnknownGuards: () => false,
  retryUnknownGuards: () => Promise.resolve(),
};

/** The answers could not be merged, so the result is as if no hook had run. */
const isMergeFailure = ({ failure, plan }: AggregatedHookResult): boolean =>
  failure?.stage === 'aggregation' && plan === null;

/** Fires events: plans, runs and merges. None of its methods throws. */
export class HookEventHandler extends EventMethods {
  readonly #config: HookHost;
  readonly #planner: HookPlanner;
  readonly #telemetry: HookTelemetry;
  readonly #unknown: UnknownGuards;
  readonly #commands: HookCommands;
  #unawaited: UnawaitedHooks | undefined;
  #disposed = false;

  constructor(
    config: HookHost,
    planner: HookPlanner,
    telemetry: HookTelemetry = new HookTelemetry(),
    unknown: UnknownGuards = noUnknownGuards,
  ) {
    super();
    this.#config = config;
    this.#planner = planner;
    this.#telemetry = telemetry;
    this.#unknown = unknown;
    this.#commands = new HookCommands(planner.handlers, askModelOf(config));
  }

  /** Fires any event with its own fields; the base fields are ours. */
  override async fire<Event extends HookEventName>(
    event: Event,
    fields: HookEventFields[Event],
    options: FireOptions = {},
  ): Promise<AggregatedHookResult> {
    if (options.signal?.aborted) return makeEmptySuccessResult();
    if (this.#unknown.hasUnknownGuards()) await this.#unknown.retryUnknownGuards();
    const session = () => options.sessionId ?? this.#config.getSessionId();
    const planned = this.#planFor(event, () => subjectOf(event, fields), session);
    if (planned === undefined) return makeEmptySuccessResult();
    const { signal, canAsk, isRelayed, ...context } = options;
    try {
      const input = this.prepare(planned, () => fields, { context, canAsk, isRelayed });
      const outcome = await runMachine(hookEvent, input, { signal, ...observed(this.#config) });
      return resultOf(outcome);
    } catch (error) {
      return this.#reported(this.#failure(planned, error, 'execution'));
    }
  }

  /**
   * Returns the hooks that will run for an event; undefined when none matches. Synchronous, without I/O. If they cannot be determined, the event is planned to fail.
   */
  plan<Event extends HookEventName>(
    event: Event,
    subject?: MatchSubject,
  ): PlannedEvent<Event> | undefined {
    return this.#planFor(event, () => subject);
  }

  /** If `subjectFor` throws, because the fields have a wrong type, the event is planned to fail. */
  #planFor<Event extends HookEventName>(
    event: Event,
    subjectFor: () => MatchSubject,
    session?: () => string,
  ): PlannedEvent<Event> | undefined {
    if (this.#disposed) return undefined;
    try {
      const refusal = this.#refusal(event);
      if (refusal) return { event, kind: 'refused', refusal };
      const plan = this.#planner.plan(event, subjectFor());
      if (plan) return { event, kind: 'hooks', plan };
      if (this.hasLate(event, session)) return { event, kind: 'late' };
      this.#telemetry.emit('hook:batch_summary', () =>
        batchSummary(event, makeEmptySuccessResult(), 0),
      );
      return undefined;
    } catch (error) {
      return { event, kind: 'broken', error: errorOf(error) };
    }
  }

  /**
   * Returns the machine input for a planned event. If it cannot be made, it has no hooks, and its verdict is
   * that of an event whose hooks could not be run.
   */
  prepare<Event extends HookEventName>(
    planned: PlannedEvent<Event>,
    fields: () => HookEventFields[Event],
    { context = {}, canAsk = false, isRelayed, onDecided = () => undefined }: PrepareOptions = {},
  ): HookEventInput {
    const { event } = planned;
    const reported = (result: FailureEnvelope): HookEventInput =>
      settledInput(event, result, () => onDecided(this.#reported(result)));
    const failed = (error: unknown, stage: HookStage): HookEventInput =>
      reported(this.#failure(planned, error, stage));
    const settled = (result: AggregatedHookResult): HookEventInput =>
      settledInput(event, result, () => onDecided(result));
    if (this.#disposed) return settled(makeEmptySuccessResult());
    if (planned.kind === 'refused') return settled(planned.refusal);
    if (planned.kind === 'broken') return failed(planned.error, 'planning');
    const lateResult = (): AggregatedHookResult => {
      const late = this.#unawaited?.take(event, context.sessionId ?? this.#config.getSessionId());
      return withLate(event, makeEmptySuccessResult(), late);
    };
    try {
      if (planned.kind === 'late') return settled(lateResult());
      const { input, unfit } = this.#hookInput(event, fields, planned.plan, context);
      const overLimit = isNestedTooDeep(input) ? new Error(`its input ${overDepth}`) : undefined;
      // Hooks could not judge it, and the code that compares what they say could not either.
      if (overLimit && hookPointOf(event).needsGuards)
        return reported(unreadyEnvelope(overLimit, 'formatting', event));
      if (overLimit) throw overLimit;
      const plan = applyingTo(planned.plan, input, context);
      if (plan === undefined) return settled(lateResult());
      debug('%s: %s, hooks: %d', event, modeOf(plan), plan.hooks.length);
      const observer = this.#observer(isRelayed, onDecided);
      return toMachineInput(
        { plan, input, context, observer },
        {
          commands: this.#commands,
          mayStart: this.#planner.mayStart,
          canAsk,
          recheck: this.#config.rechecks?.() ?? false,
          unmerged: (error) => this.#failure(planned, error, 'aggregation'),
          startUnawaited: (hook, onEnd) =>
            void this.#startUnawaited(hook, onEnd).catch((error: unknown) =>
              onEnd({ status: 'failed', error: errorOf(error) }),
            ),
          late: this.#unawaited?.take(event, input.session_id),
          ...(unfit && { unfit }),
        },
      );
    } catch (error) {
      return failed(error, 'formatting');
    }
  }

  /** Reports an event as its hooks end, and passes its result on. */
  #observer(
    isRelayed: boolean | undefined,
    onDecided: (result: AggregatedHookResult) => void,
  ): PlanObserver {
    const warn = (line: string, plain?: PlainWarning): void => this.warn(line, plain);
    const observer = observePlan(this.#telemetry, warn, isRelayed);
    return {
      ...observer,
      eventSettled: (event, result) => {
        if (isMergeFailure(result)) this.#reported(result);
        else observer.eventSettled(event, result);
        onDecided(result);
      },
    };
  }

  /**
   * Whether hooks that nobody had waited for have something to report, in this session or, without one, in
   * any.
   */
  hasLate(event: HookEventName, session?: () => string): boolean {
    if (this.#disposed || this.#unawaited === undefined) return false;
    return this.#unawaited.hasSaid(event, session?.());
  }

  /** Waits only for the module, which is loaded as soon as such a hook is found. */
  async #startUnawaited(...[input, onEnd]: Parameters<StartUnawaited>): Promise<void> {
    const { UnawaitedHooks } = await loadUnawaitedHooks();
    this.#unawaited ??= new UnawaitedHooks();
    if (this.#disposed) return;
    this.#unawaited.start(input, onEnd, {
      ...observed(this.#config),
      outlive: this.#config.outlive?.bind(this.#config),
    });
  }

  /** Whether an event is denied without running any hook, because its guards are unknown. */
  refusesUnasked(event: HookEventName): boolean {
    return !this.#disposed && hookPointOf(event).needsGuards && this.#unknownGuards().length > 0;
  }

  #unknownGuards(): readonly SettingsProblem[] {
    return this.#config.getUnknownGuards?.() ?? [];
  }

  #refusal(event: HookEventName): AggregatedHookResult | undefined {
    const [problem] = this.refusesUnasked(event) ? this.#unknownGuards() : [];
    if (problem === undefined) return undefined;
    const refusal = refusingEnvelope(formatProblem(problem), event, problem.file);
    this.#telemetry.diagnose({ event, stage: 'planning', message: refusal.failure.message });
    return refusal;
  }

  /**
   * Nothing fires any more; what already runs finishes, except for hooks that nobody
   * waits for.
   */
  dispose(): void {
    this.#disposed = true;
    this.#unawaited?.end();
  }

  /**
   * Returns what the hooks receive. If that cannot be determined, this throws, and the event is given up,
   * unless a failure of its hooks denies.
   */
  #hookInput(
    event: HookEventName,
    fields: () => object,
    { failClosed }: HookPlan,
    context: EventContext,
  ): { input: HookInput; unfit?: Error } {
    try {
      const base = this.#baseFields(event, context);
      // The base fields come first and are ours, whatever the caller gave.
      return { input: { ...base, ...fields(), ...base } };
    } catch (error) {
      if (!failClosed) throw error;
      const unknown = { session_id: '', transcript_path: '', cwd: '', timestamp: '' };
      return { input: { ...unknown, hook_event_name: event }, unfit: errorOf(error) };
    }
  }

  #baseFields(event: HookEventName, { sessionId, transcriptPath, cwd }: EventContext): HookInput {
    return {
      session_id: sessionId ?? this.#config.getSessionId(),
      transcript_path: transcriptPath ?? this.#config.getTranscriptPath?.() ?? '',
      cwd: cwd ?? this.#config.getWorkingDir(),
      hook_event_name: event,
      timestamp: new Date().toISOString(),
    };
  }

  /**
   * Returns the result of an event whose hooks could not be run: a denial if a failure of one of them denies.
   */
  #failure(planned: PlannedEvent, error: unknown, stage: HookStage): FailureEnvelope {
    const { event } = planned;
    const [guard] =
      planned.kind === 'hooks' ? (planned.plan.failClosed ?? []) : this.#failClosed(event);
    if (guard !== undefined) return denyingEnvelope(error, stage, event, guard.name);
    return isBlockedUnready(this.#config, event)
      ? unreadyEnvelope(error, stage, event)
      : buildFailureEnvelope(error, stage, { event });
  }

  /** The hooks of an event whose failure denies, for when no plan could be made. */
  #failClosed(event: HookEventName): readonly RegisteredHook[] {
    try {
      return this.#planner.failClosed(event);
    } catch {
      // It was the registry that broke.
      return [];
    }
  }

  /** Reports a failed result to telemetry and the user. */
  #reported<Result extends AggregatedHookResult>(result: Result): Result {
    const { event, stage, message } = result.failure!;
    this.#telemetry.diagnose({ event: event ?? null, stage, message });
    const guard = result.setBy['decision'];
    const fate =
      guard !== undefined
        ? `hook "${guard}" blocks, as its settings say`
        : event !== undefined && isBlockedUnready(this.#config, event)
          ? 'it blocks, as onUnready says'
          : result.verdict.decision === 'deny'
            ? 'it is denied'
            : 'continuing without hooks';
    const said = (why: string): string => `${event}: the hooks could not be run (${why}); ${fate}`;
    this.warn(said(message), { text: said(stage) });
    if (event !== undefined)
      for (const { line, plain } of eventWarnings(event, result)) this.warn(line, plain);
    return result;
  }

  /** Warns the user, on one line. */
  warn(line: string, plain?: PlainWarning): void {
    this.#telemetry.warn(this.#config.onWarning, line, plain);
  }
}
