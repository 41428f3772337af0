import { withCode } from '../../base/errors.ts';
import { errorOf } from '../../base/message-of.ts';
import type {
  HookAnswer,
  HookEventInput,
  HookPayload,
  HookReports,
  HookRules,
  HookVerdict,
  PlannedHook,
  Recheck,
  UnawaitedInput,
} from '../../../machines/hook-event.ts';
import type {
  HookCommand,
  HookProcessInput,
  HookProcessOutcome,
} from '../../../machines/hook-process.ts';
import type { Answer } from '../answers/answer.ts';
import type { EventContext } from '../answers/event-context.ts';
import { passChanges } from '../answers/merge-effects.ts';
import {
  deniesUntrusted,
  denyFailure,
  noAnswer,
  readOutcome,
  withMissingProgram,
} from '../answers/process-facts.ts';
import type {
  AggregatedHookResult,
  EventVerdict,
  HookExecutionResult,
} from '../answers/results.ts';
import type { Verdict } from '../answers/verdict.ts';
import type { RegisteredHook } from '../definitions/hook-definition.ts';
import type { Dialect } from '../dialects/dialect.ts';
import type { RunnableCommand } from '../host/handlers.ts';
import type { Entry } from '../plan/duplicates.ts';
import type { HookPlan } from '../plan/hook-plan.ts';
import type { StartGate } from '../plan/trust-gate.ts';
import type { HookInput } from '../protocol/input.ts';
import { withOutput } from '../views/outputs.ts';
import { aggregateResults, buildFailureEnvelope, verdictOf, withLate } from './event-result.ts';
import { HookCommands } from './hook-commands.ts';
import type { PlanObserver } from './telemetry.ts';
import { judgingOnly, type KeptAnswer, recheckAfter } from './recheck.ts';

/** How an event's hooks are started and their answers read. */
export interface EventOptions {
  /** What is run for the hooks; default: none can run. */
  readonly commands?: HookCommands;
  /** Whether a hook may start, now that its turn has come; default: every hook may. */
  readonly mayStart?: StartGate;
  /** The result when the answers cannot be merged; default: a failure that blocks nothing. */
  readonly unmerged?: (error: Error) => AggregatedHookResult;
  /** Whether somebody can be asked when a hook wants that; default: nobody can. */
  readonly canAsk?: boolean;
  /** Whether hooks are asked once more when others changed what they had judged; default: no. */
  readonly recheck?: boolean;
  /** Why the hooks cannot be given any input, and so all fail. */
  readonly unfit?: Error;
  /**
   * Starts a hook that nobody waits for, and calls `onEnd` once with its outcome; default: the hook is not
   * started.
   */
  readonly startUnawaited?: StartUnawaited;
  /** What hooks that nobody had waited for have said, to be reported with this event. */
  readonly late?: Verdict | undefined;
}

/** Starts a hook that outlives its event. */
export type StartUnawaited = (
  input: HookProcessInput,
  onEnd: (outcome: HookProcessOutcome) => HookExecutionResult | undefined,
) => void;

/** A planned event with what its hooks receive: the rules that its `hookEvent` machine asks. */
export interface RunningEvent {
  readonly plan: HookPlan;
  readonly input: HookInput;
  readonly context: EventContext;
  readonly observer: PlanObserver;
}

/** The input of the `hookEvent` machine for a plan: its hooks, what they receive, and how they are run. */
export function toMachineInput(event: RunningEvent, options: EventOptions = {}): HookEventInput {
  const run = new EventRun(event, options);
  const { plan } = event;
  const unawaited = run.unawaited();
  return {
    event: plan.event,
    hooks: plan.hooks,
    lanes: plan.lanes,
    ...(unawaited && { unawaited }),
    payload: run.payload,
    rules: run,
    reports: run,
  };
}

const noCommands = new HookCommands();
const mayAlwaysStart: StartGate = () => true;

/** One event's hooks: what each is given, what its answer means, and what all of them decide. */
class EventRun implements HookRules, HookReports {
  readonly payload: HookPayload;
  readonly #plan: HookPlan;
  readonly #input: HookInput;
  readonly #context: EventContext;
  readonly #observer: PlanObserver;
  readonly #options: EventOptions;
  readonly #commands: HookCommands;
  /** What each hook receives, and as JSON; hooks side by side often receive the same object. */
  readonly #objects = new Map<PlannedHook, { readonly received: HookPayload; given: object }>();
  readonly #texts = new Map<object, string>();
  /** Hooks that were not trusted when their turn had come, and by hook, the one that ran in its place. */
  readonly #untrusted = new Set<PlannedHook>();
  readonly #standingIn = new Map<PlannedHook, RegisteredHook>();

  constructor({ plan, input, context, observer }: RunningEvent, options: EventOptions) {
    this.#plan = plan;
    this.#input = input;
    this.#context = context;
    this.#observer = observer;
    this.#options = options;
    this.#commands = options.commands ?? noCommands;
    this.payload = { ...input };
    // A payload that has no JSON form fails the event, once, because the last call throws. If a failure
    // denies, or if it is only a dialect's form of the payload that has none, the hooks fail one by one.
    if (!plan.failClosed)
      for (const hook of plan.hooks)
        if ('error' in tried(() => this.#textOf(hook, this.payload))) JSON.stringify(this.payload);
  }

  /** The hooks that nobody waits for; undefined if there are none. */
  unawaited(): UnawaitedInput | undefined {
    const { hooks } = this.#plan;
    if (!hooks.some(({ async }) => async)) return undefined;
    return {
      positions: [...hooks.keys()].filter((position) => hooks[position]!.async),
      start: (planned, received) => this.#outlive(hookOf(planned), received),
    };
  }

  prepare(planned: PlannedHook, received: HookPayload): HookProcessInput {
    const hook = hookOf(planned);
    const own = this.#commandOf(hook, received);
    const command = { ...own, admit: () => this.#admit(hook, received, own) };
    const { name, timeout, leftBehind } = hook;
    return { name, timeout, ...(leftBehind && { leftBehind }), command };
  }

  read(
    planned: PlannedHook,
    outcome: HookProcessOutcome,
    received: HookPayload,
    first?: HookAnswer,
  ): HookAnswer {
    const hook = this.#standingIn.get(planned) ?? hookOf(planned);
    const answer = this.#answerFrom(hook, outcome, received);
    const isUntrusted = this.#untrusted.has(planned);
    const isClosed =
      this.#plan.failClosed?.has(hookOf(planned)) ||
      (isUntrusted && deniesUntrusted(hookOf(planned)));
    const result = isClosed ? denyFailure(answer, hook.name) : answer;
    if (isUntrusted) return { ...result, status: 'untrusted' };
    return first === undefined ? result : judgingOnly(result, first as KeptAnswer);
  }

  merge(answers: readonly HookAnswer[]): EventVerdict {
    const { event } = this.#plan;
    const { canAsk = false, late, unmerged } = this.#options;
    const results = (answers as KeptAnswer[])
      .filter(({ status, decision }) => status !== 'untrusted' || decision === 'deny')
      .map(shownOf);
    const merged = tried(() => aggregateResults(this.#plan, results, this.payload, canAsk));
    const result =
      'made' in merged
        ? merged.made
        : (unmerged?.(merged.error) ??
          buildFailureEnvelope(merged.error, 'aggregation', { event }));
    return verdictOf(withLate(event, result, late));
  }

  recheck(answers: readonly (HookAnswer | undefined)[], verdict: HookVerdict): Recheck | undefined {
    return this.#options.recheck
      ? recheckAfter(this.#plan, this.payload, answers, (verdict as EventVerdict).result)
      : undefined;
  }

  answered(answer: HookAnswer): void {
    // An untrusted hook was not asked anything, so only its denial is reported.
    if (answer.status !== 'untrusted') this.#observer.hookEnded(shownOf(answer as KeptAnswer));
  }

  decided(verdict: HookVerdict): void {
    this.#observer.eventSettled(this.#plan, (verdict as EventVerdict).result);
  }

  #dialectOf({ dialect }: RegisteredHook): Dialect {
    return this.#plan.dialects.get(dialect)!;
  }

  #textOf(hook: RegisteredHook, received: HookPayload): string {
    const dialect = this.#dialectOf(hook);
    let known = this.#objects.get(hook);
    if (known?.received !== received) {
      known = { received, given: dialect.stdin(hook, received, this.#context) };
      this.#objects.set(hook, known);
    }
    let text = this.#texts.get(known.given);
    if (text === undefined) this.#texts.set(known.given, (text = JSON.stringify(known.given)));
    return dialect.endsLine ? `${text}\n` : text;
  }

  #commandOf(hook: RegisteredHook, received: HookPayload): RunnableCommand {
    const environment = tried(() => this.#dialectOf(hook).environment(hook, this.#input));
    const { unfit } = this.#options;
    const broken = unfit ?? ('error' in environment ? environment.error : undefined);
    return this.#commands.command(hook, {
      cwd: this.#input.cwd,
      env: 'made' in environment ? environment.made : {},
      // The port calls it before it starts anything.
      stdin: () => {
        if (broken) throw broken;
        if (hook.type === 'plugin')
          throw new Error('plugin hooks cannot run; use "type": "command"');
        return this.#textOf(hook, received);
      },
    });
  }

  /** Whether a hook, or the next one that stands for it, may start. */
  #admit(
    hook: RegisteredHook,
    received: HookPayload,
    own: HookCommand,
  ): HookCommand | Promise<HookCommand> {
    const { mayStart = mayAlwaysStart } = this.#options;
    const [first, ...others] = this.#plan.entries?.get(hook) ?? [{ written: hook, runs: hook }];
    const admitted = ({ runs }: Entry): HookCommand => {
      if (runs !== hook) this.#standingIn.set(hook, runs);
      this.#observer.hookStarted(runs, received);
      return runs === hook ? own : this.#commandOf(runs, received);
    };
    const orOther = async (): Promise<HookCommand> => {
      for (const entry of others) if (await mayStart(entry.written)) return admitted(entry);
      this.#untrusted.add(hook);
      throw new Error(whyUntrusted(hook));
    };
    const enter = (isTrusted: boolean): HookCommand | Promise<HookCommand> =>
      isTrusted ? admitted(first!) : orOther();
    const answer = mayStart(first!.written);
    return typeof answer === 'boolean' ? enter(answer) : answer.then(enter);
  }

  #answerFrom(
    hook: RegisteredHook,
    outcome: HookProcessOutcome,
    received: HookPayload,
  ): KeptAnswer {
    const { event } = this.#plan;
    const answer = tried(() => this.#readBy(this.#dialectOf(hook), hook, outcome, received));
    if ('made' in answer) return answer.made;
    withCode(answer.error, 'invalid-answer');
    const failed = readOutcome(outcome, (exit) => noAnswer('failed', answer.error, exit));
    return { ...failed, hook, event, received };
  }

  #readBy(
    dialect: Dialect,
    hook: RegisteredHook,
    outcome: HookProcessOutcome,
    received: HookPayload,
  ): KeptAnswer {
    const { event } = this.#plan;
    // A dialect whose failures deny would take it for a failure.
    if (this.#untrusted.has(hook)) throw new Error(whyUntrusted(hook));
    const isOnlyNoted = dialect.missingProgram === 'noted';
    const said = withMissingProgram(dialect.read(hook, outcome, received), isOnlyNoted);
    const read = withCause(said, () => this.#commands.faultBehind(this.#commandOf(hook, received)));
    const result = { ...withOutput(event, hook.name, read, received), hook, event, received };
    const { chain = passChanges } = dialect;
    return this.#isInSequence(hook) && isPassedOn(result)
      ? { ...result, passesOn: chain(event, received, result) }
      : result;
  }

  #isInSequence({ dialect }: RegisteredHook): boolean {
    return this.#plan.lanes.some((lane) => lane.dialect === dialect && lane.mode === 'sequential');
  }

  #outlive(hook: RegisteredHook, received: HookPayload): void {
    let kept: KeptAnswer | undefined;
    const read = (outcome: HookProcessOutcome): KeptAnswer => {
      kept ??= this.#answerFrom(this.#standingIn.get(hook) ?? hook, outcome, received);
      return this.#untrusted.has(hook) ? { ...kept, status: 'untrusted' } : kept;
    };
    const outlives = { event: this.#plan.event, sessionId: this.#input.session_id, hook, read };
    this.#options.startUnawaited?.({ ...this.prepare(hook, received), outlives }, (outcome) => {
      const answer = read(outcome);
      if (answer.status === 'untrusted') return undefined;
      const shown = shownOf(answer);
      this.#observer.hookEnded(shown);
      return shown;
    });
  }
}

/** The part of an answer that the event's result shows. */
const shownOf = ({ passesOn: _, received: __, ...answer }: KeptAnswer): HookExecutionResult =>
  answer;

const whyUntrusted = ({ bundle }: RegisteredHook): string =>
  bundle ? 'its bundle is not as it was signed' : 'it is not trusted';

const hookOf = (planned: PlannedHook): RegisteredHook => planned as RegisteredHook;

/** Says why a script could not be run, where its file shows that (exit 126 and 127). */
function withCause<A extends Answer>(answer: A, faultBehind: () => string | undefined): A {
  const { error, exitCode } = answer;
  if (error === undefined || (exitCode !== 126 && exitCode !== 127)) return answer;
  const cause = faultBehind();
  if (cause === undefined) return answer;
  return { ...answer, error: new Error(`Hook exited with code ${exitCode} (${cause})`) };
}

/**
 * A dialect may be a host's own; what it throws is the failure of one hook, and the other hooks still count.
 */
function tried<Made>(make: () => Made): { readonly made: Made } | { readonly error: Error } {
  try {
    return { made: make() };
  } catch (error) {
    return { error: errorOf(error) };
  }
}

/** Whether the next hook receives what this one changed. */
const isPassedOn = ({ status, decision, stop }: Answer): boolean =>
  status === 'ok' && decision !== 'deny' && !stop;
