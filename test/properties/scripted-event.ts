import type { HookProcessOutcome } from '../../machines/hook-process.ts';
import {
  hookEventMachine,
  type HookEventOutcome,
  type HookLane,
} from '../../machines/hook-event.ts';
import { knownDialects } from '../../src/hosts/all/known.ts';
import { toMachineInput } from '../../src/core/run/event-run.ts';
import { HookPlanner } from '../../src/core/plan/hook-planner.ts';
import type { HookPlan } from '../../src/core/plan/hook-plan.ts';
import { HookRegistry } from '../../src/hosts/system/hook-registry.ts';
import type { AggregatedHookResult, EventVerdict } from '../../src/core/answers/results.ts';
import type { LifecycleEvent } from '../../src/core/protocol/events.ts';
import type { HookInput } from '../../src/core/protocol/input.ts';
import { createConfig } from '../../src/hosts/system/create-config.ts';
import type { HookDefinition } from '../../src/core/definitions/hook-definition.ts';
import { readyToFind } from '../../src/workbench/matrix/run-as.ts';
import { Script } from '../machines/script.ts';
import { someFields } from '../support/session.ts';

/** A hook that runs no process: its ending is given. */
export interface ScriptedHook {
  readonly dialect: string;
  readonly ending: HookProcessOutcome;
  readonly onFailure?: HookDefinition['onFailure'];
}

/** One event with scripted hooks. */
interface ScriptedEvent {
  readonly event: LifecycleEvent;
  readonly mode: 'parallel' | 'sequential';
  readonly hooks: readonly ScriptedHook[];
  /**
   * Plan positions in the order of finishing, with those of a sequence in plan order relative to each other;
   * default: plan order.
   */
  readonly order?: readonly number[];
}

const script = new Script();
const machine = hookEventMachine.provide({ actors: { hookProcess: script.child as never } });
const dialects = new Map(knownDialects.map((dialect) => [dialect.name, dialect]));
await Promise.all(knownDialects.map((dialect) => readyToFind(dialect, '/')));
const config = createConfig({ cwd: '/', settings: { enableHooks: true } });
const observer = {
  hookStarted: () => undefined,
  hookEnded: () => undefined,
  eventSettled: () => undefined,
};

/** Runs an event on the real machine with the real rules, and returns what its hooks want together. */
export async function play(scripted: ScriptedEvent): Promise<AggregatedHookResult> {
  const { event, mode, hooks, order = hooks.map((_, index) => index) } = scripted;
  const base: HookInput = {
    session_id: 'some-session',
    transcript_path: '',
    cwd: '/',
    hook_event_name: event,
    timestamp: '2026-01-01T00:00:00.000Z',
  };
  const plan = planOf(event, mode, hooks);
  const input = toMachineInput({
    plan,
    input: { ...base, ...someFields[event] },
    context: {},
    observer,
  });
  const ends = inTurn(order, plan.lanes).map((index) => ({
    type: `xstate.done.actor.hook.${index}`,
    output: hooks[index]!.ending,
  }));
  const { output, status } = await script.play(machine, input, ends);
  if (status !== 'done') throw new Error(`the event ended as ${status}`);
  return ((output as HookEventOutcome).verdict as EventVerdict).result;
}

/** Returns the order, with the hooks of each sequence in their own order. */
function inTurn(order: readonly number[], lanes: readonly HookLane[]): number[] {
  const sequences = lanes
    .filter(({ mode }) => mode === 'sequential')
    .map(({ positions }) => ({ positions, left: [...positions] }));
  return order.map(
    (position) =>
      sequences.find(({ positions }) => positions.includes(position))?.left.shift() ?? position,
  );
}

/** Whether the hooks forbid the operation to continue. */
export const verdictOf = ({ finalOutput }: AggregatedHookResult) => ({
  blocked: finalOutput?.isBlockingDecision() ?? false,
  stop: finalOutput?.shouldStopExecution() ?? false,
});

/** The plan that results from settings with these hooks. */
function planOf(
  event: LifecycleEvent,
  mode: ScriptedEvent['mode'],
  hooks: readonly ScriptedHook[],
): HookPlan {
  const found = hooks.map((hook, index) => ({
    dialect: dialects.get(hook.dialect)!,
    definitions: [definition(event, mode, hook, index)],
    problems: [],
    unasked: [],
  }));
  const planner = new HookPlanner(() => undefined);
  planner.use(new HookRegistry(config, found));
  return planner.plan(event)!;
}

const definition = (
  event: LifecycleEvent,
  mode: ScriptedEvent['mode'],
  { onFailure }: ScriptedHook,
  index: number,
): HookDefinition => ({
  event,
  type: 'command',
  command: `hook ${index}`,
  name: `${index}`,
  timeout: 1,
  sequential: mode === 'sequential',
  source: 'project',
  place: '',
  env: {},
  ...(onFailure && { onFailure }),
});
