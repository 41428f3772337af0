import { withCode } from '../../base/errors.ts';
import { resolve } from 'node:path';
import type {
  HookAnswer,
  HookEventInput,
  HookEventOutcome,
  HookPayload,
  HookVerdict,
  PlannedHook,
} from '../../../machines/hook-event.ts';
import type {
  HookCommand,
  HookProcessInput,
  HookProcessOutcome,
} from '../../../machines/hook-process.ts';
import type { Answer } from '../answers/answer.ts';
import type { Dialect } from '../dialects/dialect.ts';
import type { EventContext } from '../answers/event-context.ts';
import { mergeEffects, passChanges, outputOf } from '../answers/merge-effects.ts';
import {
  deniesUntrusted,
  denyFailure,
  noAnswer,
  readOutcome,
  withMissingProgram,
} from '../answers/process-facts.ts';
import type { Verdict } from '../answers/verdict.ts';
import { sharingKey } from './handler-of.ts';
import { askModelOf, type AskModel, handlerOf } from './handler-of.ts';
import { type Handlers, type RunnableCommand } from '../host/handlers.ts';
import type { HookEventName } from '../protocol/events.ts';
import type { HookInput } from '../protocol/input.ts';
import type { RegisteredHook } from '../definitions/hook-definition.ts';
import type {
  AggregatedHookResult,
  HookExecutionResult,
  EventVerdict,
} from '../answers/results.ts';
import { buildFailureEnvelope, aggregateResults, withLate } from './event-result.ts';
import type { Entry } from '../plan/duplicates.ts';
import type { HookPlan } from '../plan/hook-planner.ts';
import { judgingOnly, type KeptAnswer, recheckAfter } from './recheck.ts';
import type { PlanObserver } from './telemetry.ts';
import type { StartGate } from '../plan/trust-gate.ts';
import { errorOf } from '../../base/message-of.ts';

/** An event's result with the flags that the machine reads. */
export const verdictOf = (result: AggregatedHookResult): EventVerdict => ({
  blocked: result.verdict.decision === 'deny',
  stop: result.verdict.stop,
  ...askedOf(result.verdict),
  followUp: result.followUps !== undefined,
  result,
});

/** What must happen before the operation continues; empty if it just continues. */
const askedOf = ({ decision, passesUnasked, approved }: Verdict): Partial<HookVerdict> => ({
  ...(decision === 'ask' && !passesUnasked && { ask: true }),
  ...(decision === 'defer' && { defer: true }),
  ...(approved && { approved }),
});

/** The merged result of all hooks of an event. */
export const resultOf = ({ verdict }: HookEventOutcome): AggregatedHookResult =>
  (verdict as EventVerdict).result;

/** How a plan's hooks are started and their answers read. */
export interface PlanOptions {
  /** What runs the hooks; default: none can run. */
  readonly handlers?: Handlers | undefined;
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
  /** Asks the host's model; default: there is none. */
  readonly askModel?: AskModel;
  /**
   * Starts a hook that nobody waits for, and calls `onEnd` once with its outcome; default: the hook is not
   * started.
   */
  readonly startUnawaited?: StartUnawaited;
  /** What hooks that nobody had waited for have said, to be reported with this event. */
  readonly late?: Verdict | undefined;
}

/** For plans that are only looked at. */
const noHandlers: Handlers = {
  run: () => {
    throw new Error('No hook is run here.');
  },
  faultBehind: () => undefined,
  filesBehind: () => Promise.resolve([]),
};

/** Starts a hook that outlives its event. */
export type StartUnawaited = (
  input: HookProcessInput,
  onEnd: (outcome: HookProcessOutcome) => HookExecutionResult | undefined,
) => void;

/** The part of an answer that the event's result shows. */
const shownOf = ({ passesOn: _, received: __, ...answer }: KeptAnswer): HookExecutionResult =>
  answer;

const whyUntrusted = ({ bundle }: RegisteredHook): string =>
  bundle ? 'its bundle is not as it was signed' : 'it is not trusted';

const hookOf = (planned: PlannedHook): RegisteredHook => planned as RegisteredHook;

/**
 * Turns a plan into the input of the `hookEvent` machine: its hooks, what they receive, and the rules of
 * their dialects.
 */
export function toMachineInput(
  plan: HookPlan,
  input: HookInput,
  context: EventContext,
  observer: PlanObserver,
  options: PlanOptions = {},
): HookEventInput {
  const { event } = plan;
  const {
    handlers = noHandlers,
    mayStart = () => true,
    unmerged = (error) => buildFailureEnvelope(error, 'aggregation', { event }),
    unfit,
    askModel = askModelOf({}),
    canAsk = false,
    recheck = false,
    startUnawaited = () => undefined,
    late,
  } = options;
  const payload: HookPayload = { ...input };
  const dialectOf = ({ dialect }: RegisteredHook): Dialect => plan.dialects.get(dialect)!;
  // Hooks side by side often receive the same object.
  const textFor = remember((received: object) => JSON.stringify(received));
  const objectFor = remember((hook: RegisteredHook) =>
    remember((received: HookPayload) => dialectOf(hook).stdin(hook, received, context)),
  );
  const textOf = (hook: RegisteredHook, received: HookPayload): string =>
    `${textFor(objectFor(hook)(received))}${dialectOf(hook).endsLine ? '\n' : ''}`;
  // A payload that has no JSON form fails the event, once, because the last call throws. If a failure
  // denies, or if it is only a dialect's form of the payload that has none, the hooks fail one by one.
  if (!plan.failClosed)
    for (const hook of plan.hooks)
      if ('error' in tried(() => textOf(hook, payload))) JSON.stringify(payload);

  const commandOf = (hook: RegisteredHook, received: HookPayload): RunnableCommand => {
    const environment = tried(() => dialectOf(hook).environment(hook, input));
    const broken = unfit ?? ('error' in environment ? environment.error : undefined);
    return {
      command: hook.command,
      run: handlers.run,
      sharing: sharingKey(hook),
      ...handlerOf(hook, askModel),
      ...(hook.args && { args: hook.args }),
      ...(hook.shell && { shell: hook.shell }),
      cwd: hook.cwd === undefined ? input.cwd : resolve(input.cwd, hook.cwd),
      env: { ...hook.env, ...('made' in environment && environment.made) },
      // The user's variables must not weaken what an administrator set up.
      ...(hook.source === 'system' && { isClean: true }),
      ...(hook.prestart && { prestart: true }),
      ...((hook.prestart || hook.type === 'live') && {
        filesBehind: filesBehind(handlers, hook, input.cwd),
      }),
      // The port calls it before it starts anything.
      stdin: () => {
        if (broken) throw broken;
        if (hook.type === 'plugin')
          throw new Error('plugin hooks cannot run; use "type": "command"');
        return textOf(hook, received);
      },
    };
  };

  /** Hooks that were not trusted when their turn had come, and by hook, the one that ran in its place. */
  const untrusted = new Set<PlannedHook>();
  const standingIn = new Map<PlannedHook, RegisteredHook>();
  const admit = (
    hook: RegisteredHook,
    received: HookPayload,
    own: HookCommand,
  ): HookCommand | Promise<HookCommand> => {
    const [first, ...others] = plan.entries?.get(hook) ?? [{ written: hook, runs: hook }];
    const admitted = ({ runs }: Entry): HookCommand => {
      if (runs !== hook) standingIn.set(hook, runs);
      observer.hookStarted(runs, received);
      return runs === hook ? own : commandOf(runs, received);
    };
    const orOther = async (): Promise<HookCommand> => {
      for (const entry of others) if (await mayStart(entry.written)) return admitted(entry);
      untrusted.add(hook);
      throw new Error(whyUntrusted(hook));
    };
    const enter = (isTrusted: boolean): HookCommand | Promise<HookCommand> =>
      isTrusted ? admitted(first!) : orOther();
    const answer = mayStart(first!.written);
    return typeof answer === 'boolean' ? enter(answer) : answer.then(enter);
  };

  const isInSequence = ({ dialect }: RegisteredHook): boolean =>
    plan.lanes.some((lane) => lane.dialect === dialect && lane.mode === 'sequential');

  const answerFrom = (
    hook: RegisteredHook,
    outcome: HookProcessOutcome,
    received: HookPayload,
  ): KeptAnswer => {
    const dialect = dialectOf(hook);
    const answer = tried((): KeptAnswer => {
      // A dialect whose failures deny would take it for a failure.
      if (untrusted.has(hook)) throw new Error(whyUntrusted(hook));
      const isOnlyNoted = dialect.missingProgram === 'noted';
      const said = withMissingProgram(dialect.read(hook, outcome, received), isOnlyNoted);
      const read = withCause(said, () => handlers.faultBehind(commandOf(hook, received)));
      const result = { ...withOutput(event, hook, read, received), hook, event, received };
      const { chain = passChanges } = dialect;
      return isInSequence(hook) && isPassedOn(result)
        ? { ...result, passesOn: chain(event, received, result) }
        : result;
    });
    if ('made' in answer) return answer.made;
    withCode(answer.error, 'invalid-answer');
    const failed = readOutcome(outcome, (exit) => noAnswer('failed', answer.error, exit));
    return { ...failed, hook, event, received };
  };

  const processOf = (hook: RegisteredHook, received: HookPayload): HookProcessInput => {
    const own = commandOf(hook, received);
    const command = { ...own, admit: () => admit(hook, received, own) };
    const { name, timeout, leftBehind } = hook;
    return { name, timeout, ...(leftBehind && { leftBehind }), command };
  };

  const outlive = (hook: RegisteredHook, received: HookPayload): void => {
    let kept: KeptAnswer | undefined;
    const read = (outcome: HookProcessOutcome): KeptAnswer => {
      kept ??= answerFrom(standingIn.get(hook) ?? hook, outcome, received);
      return untrusted.has(hook) ? { ...kept, status: 'untrusted' } : kept;
    };
    const outlives = { event, sessionId: input.session_id, hook, read };
    startUnawaited({ ...processOf(hook, received), outlives }, (outcome) => {
      const answer = read(outcome);
      if (answer.status === 'untrusted') return undefined;
      const shown = shownOf(answer);
      observer.hookEnded(shown);
      return shown;
    });
  };
  const unawaited = [...plan.hooks.keys()].filter((position) => plan.hooks[position]!.async);

  return {
    event,
    hooks: plan.hooks,
    lanes: plan.lanes,
    ...(unawaited.length > 0 && {
      unawaited: {
        positions: unawaited,
        start: (planned, received) => outlive(hookOf(planned), received),
      },
    }),
    payload,
    rules: {
      prepare: (planned, received) => processOf(hookOf(planned), received),
      read(planned, outcome, received, first): HookAnswer {
        const hook = standingIn.get(planned) ?? hookOf(planned);
        const answer = answerFrom(hook, outcome, received);
        const isClosed =
          plan.failClosed?.has(hookOf(planned)) ||
          (untrusted.has(planned) && deniesUntrusted(hookOf(planned)));
        const result = isClosed ? denyFailure(answer, hook.name) : answer;
        if (untrusted.has(planned)) return { ...result, status: 'untrusted' };
        return first === undefined ? result : judgingOnly(result, first as KeptAnswer);
      },
      merge(answers): EventVerdict {
        const results = (answers as KeptAnswer[])
          .filter(({ status, decision }) => status !== 'untrusted' || decision === 'deny')
          .map(shownOf);
        const merged = tried(() => aggregateResults(plan, results, payload, canAsk));
        const result = 'made' in merged ? merged.made : unmerged(merged.error);
        return verdictOf(withLate(event, result, late));
      },
      ...(recheck && {
        recheck: (answers, verdict) =>
          recheckAfter(plan, payload, answers, (verdict as EventVerdict).result),
      }),
    },
    reports: {
      answered(answer) {
        // An untrusted hook was not asked anything, so only its denial is reported.
        if (answer.status !== 'untrusted') observer.hookEnded(shownOf(answer as KeptAnswer));
      },
      decided: (verdict) => observer.eventSettled(plan, (verdict as EventVerdict).result),
    },
  };
}

/** Says why a script could not be run, where its file shows that (exit 126 and 127). */
function withCause<A extends Answer>(answer: A, faultBehind: () => string | undefined): A {
  const { error, exitCode } = answer;
  if (error === undefined || (exitCode !== 126 && exitCode !== 127)) return answer;
  const cause = faultBehind();
  if (cause === undefined) return answer;
  return { ...answer, error: new Error(`Hook exited with code ${exitCode} (${cause})`) };
}

/**
 * The files that a waiting process of a hook depends on. The function is kept, so it holds nothing of an
 * event.
 */
const filesBehind = (handlers: Handlers, hook: RegisteredHook, cwd: string) => () =>
  handlers.filesBehind(hook, cwd);

/** Machine input for an event whose hooks cannot run: its result is fixed from the start. */
export const settledInput = (
  event: HookEventName,
  result: AggregatedHookResult,
  report: () => void,
): HookEventInput => ({
  event,
  hooks: [],
  lanes: [],
  payload: {},
  rules: { prepare: noHook, read: noHook, merge: () => verdictOf(result) },
  reports: { answered: noHook, decided: report },
});

function noHook(): never {
  throw new Error('There is no hook to ask this of.');
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

/** Adds what a hook said as the public API shows it, if its dialect has not done so itself. */
function withOutput(
  event: HookEventName,
  { name }: RegisteredHook,
  answer: Answer,
  payload: HookPayload,
): Answer {
  const isSilent = answer.decision === undefined && !answer.stop && answer.effects.length === 0;
  if (answer.output || isSilent) return answer;
  const output = outputOf(mergeEffects(event, [{ hook: name, answer }], payload));
  return output ? { ...answer, output } : answer;
}

/** Whether the next hook receives what this one changed. */
const isPassedOn = ({ status, decision, stop }: Answer): boolean =>
  status === 'ok' && decision !== 'deny' && !stop;

/** Returns a function that makes something of each object only once. */
function remember<Key extends object, Made>(make: (key: Key) => Made): (key: Key) => Made {
  const made = new WeakMap<Key, Made>();
  return (key) => {
    const known = made.get(key);
    if (known !== undefined) return known;
    const value = make(key);
    made.set(key, value);
    return value;
  };
}
