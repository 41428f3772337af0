import { Child } from './child.ts';
import type { KeepEffort } from './orders.ts';
import type { Surroundings } from './surroundings.ts';
import { ratioColumn, type Row } from './results.ts';
import { inTurns } from './rounds.ts';
import { inputCheck } from './scenarios.ts';
import type { Effort, EventScenario } from './scenario.ts';
import { growth, type Interval } from './statistics.ts';

/** Times a scenario, each contestant in a process of its own. */
export async function timeEvents(
  scenario: EventScenario,
  { rounds, samples }: Effort,
  surroundings: Surroundings,
): Promise<Row> {
  const { id, title, target } = scenario;
  const children = await openAll(scenario, surroundings);
  try {
    // What is compiled and started with the first events is no part of the others.
    for (const child of children.values()) await child.ask({ type: 'time', samples });
    const turns = [...children].map(
      ([name, child]) => [name, () => child.ask({ type: 'time', samples })] as const,
    );
    return {
      id,
      title,
      ...(await inTurns(new Map(turns), rounds)),
      ...(target !== undefined && { target: { atMost: target, column: ratioColumn } }),
    };
  } finally {
    await endAll(children);
  }
}

/**
 * What V8's compilers make and throw away is a hundred times what an event could keep, and none of the
 * event's; without them the heap holds still.
 */
const uncompiled = ['--no-opt', '--no-sparkplug', '--no-flush-bytecode'];

/** Bytes that the process keeps of every event that has ended. */
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
  { cwd, env }: Surroundings,
  flags: readonly string[] = [],
): Promise<Map<string, Child>> {
  const children = new Map<string, Child>();
  try {
    for (const name of scenario.contestants) {
      const child = await Child.start('contestant.js', [name], env, flags);
      children.set(name, child);
      await child.ask({ type: 'open', scenario: inputCheck, cwd });
      await child.ask({ type: 'open', scenario, cwd });
    }
  } catch (error) {
    await endAll(children);
    throw error;
  }
  return children;
}

async function endAll(children: ReadonlyMap<string, Child>): Promise<void> {
  for (const child of children.values()) await child.end();
}
