import { isDeepStrictEqual } from 'node:util';
import type {
  HookAnswer,
  HookEventInput,
  HookEventOutcome,
  HookPayload,
  HookVerdict,
  PlannedHook,
  Recheck,
} from '../../machines/hook-event.ts';
import type { HookCommand, HookProcessOutcome } from '../../machines/hook-process.ts';
import type { Answer } from '../dialects/answer.ts';
import type { Dialect } from '../dialects/dialect.ts';
import type { EventContext } from '../dialects/event-context.ts';
import { mergeEffects, passReplaced, outputOf } from '../dialects/merge-effects.ts';
import { denyFailure, readOutcome, unheard } from '../dialects/process-facts.ts';
import type { Change, Verdict } from '../dialects/verdict.ts';
import { askModelOf, type AskModel, handlerOf } from '../handlers/index.ts';
import { hookPointOf, type Slot } from '../hook-points.ts';
import { errorOf } from '../message-of.ts';
import type { HookEventName } from '../protocol/events.ts';
import type { HookInput } from '../protocol/input.ts';
import { isRecord } from '../protocol/output.ts';
import type { RegisteredHook } from '../settings/hook-definition.ts';
import type { AggregatedHookResult, HookExecutionResult } from '../verdict/results.ts';
import { buildFailureEnvelope, aggregateResults } from './event-result.ts';
import type { HookPlan } from './hook-planner.ts';
import type { PlanObserver } from './telemetry.ts';
import type { StartGate } from './trust-gate.ts';

/** What the `hookEvent` machine ends with: the machine reads its flags, the engine the whole result. */
export interface EventVerdict extends HookVerdict {
  readonly result: AggregatedHookResult;
}

const verdictOf = (result: AggregatedHookResult): EventVerdict => ({
  blocked: result.finalOutput?.isBlockingDecision() ?? false,
  stop: result.finalOutput?.shouldStopExecution() ?? false,
  ...askedOf(result.verdict),
  followUp: result.followUps !== undefined,
  result,
});

/** What it takes for the operation to go on; absent where it just goes on. */
const askedOf = ({ decision, passesUnasked, approved }: Verdict): Partial<HookVerdict> => ({
  ...(decision === 'ask' && !passesUnasked && { ask: true }),
  ...(decision === 'defer' && { defer: true }),
  ...(approved && { approved }),
});

/** What all hooks of an event came to. */
export const resultOf = ({ verdict }: HookEventOutcome): AggregatedHookResult =>
  (verdict as EventVerdict).result;

/** How a plan's hooks are started and heard. */
export interface PlanOptions {
  /** Whether a hook may start, now that its turn has come; default: every one may. */
  readonly mayStart?: StartGate;
  /** The result where the answers cannot be merged; default: a failure that blocks nothing. */
  readonly unmerged?: (error: Error) => AggregatedHookResult;
  /** Whether somebody can be asked where a hook wants that; default: nobody. */
  readonly canAsk?: boolean;
  /** Whether hooks are asked once more where others changed what they had judged; default: no. */
  readonly recheck?: boolean;
  /** Why the hooks cannot be given anything, and so all fail. */
  readonly unfit?: Error;
  /** Asks the host's model; default: there is none. */
  readonly askModel?: AskModel;
}

/** A hook's answer, as the machine keeps it. */
interface KeptAnswer extends HookExecutionResult, HookAnswer {}

const hookOf = (planned: PlannedHook): RegisteredHook => planned as RegisteredHook;

/**
 * A plan as input of the `hookEvent` machine: its hooks, what they are given, and the rules of their
 * dialects.
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
    mayStart = () => true,
    unmerged = (error) => buildFailureEnvelope(error, 'aggregation', { event }),
    unfit,
    askModel = askModelOf({}),
    canAsk = false,
    recheck = false,
  } = options;
  const payload: HookPayload = { ...input };
  const dialectOf = ({ dialect }: RegisteredHook): Dialect => plan.dialects.get(dialect)!;
  // Hooks side by side are often told the same object.
  const textFor = remember((told: object) => ({ text: JSON.stringify(told) }));
  const objectFor = remember((hook: RegisteredHook) =>
    remember((told: HookPayload) => dialectOf(hook).stdin(hook, told, context)),
  );
  const textOf = (hook: RegisteredHook, told: HookPayload): string =>
    `${textFor(objectFor(hook)(told)).text}${dialectOf(hook).endsLine ? '\n' : ''}`;
  // An input that has no JSON form fails the event, once (G-06); but where a failure denies, each of
  // its hooks.
  if (!plan.failClosed)
    for (const hook of plan.hooks)
      if ('error' in tried(() => textOf(hook, payload))) JSON.stringify(payload);

  const commandOf = (hook: RegisteredHook, told: HookPayload): HookCommand => {
    const environment = tried(() => dialectOf(hook).environment(hook, input));
    const broken = unfit ?? ('error' in environment ? environment.error : undefined);
    return {
      command: hook.command,
      ...handlerOf(hook, askModel),
      ...(hook.args && { args: hook.args }),
      ...(hook.shell && { shell: hook.shell }),
      cwd: input.cwd,
      env: { ...hook.env, ...('made' in environment && environment.made) },
      // What an administrator put up is not to be weakened by the user's variables.
      ...(hook.source === 'system' && { isClean: true }),
      ...(hook.prestart && { prestart: true }),
      ...((hook.prestart || hook.type === 'live') && {
        filesBehind: filesBehind(hook, input.cwd),
      }),
      // The port asks for it before it starts anything.
      stdin: () => {
        if (broken) throw broken;
        if (hook.type === 'plugin')
          throw new Error('plugin hooks cannot run; use "type": "command"');
        return textOf(hook, told);
      },
    };
  };

  /** Hooks that were refused when their turn had come, and those that ran in the place of others. */
  const refused = new Set<PlannedHook>();
  const standingIn = new Map<PlannedHook, RegisteredHook>();
  const admit = (hook: RegisteredHook, told: HookPayload): HookCommand | Promise<HookCommand> => {
    const go = (isTrusted: boolean): HookCommand => {
      const [standIn] = isTrusted ? [] : (plan.standIns?.get(hook) ?? []);
      if (!isTrusted && standIn === undefined) {
        refused.add(hook);
        throw new Error('it is not trusted');
      }
      if (standIn !== undefined) standingIn.set(hook, standIn);
      observer.started(standIn ?? hook, told);
      return commandOf(standIn ?? hook, told);
    };
    const answer = mayStart(hook);
    return typeof answer === 'boolean' ? go(answer) : answer.then(go);
  };

  const isInSequence = ({ dialect }: RegisteredHook): boolean =>
    plan.lanes.some((lane) => lane.dialect === dialect && lane.mode === 'sequential');

  /** What each hook was asked about last. */
  const toldOf = new Map<PlannedHook, HookPayload>();

  const heardFrom = (
    hook: RegisteredHook,
    outcome: HookProcessOutcome,
    told: HookPayload,
  ): KeptAnswer => {
    const dialect = dialectOf(hook);
    const answer = tried((): KeptAnswer => {
      const read = dialect.read(hook, outcome, told);
      const result = { ...withOutput(event, hook, read, told), hook, event };
      const { chain = passReplaced } = dialect;
      return isInSequence(hook) && isPassedOn(result)
        ? { ...result, passesOn: chain(event, told, result) }
        : result;
    });
    if ('made' in answer) return answer.made;
    const failed = readOutcome(outcome, (exit) => unheard('failed', answer.error, exit));
    return { ...failed, hook, event };
  };

  return {
    event,
    hooks: plan.hooks,
    lanes: plan.lanes,
    payload,
    rules: {
      prepare(planned, told) {
        const hook = hookOf(planned);
        const command = { ...commandOf(hook, told), admit: () => admit(hook, told) };
        const { name, timeout, leftBehind } = hook;
        return { name, timeout, ...(leftBehind && { leftBehind }), command };
      },
      read(planned, outcome, told): HookAnswer {
        const isAskedAgain = toldOf.has(planned);
        toldOf.set(planned, told);
        const hook = standingIn.get(planned) ?? hookOf(planned);
        const heard = heardFrom(hook, outcome, told);
        const result = plan.failClosed?.has(hookOf(planned))
          ? denyFailure(heard, hook.name)
          : heard;
        if (refused.has(planned)) return { ...result, status: 'untrusted' };
        return isAskedAgain ? judgingOnly(result) : result;
      },
      merge(answers): EventVerdict {
        const results = (answers as KeptAnswer[])
          .filter(({ status, decision }) => status !== 'untrusted' || decision === 'deny')
          .map(({ passesOn: _, ...result }) => result);
        const merged = tried(() => aggregateResults(plan, results, payload, canAsk));
        return verdictOf('made' in merged ? merged.made : unmerged(merged.error));
      },
      ...(recheck && {
        recheck: (answers, verdict) =>
          recheckOf(plan, payload, answers, (verdict as EventVerdict).result, toldOf),
      }),
    },
    reports: {
      answered(answer) {
        // A hook that was refused was asked nothing, so nothing is reported of it but its denial.
        if (answer.status !== 'untrusted') observer.ended(answer as KeptAnswer);
      },
      decided: (verdict) => observer.settled(plan, (verdict as EventVerdict).result),
    },
  };
}

/**
 * The hooks that judged something else than what would run now: what they were told, with their own
 * changes, differs from it. Nobody is asked once more about what is denied or stopped.
 */
function recheckOf(
  { hooks, event }: HookPlan,
  payload: HookPayload,
  answers: readonly (HookAnswer | undefined)[],
  { verdict }: AggregatedHookResult,
  toldOf: ReadonlyMap<PlannedHook, HookPayload>,
): Recheck | undefined {
  if (hookPointOf(event).denial !== 'prevents' || verdict.decision === 'deny' || verdict.stop)
    return undefined;
  const changed = Object.entries(verdict.changes).filter(([slot]) => judgedSlots.includes(slot));
  if (changed.length === 0) return undefined;
  const final = changed.reduce<HookPayload>(
    (made, [slot, change]) => ({ ...made, [slot]: applied(change, payload[slot]) }),
    payload,
  );
  const positions = [...hooks.keys()].filter((position) => {
    const answer = answers[position] as KeptAnswer | undefined;
    const told = toldOf.get(hooks[position]!);
    if (answer?.status !== 'ok' || told === undefined) return false;
    const knows = passReplaced(event, told, answer);
    return changed.some(([slot]) => !isDeepStrictEqual(knows[slot], final[slot]));
  });
  return positions.length > 0 ? { positions, payload: final } : undefined;
}

/** What hooks judge before it runs; a response is a hook's own. */
const judgedSlots: readonly string[] = ['tool_input', 'llm_request'] satisfies Slot[];

const applied = (change: Change, before: unknown): unknown =>
  'whole' in change ? change.whole : { ...(isRecord(before) ? before : {}), ...change.patch };

/** The answer of a hook that is asked once more: it may deny or ask, and change nothing. */
function judgingOnly<A extends Answer>(answer: A): A {
  const kept = answer.effects.filter(({ kind }) => kind !== 'replace' && kind !== 'patch');
  const { hookSpecificOutput: _, ...output } = answer.output ?? {};
  const note = 'its changes were ignored, because it was asked once more about the final arguments';
  return {
    ...answer,
    effects: kept,
    ...(answer.output && { output }),
    ...(kept.length < answer.effects.length && { notes: [...answer.notes, note] }),
  };
}

/** What a waiting process of a hook is made of. It is kept, so it holds nothing of an event. */
const filesBehind = (hook: RegisteredHook, cwd: string) => async () =>
  (await import('../trust/script-files.ts')).filesBehind(hook, cwd);

/** Machine input for an event whose hooks cannot run: its result stands from the start. */
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

/** A dialect may be a host's own; what throws in it is the failure of one hook, and the others are heard. */
function tried<Made>(make: () => Made): { readonly made: Made } | { readonly error: Error } {
  try {
    return { made: make() };
  } catch (error) {
    return { error: errorOf(error) };
  }
}

/** What a hook said as the API of seed 003 shows it, where its dialect has not said it so itself. */
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

/** Whether the next hook is given what this one changed. */
const isPassedOn = ({ status, decision, stop }: Answer): boolean =>
  status === 'ok' && decision !== 'deny' && !stop;

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
