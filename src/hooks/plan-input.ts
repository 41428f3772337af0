import type {
  HookAnswer,
  HookEventInput,
  HookPayload,
  HookVerdict,
  PlannedHook,
} from '../../machines/hook-event.ts';
import type { HookProcessOutcome } from '../../machines/hook-process.ts';
import type { Answer } from '../dialects/answer.ts';
import type { Dialect } from '../dialects/dialect.ts';
import { denyFailure, readOutcome, unheard } from '../dialects/process-facts.ts';
import type { EventContext } from '../dialects/event-context.ts';
import type { HookEventName } from '../protocol/events.ts';
import type { HookInput } from '../protocol/input.ts';
import type { TrustGate } from '../trust/gate.ts';
import { aggregateResults } from './hook-aggregator.ts';
import type { HookPlan } from './hook-planner.ts';
import type { RegisteredHook } from './hook-registry.ts';
import { errorOf } from './message-of.ts';
import type { AggregatedHookResult, HookExecutionResult } from './results.ts';

/** What the `hookEvent` machine ends with: the machine reads two flags, the engine the whole result. */
export interface Verdict extends HookVerdict {
  readonly result: AggregatedHookResult;
}

export const verdictOf = (result: AggregatedHookResult): Verdict => ({
  blocked: result.finalOutput?.isBlockingDecision() ?? false,
  stop: result.finalOutput?.shouldStopExecution() ?? false,
  followUp: result.followUps !== undefined,
  result,
});

/** Told of each hook and each event as they end. */
export interface PlanObserver {
  started(hook: RegisteredHook, payload: HookPayload): void;
  ended(result: HookExecutionResult): void;
  settled(plan: HookPlan, result: AggregatedHookResult): void;
}

const hookOf = (planned: PlannedHook): RegisteredHook => planned as RegisteredHook;

/**
 * A plan as input of the `hookEvent` machine: its hooks, what they are told, and the rules of their
 * dialects. `unfit` says why they cannot be told anything, and so all fail.
 */
export function toMachineInput(
  plan: HookPlan,
  input: HookInput,
  context: EventContext,
  observer: PlanObserver,
  trusts: TrustGate = () => true,
  unfit?: Error,
): HookEventInput {
  const { event } = plan;
  const payload: HookPayload = { ...input };
  const dialectOf = ({ dialect }: RegisteredHook): Dialect => plan.dialects.get(dialect)!;
  const textOf = remember((dialect: Dialect) =>
    remember((told: HookPayload) => JSON.stringify(dialect.stdin(event, told, context))),
  );
  const environmentOf = remember((dialect: Dialect) => dialect.environment(input));
  // An input that has no JSON form fails the event, once (G-06); but where a failure denies, each of
  // its hooks.
  if (!plan.failClosed)
    for (const hook of plan.hooks)
      if (tried(() => textOf(dialectOf(hook))(payload)) instanceof Error) JSON.stringify(payload);
  let verdict: Verdict | undefined;
  /** What hooks in a sequence were told, and what the next is to be told after them. */
  const toldTo = new Map<PlannedHook, HookPayload>();
  const changed = new Map<HookAnswer, HookPayload>();
  const heardFrom = (hook: RegisteredHook, outcome: HookProcessOutcome): HookExecutionResult => {
    const dialect = dialectOf(hook);
    const answer = tried(() => {
      const result = { ...dialect.read(event, outcome, payload), hook, event };
      if (plan.mode === 'sequential' && isPassedOn(result))
        changed.set(result, dialect.chain(event, toldTo.get(hook) ?? payload, result));
      return result;
    });
    if (!(answer instanceof Error)) return answer;
    const failed = readOutcome(outcome, (exit) => unheard('failed', answer, exit));
    return { ...failed, hook, event };
  };
  /** Hooks that lost trust after they were planned. */
  const refused = new Set<RegisteredHook>();
  const settle = (answers: readonly HookExecutionResult[]): Verdict => {
    const started = answers.filter(
      ({ fared, decision }) => fared !== 'untrusted' || decision === 'deny',
    );
    const result = aggregateResults(plan, started, payload);
    observer.settled(plan, result);
    return verdictOf(result);
  };
  return {
    event,
    mode: plan.mode,
    hooks: plan.hooks,
    payload,
    rules: {
      prepare(planned, told) {
        const hook = hookOf(planned);
        if (!trusts(hook)) refused.add(hook);
        else observer.started(hook, told);
        const environment = tried(() => environmentOf(dialectOf(hook)));
        const broken = unfit ?? (environment instanceof Error ? environment : undefined);
        toldTo.set(hook, told);
        return {
          name: hook.name,
          timeout: hook.timeout,
          command: {
            command: hook.command,
            ...(hook.args && { args: hook.args }),
            cwd: input.cwd,
            env: { ...hook.env, ...(environment instanceof Error ? {} : environment) },
            // The port asks for it before it starts anything.
            stdin: () => {
              if (refused.has(hook)) throw new Error('it is not trusted');
              if (broken) throw broken;
              if (hook.type === 'plugin')
                throw new Error('plugin hooks cannot run; use "type": "command"');
              return textOf(dialectOf(hook))(told);
            },
          },
        };
      },
      read(planned, outcome): HookAnswer {
        const hook = hookOf(planned);
        const heard = heardFrom(hook, outcome);
        const result = plan.failClosed?.has(hook) ? denyFailure(heard, hook.name) : heard;
        // Nobody asked it anything, so nothing is told of it but its denial.
        if (refused.has(hook)) return { ...result, fared: 'untrusted' };
        observer.ended(result);
        return result;
      },
      chain(told, answer) {
        return changed.get(answer) ?? told;
      },
      // XState works out the output of a final state twice; its verdict is one.
      merge: (answers): Verdict => (verdict ??= settle(answers as readonly HookExecutionResult[])),
    },
  };
}

/** Machine input for an event whose hooks cannot run: the verdict stands from the start. */
export const settledInput = (event: HookEventName, verdict: Verdict): HookEventInput => ({
  event,
  mode: 'parallel',
  hooks: [],
  payload: {},
  rules: { prepare: noHook, read: noHook, chain: noHook, merge: () => verdict },
});

function noHook(): never {
  throw new Error('There is no hook to ask this of.');
}

/** A dialect may be a host's own; what throws in it is the failure of one hook, and the others are heard. */
function tried<Made>(make: () => Made): Made | Error {
  try {
    return make();
  } catch (error) {
    return errorOf(error);
  }
}

/** Whether the next hook is told what this one changed. */
const isPassedOn = ({ fared, decision, stop }: Answer): boolean =>
  fared === 'ok' && decision !== 'deny' && !stop;

/** Hooks side by side get one and the same payload; its text is made once. */
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
