import { Child } from './child.ts';
import type { KeepEffort } from './orders.ts';
import type { Surroundings } from './surroundings.ts';
import type { Row } from './results.ts';
import { inTurns } from './rounds.ts';
import { inputCheck } from './scenarios.ts';
import { longPause, type Effort, type EventScenario } from './scenario.ts';
import { growth, type Interval } from './statistics.ts';

/** Contestants that stay for all scenarios of a table, each in its own process. */
export class Field {
  readonly #children = new Map<string, Child>();
  readonly #surroundings: Surroundings;

  constructor(surroundings: Surroundings) {
    this.#surroundings = surroundings;
  }

  /** Times a scenario. */
  async time(scenario: EventScenario, { rounds, samples }: Effort): Promise<Row> {
    const { id, title, gapMs, against, targets } = scenario;
    const children = await this.#open(scenario);
    const sample = (child: Child) => () => child.ask({ type: 'time', samples });
    const turns = new Map([...children].map(([name, child]) => [name, sample(child)]));
    const pauseMs = gapMs >= longPause ? gapMs : 0;
    // What is compiled and started with the first events must not count for the others.
    await inTurns(turns, { rounds: Math.ceil(rounds / 6), pauseMs });
    return {
      id,
      title,
      targets,
      ...(await inTurns(turns, { rounds, pauseMs, ...(against && { against }) })),
    };
  }

  async end(): Promise<void> {
    await endAll(this.#children);
  }

  /** Prepares the contestants of a scenario; a host with much memory is not reused for other scenarios. */
  async #open(scenario: EventScenario): Promise<ReadonlyMap<string, Child>> {
    const open = async (name: string): Promise<[string, Child]> => {
      const key = `${name} ${scenario.ballastMB}`;
      const child = this.#children.get(key) ?? (await startContestant(name, this.#surroundings));
      this.#children.set(key, child);
      await child.ask({ type: 'open', scenario, cwd: this.#surroundings.cwd });
      return [name, child];
    };
    return new Map(await Promise.all(scenario.contestants.map(open)));
  }
}

/**
 * What V8's compilers create and discard is a hundred times what an event could keep, and has nothing to do
 * with the event; without them the heap is stable.
 */
const uncompiled = ['--no-opt', '--no-sparkplug', '--no-flush-bytecode'];

/** Measures the bytes that the process keeps of every event that has ended. */
export async function keptBytes(
  scenario: EventScenario,
  effort: KeepEffort,
  surroundings: Surroundings,
): Promise<Pick<Row, 'values' | 'intervals'>> {
  const values: Record<string, number> = {};
  const intervals: Record<string, Interval> = {};
  const children = await openAll(scenario, surroundings, uncompiled);
  try {
    for (const [name, child] of children) {
      const sizes = await child.ask({ type: 'keep', ...effort });
      const { value, low, high } = growth(sizes.map((size) => size / effort.events));
      values[name] = value;
      intervals[name] = { low, high };
    }
  } finally {
    await endAll(children);
  }
  return { values, intervals };
}

async function openAll(
  scenario: EventScenario,
  surroundings: Surroundings,
  flags: readonly string[],
): Promise<Map<string, Child>> {
  const children = new Map<string, Child>();
  try {
    for (const name of scenario.contestants) {
      const child = await startContestant(name, surroundings, flags);
      children.set(name, child);
      await child.ask({ type: 'open', scenario, cwd: surroundings.cwd });
    }
  } catch (error) {
    await endAll(children);
    throw error;
  }
  return children;
}

/** Starts a contestant, and checks that its hooks read the event. */
async function startContestant(
  name: string,
  { cwd, env }: Surroundings,
  flags: readonly string[] = [],
): Promise<Child> {
  const child = await Child.start('contestant.js', [name], env, flags);
  await child.ask({ type: 'open', scenario: inputCheck, cwd });
  return child;
}

async function endAll(children: ReadonlyMap<string, Child>): Promise<void> {
  for (const child of children.values()) await child.end();
}
