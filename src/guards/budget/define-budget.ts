import type { HookDefinition } from '../../core/definitions/hook-definition.ts';
import type { HooksFromSource } from '../../core/definitions/hooks-from-source.ts';
import type { Checked } from '../../core/definitions/problem.ts';
import { onDemand } from '../../base/on-demand.ts';
import { reaches } from '../../settings/files/levels.ts';
import { readBudget } from '../../settings/files/read-budget.ts';
import type { Budget } from './judge-budget.ts';

const loadJudge = onDemand(() => import('./judge-budget.ts'));

/** Reading a day's usage takes milliseconds, in ms. */
const timeout = 30_000;

/** The budget of all levels together; undefined if none has one. Prices of stronger levels come first. */
export function budgetOf(sources: readonly HooksFromSource[]): Budget | undefined {
  const all = sources
    .flatMap((from) => readBudget(from).definitions.map((settings) => ({ from, settings })))
    .toSorted((one, other) => Number(reaches(other.from.source, one.from.source)) - Number(reaches(one.from.source, other.from.source))); // prettier-ignore
  if (all.length === 0) return undefined;
  return {
    limits: all.flatMap(({ settings: { limits, warnAt, over } }) =>
      limits.map((limit) => ({ ...limit, warnAt, over })),
    ),
    prices: Object.assign({}, ...all.toReversed().map(({ settings }) => settings.prices)) as Budget['prices'], // prettier-ignore
  };
}

/**
 * Returns the hooks of the budgets in the settings. The limits of all levels count, so they are one hook, which
 * has the level of the strongest.
 */
export function defineBudget(sources: readonly HooksFromSource[]): Checked<HookDefinition> {
  const given = sources.filter(({ budget }) => budget !== undefined && budget !== null);
  const problems = given.flatMap((from) => readBudget(from).problems);
  const budget = budgetOf(given);
  const strongest = given.find((from) =>
    given.every((other) => other === from || reaches(from.source, other.source)),
  );
  const from = strongest ?? given[0];
  if (budget === undefined || from === undefined || budget.limits.length === 0)
    return { definitions: [], problems };
  const hookFor = (
    event: 'BeforeModel' | 'BeforeTool',
    call: NonNullable<HookDefinition['call']>,
  ): HookDefinition => ({
    event,
    type: 'function',
    command: 'guards/budget',
    name: 'guards/budget',
    description: 'How many tokens, or how much money, model calls may use.',
    call,
    timeout,
    sequential: false,
    onFailure: 'block' as const,
    source: from.source,
    ...(from.file !== undefined && { file: from.file }),
    place: 'budget',
    ...(from.bundle && { bundle: from.bundle }),
    env: {},
  });
  return {
    definitions: [
      hookFor('BeforeModel', async (event) => (await loadJudge()).judgeModelCall(event, budget)),
      hookFor('BeforeTool', async (event) => (await loadJudge()).judgeTool(event, budget)),
    ],
    problems,
  };
}
