import { Child } from './child.ts';
import type { KeepEffort } from './orders.ts';
import type { Surroundings } from './surroundings.ts';
import { ratioColumn, type Row } from './results.ts';
import { inTurns } from './rounds.ts';
import { inputCheck } from './scenarios.ts';
import type { Effort, EventScenario } from './scenario.ts';
import { growth } from './statistics.ts';

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

/** Bytes that the process keeps of every event that has ended. */
export async function keptBytes(
  scenario: EventScenario,
  effort: KeepEffort,
  surroundings: Surroundings,
): Promise<Readonly<Record<string, number>>> {
  const kept: Record<string, number> = {};
  const children = await openAll(scenario, surroundings);
  try {
    for (const [name, child] of children) {
      const sizes = await child.ask({ type: 'keep', ...effort });
      kept[name] = growth(sizes) / effort.events;
    }
  } finally {
    await endAll(children);
  }
  return kept;
}

async function openAll(
  scenario: EventScenario,
  { cwd, env }: Surroundings,
): Promise<Map<string, Child>> {
  const children = new Map<string, Child>();
  try {
    for (const name of scenario.contestants) {
      const child = await Child.start('contestant.js', [name], env);
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
