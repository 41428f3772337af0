import { randomUUID } from 'node:crypto';
import { fieldsOf } from '../../base/json.ts';
import { keptInProcess } from '../../base/surroundings.ts';
import type { BudgetSettings, Limit, Price } from '../../settings/files/read-budget.ts';
import {
  freeReservation,
  noteUsage,
  noteWarned,
  readDay,
  reserve,
  type Day,
  type UsageEntry,
} from './ledger.ts';
import { costOf, isModel } from './price.ts';
import { readTranscript } from './transcript-usage.ts';
import { tokensOf } from './usage.ts';

/** A limit, and what its level says about it. */
export interface BudgetLimit extends Limit, Pick<BudgetSettings, 'warnAt' | 'over'> {}

/** The limits of all levels, and the prices. */
export interface Budget {
  readonly limits: readonly BudgetLimit[];
  readonly prices: Readonly<Record<string, Price>>;
}

/** The part of an event that budgets read. */
export interface BudgetedEvent {
  readonly session_id?: unknown;
  readonly transcript_path?: unknown;
  readonly llm_request?: unknown;
}

/** What a budget answers. */
export interface BudgetAnswer {
  readonly decision?: 'deny' | 'ask';
  readonly reason?: string;
  readonly continue?: false;
  readonly stopReason?: string;
  readonly systemMessage?: string;
}

/** The ids of what was reserved for calls of a session that have not ended, the oldest first. */
const reserved = keptInProcess(() => new Map<string, string[]>());

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Whether somebody in this process says what calls have used, so that reservations end. */
const settlement = keptInProcess(() => ({ isExpected: false }));

/** To be called by who calls `settle` or `free` after each model call. */
export const expectSettlement = (): void => {
  settlement().isExpected = true;
};

/** How many characters a token has about. */
const tokenLength = 4;

/** Judges a model call, and reserves what its request takes until it has ended. */
export async function judgeModelCall(
  event: BudgetedEvent,
  budget: Budget,
): Promise<BudgetAnswer | undefined> {
  const session = textOf(event.session_id);
  const request = fieldsOf(event.llm_request);
  const model = textOf(request['model']);
  const reserves = Math.ceil(JSON.stringify(request).length / tokenLength);
  const usd = await costOf({ model, input: reserves, output: 0 }, budget.prices);
  const id = randomUUID();
  let states: readonly LimitState[] = [];
  const isOver = (day: Day): true | undefined => {
    states = stateOf(budget, day, session, model);
    return states.some((one) => one.isOver && one.limit.over !== 'warn') || undefined;
  };
  const { isExpected } = settlement();
  const isRefused = isExpected
    ? reserve({ id, session, model, reserves, usd }, isOver)
    : isOver(readDay());
  if (isRefused !== true) {
    const before = reserved().get(session) ?? [];
    if (isExpected) reserved().set(session, [...before, id]);
    // A message would go to the model; the user is warned once the call has ended.
    return undefined;
  }
  const reason = reasonOf(states);
  return { decision: 'deny', reason, continue: false, stopReason: reason };
}

/** Judges a tool call: an agent that is over its budget is stopped, or its user is asked. */
export async function judgeTool(
  event: BudgetedEvent,
  budget: Budget,
): Promise<BudgetAnswer | undefined> {
  const session = textOf(event.session_id);
  await readTranscript(event.transcript_path, session, budget.prices);
  const day = readDay();
  const states = stateOf(budget, day, session, undefined);
  const over = states.filter(({ isOver, limit }) => isOver && limit.over !== 'warn');
  if (over.length === 0) return warningOf(states, day, session);
  const reason = reasonOf(over);
  return over.some(({ limit }) => limit.over === 'stop')
    ? { decision: 'deny', reason, continue: false, stopReason: reason }
    : { decision: 'ask', reason };
}

/** Notes what a call of a session used, and frees what was reserved for it. */
export async function settle(
  entry: Omit<UsageEntry, 'at' | 'usd' | 'id'> & { readonly id?: string },
  prices: Budget['prices'],
): Promise<UsageEntry> {
  const whole: UsageEntry = {
    ...entry,
    at: new Date().toISOString(),
    id: entry.id ?? randomUUID(),
    usd: await costOf(entry, prices),
  };
  noteUsage(whole);
  free(entry.session);
  return whole;
}

/** Frees what was reserved for a call of a session that was not made, or of which nobody knows what it used. */
export function free(session: string): void {
  const [first, ...others] = reserved().get(session) ?? [];
  if (first === undefined) return;
  reserved().set(session, others);
  freeReservation(first);
}

/** What the user is to be warned of once a call has ended, each once: limits that are nearly used up, and prices. */
export function warningsFor(budget: Budget, { session, model, usd }: UsageEntry): string[] {
  const day = readDay();
  const near = warningOf(stateOf(budget, day, session, undefined), day, session)?.systemMessage;
  const key = `price ${model}`;
  const inMoney = budget.limits.some(({ amount }) => amount.of === 'usd');
  const isUnknown = usd === undefined && inMoney && !day.warned.has(key);
  if (isUnknown) noteWarned(key);
  return [
    ...(near === undefined ? [] : [near]),
    ...(isUnknown
      ? [`the price of ${model} is not known, so a budget in money does not count it: add it to "budget": { "prices": … }`] // prettier-ignore
      : []),
  ];
}

/** Frees everything that was reserved for calls of a session, of which none is being made. */
export function freeAll(session: string): void {
  while ((reserved().get(session)?.length ?? 0) > 0) free(session);
  reserved().delete(session);
}

interface LimitState {
  readonly limit: BudgetLimit;
  readonly used: number;
  readonly isOver: boolean;
}

/** How much of each limit is used; limits of other models do not count for a call of `model`. */
function stateOf(
  { limits }: Budget,
  { entries, earlier, open }: Day,
  session: string,
  model: string | undefined,
): LimitState[] {
  return limits
    .filter(
      (limit) => limit.model === undefined || model === undefined || isModel(model, limit.model),
    )
    .map((limit) => {
      const counts = (one: { readonly session: string; readonly model: string }): boolean =>
        (limit.per !== 'session' || one.session === session) &&
        (limit.model === undefined || isModel(one.model, limit.model));
      const inMoney = limit.amount.of === 'usd';
      const used =
        [...entries, ...(limit.per === 'session' ? earlier : [])].filter(counts).reduce((sum, one) => sum + (inMoney ? (one.usd ?? 0) : tokensOf(one)), 0) + // prettier-ignore
        open.filter(counts).reduce((sum, one) => sum + (inMoney ? (one.usd ?? 0) : one.reserves), 0); // prettier-ignore
      return { limit, used, isOver: used >= limit.amount.value };
    });
}

const shown = (value: number, { amount }: Limit): string =>
  amount.of === 'usd' ? `$${value.toFixed(2)}` : `${Math.round(value).toLocaleString('en')} tokens`;

const nameOf = ({ per, model }: Limit): string =>
  per === 'session' ? 'this session' : per === 'day' ? 'today' : `${model} today`;

const reasonOf = (states: readonly LimitState[]): string =>
  states
    .filter(({ isOver }) => isOver)
    .map(
      ({ limit, used }) =>
        `The budget of ${shown(limit.amount.value, limit)} for ${nameOf(limit)} is used up (${shown(used, limit)}). To go on, the user can raise "budget" in the settings.`,
    )
    .join(' ');

/** Warns once of each limit that is nearly used up. */
function warningOf(
  states: readonly LimitState[],
  { warned }: Day,
  session: string,
): BudgetAnswer | undefined {
  const near = states.flatMap(({ limit, used, isOver }) => {
    const key = `${limit.per === 'session' ? session : (limit.model ?? 'day')} ${isOver ? 'over' : 'near'}`; // prettier-ignore
    if (used < limit.amount.value * limit.warnAt || warned.has(key)) return [];
    noteWarned(key);
    return [`${shown(used, limit)} of the budget of ${shown(limit.amount.value, limit)} for ${nameOf(limit)} are used.`]; // prettier-ignore
  });
  return near.length > 0 ? { systemMessage: near.join(' ') } : undefined;
}
