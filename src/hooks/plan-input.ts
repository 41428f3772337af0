import type {
  HookAnswer,
  HookEventInput,
  HookPayload,
  HookVerdict,
  PlannedHook,
} from '../../machines/hook-event.ts';
import type { Answer } from '../dialects/answer.ts';
import type { Dialect } from '../dialects/dialect.ts';
import { denyFailure, readOutcome } from '../dialects/process-facts.ts';
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
  if (!plan.failClosed) for (const hook of plan.hooks) textOf(dialectOf(hook))(payload);
  let verdict: Verdict | undefined;
  /** Why the hooks that are still to come cannot be told what those before them changed. */
  let unchained: Error | undefined;
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
        const broken =
          unfit ?? unchained ?? (environment instanceof Error ? environment : undefined);
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
        const answer = tried(() => dialectOf(hook).read(event, outcome, payload));
        const heard = { ...(answer instanceof Error ? unread(answer) : answer), hook, event };
        const result = plan.failClosed?.has(hook) ? denyFailure(heard, hook.name) : heard;
        // Nobody asked it anything, so nothing is told of it but its denial.
        if (refused.has(hook)) return { ...result, fared: 'untrusted' };
        observer.ended(result);
        return result;
      },
      chain(told, answer) {
        const result = answer as HookExecutionResult;
        const changed = tried(() => dialectOf(result.hook).chain(event, told, result));
        if (!(changed instanceof Error)) return changed;
        unchained = changed;
        return told;
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

const unread = (error: Error): Answer =>
  readOutcome({ status: 'failed', error }, () => {
    throw error;
  });

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
