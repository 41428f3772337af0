import { defined } from '../../base/json.ts';
import type { EventOutcome, HostAnswer, Wishes } from '../../core/dialects/speaker.ts';

type Fields = Readonly<Record<string, unknown>>;

/** The fields of an answer, for hosts that have some of them inside `hookSpecificOutput`. */
export interface NestedFields {
  /** The fields next to `hookSpecificOutput`. */
  readonly top?: Fields;
  readonly specific?: Fields | undefined;
}

/** An answer with these fields; none if all of them are undefined. */
export function flatAnswer(fields: Fields, silence: HostAnswer = {}): HostAnswer {
  const answer = defined<Fields>(fields);
  return Object.keys(answer).length > 0 ? { stdout: answer } : silence;
}

/** An answer whose specific fields are inside `hookSpecificOutput`; none if all of them are undefined. */
export function nestedAnswer(event: string, { top, specific = {} }: NestedFields): HostAnswer {
  const own = defined<Fields>(specific);
  return flatAnswer({
    ...top,
    hookSpecificOutput: Object.keys(own).length > 0 ? { hookEventName: event, ...own } : undefined,
  });
}

/** Ends the agent, if hooks want that. */
export function stopOf(wishes: Wishes): Fields {
  const stopReason = wishes.take('stop');
  return stopReason === undefined ? {} : { continue: false, stopReason };
}

/** A decision with this word and reason; nothing without a reason. */
export const decisionWith = (word: 'block' | 'deny', reason: string | undefined): Fields =>
  reason === undefined ? {} : { decision: word, reason };

/** What hooks decided about a call: the strictest of their decisions, in the host's words. */
export function permissionOf(
  wishes: Wishes,
  words: { readonly defer: 'defer' | 'ask' } = { defer: 'defer' },
): Fields {
  for (const wish of ['deny', 'defer', 'ask', 'allow'] as const) {
    const reason = wishes.take(wish);
    if (reason !== undefined)
      return {
        permissionDecision: wish === 'defer' ? words.defer : wish,
        ...(reason !== '' && { permissionDecisionReason: reason }),
      };
  }
  return {};
}

/** How a host takes the answer to the question whether a call may run. */
export interface Permission {
  /** Whether a stop beside a denial interrupts the agent. */
  readonly interrupts?: true;
  /** The new arguments in the host's form; without it, an approval of other arguments is withheld. */
  readonly input?: unknown;
  readonly takesInput?: true;
}

/** The answer to that question. "ask" needs no words: the user is asked anyway. */
export function behaviourOf(
  wishes: Wishes,
  { interrupts, takesInput, input }: Permission = {},
): Fields | undefined {
  wishes.take('ask');
  const message = wishes.take('deny');
  const stops = interrupts && wishes.take('stop') !== undefined;
  if (message !== undefined)
    return { behavior: 'deny', message, ...(stops && { interrupt: true }) };
  // Other arguments were approved, and the host does not accept new ones here.
  if (!takesInput && wishes.peek('toolInput') !== undefined) return undefined;
  if (wishes.take('allow') === undefined) return undefined;
  return defined<Fields>({
    behavior: 'allow',
    updatedInput: takesInput && wishes.take('toolInput') && input,
  });
}

/** One thing that an answer may say, if hooks want it. */
export type Says = (wishes: Wishes, outcome: EventOutcome) => NestedFields;

const usual = {
  /** A message for the user, and whether the output is hidden from them. */
  message: (wishes) => ({ top: { systemMessage: wishes.take('message') } }),
  hide: (wishes) => ({ top: { suppressOutput: wishes.take('hide') } }),
  context: (wishes) => ({ specific: { additionalContext: wishes.take('context') } }),
  stop: (wishes) => ({ top: stopOf(wishes) }),
  block: (wishes) => ({ top: decisionWith('block', wishes.take('deny')) }),
  /** For events at which a block does what a stop would. */
  refusal: (wishes) => ({ top: decisionWith('block', wishes.takeRefusal()) }),
  permission: (wishes) => ({ specific: permissionOf(wishes) }),
  /** A denial and a follow-up both make the agent continue, unless it is to stop. */
  continuation: (wishes) => ({
    top:
      wishes.peek('stop') === undefined
        ? decisionWith('block', wishes.takeContinuation())
        : stopOf(wishes),
  }),
  /** The agent stops by itself if no hook says anything; in these hosts it would go on with a stop. */
  onlyContinuation: (wishes) => {
    wishes.take('stop');
    return { top: decisionWith('block', wishes.takeContinuation()) };
  },
  updatedInput: (wishes, { native }) => ({
    specific: { updatedInput: wishes.take('toolInput') && native['toolInput'] },
  }),
} as const satisfies Readonly<Record<string, Says>>;

/** What hosts that follow Claude Code let a hook say; each host has a list of them for each event. */
export const says: Readonly<Record<keyof typeof usual, Says>> = usual;

/** Puts together what an answer says. */
export function sayAll(
  list: readonly Says[],
  wishes: Wishes,
  outcome: EventOutcome,
): { readonly top: Fields; readonly specific: Fields } {
  const said = list.map((one) => one(wishes, outcome));
  return {
    top: Object.assign({}, ...said.map(({ top }) => top)) as Fields,
    specific: Object.assign({}, ...said.map(({ specific }) => specific)) as Fields,
  };
}
