import { isRecord } from '../../base/json.ts';
import { said } from '../../base/message-of.ts';
import type { HooksFromSource } from '../../core/definitions/hooks-from-source.ts';
import { type Checked, collectProblems, type Complain } from '../../core/definitions/problem.ts';
import { budgetFields } from '../format/budget-fields.ts';
import { faultIn, fits } from '../format/field.ts';
import { reportUnknownKeys } from '../format/unknown-names.ts';

/** How much may be used: tokens, or US dollars. */
export interface Amount {
  readonly of: 'tokens' | 'usd';
  readonly value: number;
}

/** One limit of a budget. */
export interface Limit {
  readonly per: 'session' | 'day' | 'model';
  /** The pattern of the models that it is about; absent: all of them. */
  readonly model?: string;
  readonly amount: Amount;
}

/** What a million tokens cost, in US dollars. */
export interface Price {
  readonly input: number;
  readonly output: number;
  readonly cached?: number | undefined;
  readonly written?: number | undefined;
}

/** A budget as the settings of one level give it. */
export interface BudgetSettings {
  readonly limits: readonly Limit[];
  /** The part of a limit at which the user is warned. */
  readonly warnAt: number;
  readonly over: 'stop' | 'ask' | 'warn';
  /** Prices by models' names or patterns. */
  readonly prices: Readonly<Record<string, Price>>;
}

const nothing: Amount = { of: 'tokens', value: 0 };

/**
 * Reads the `budget` of a settings file. A limit that cannot be read is one of nothing: a typo must not make it
 * endless.
 */
export function readBudget(from: HooksFromSource): Checked<BudgetSettings> {
  const { budget } = from;
  if (budget === undefined || budget === null) return { definitions: [], problems: [] };
  let settings: BudgetSettings | undefined;
  const problems = collectProblems(from, (complain) => {
    settings = isRecord(budget) ? read(budget, complain) : unreadable(budget, complain);
  });
  return { definitions: [settings!], problems };
}

function unreadable(budget: unknown, complain: Complain): BudgetSettings {
  complain(() => ({
    path: ['budget'],
    message: `${said(budget)}, so nothing may be used`,
    fix: 'make it an object: { "session": "$2", "day": "$20" }',
  }));
  return { limits: [{ per: 'day', amount: nothing }], warnAt: 0.8, over: 'stop', prices: {} };
}

function read(budget: Readonly<Record<string, unknown>>, complain: Complain): BudgetSettings {
  reportUnknownKeys(budget, ['budget'], Object.keys(budgetFields), [], complain);
  const given = (key: keyof typeof budgetFields): unknown => {
    const value = budget[key] ?? undefined;
    const one = budgetFields[key];
    if (value === undefined || fits(one, value)) return value;
    complain(() => ({
      path: ['budget', key],
      message: `${faultIn(one, value)}, so ${'fate' in one ? one.fate : 'it was ignored'}`,
      fix: one.fix,
    }));
    return invalid;
  };
  const [session, day, perModel] = [given('session'), given('day'), given('perModel')];
  const [warnAt, over, prices] = [given('warnAt'), given('over'), given('prices')];
  return {
    limits: [
      ...(session === undefined ? [] : [{ per: 'session', amount: amountOf(session) } as const]),
      ...(day === undefined ? [] : [{ per: 'day', amount: amountOf(day) } as const]),
      ...(isRecord(perModel)
        ? Object.entries(perModel).map(([model, amount]) => ({ per: 'model', model, amount: amountOf(amount) }) as const) // prettier-ignore
        : perModel === undefined
          ? []
          : [{ per: 'day', amount: nothing } as const]),
    ],
    warnAt: typeof warnAt === 'number' ? warnAt : 0.8,
    over: over === 'ask' || over === 'warn' ? over : 'stop',
    prices: isRecord(prices) ? (prices as BudgetSettings['prices']) : {},
  };
}

/** Stands for a value that is no valid one. */
const invalid = Symbol('invalid');

const units: Readonly<Record<string, number>> = { '': 1, k: 1_000, m: 1_000_000 };

function amountOf(given: unknown): Amount {
  if (typeof given === 'number') return { of: 'tokens', value: given };
  if (typeof given !== 'string') return nothing;
  const value = Number(/\d+(?:\.\d+)?/.exec(given)?.[0]);
  if (/\$|usd/i.test(given)) return { of: 'usd', value };
  const unit = /\d\s*([km]?)(?:\s*tokens)?\s*$/i.exec(given)?.[1] ?? '';
  return { of: 'tokens', value: value * units[unit.toLowerCase()]! };
}
