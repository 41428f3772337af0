import { setImmediate as processed } from 'node:timers/promises';
import {
  createActor,
  fromPromise,
  type AnyActorRef,
  type AnyStateMachine,
  type EventObject,
} from 'xstate';
import { pathOf } from './path-of.ts';

/** What happened when events were run on a real actor. */
export interface Played {
  /** The state at the start and after each event. */
  readonly states: readonly string[];
  /** The ids of all states it passed through, including those that were left at once. */
  readonly passed: ReadonlySet<string>;
  readonly status: string;
  readonly output: unknown;
  /** The children that received the cancel. */
  readonly cancelled: readonly string[];
}

/** An event that may be the answer of a child. */
interface Answer extends EventObject {
  readonly output?: unknown;
  readonly error?: unknown;
}

/** Runs the events of a path on a real actor, whose children end when the path says so. */
export class Script {
  readonly #children = new Map<
    string,
    { end(output: unknown): void; fail(error: unknown): void }
  >();

  /** Provided in place of every child. */
  readonly child = fromPromise(
    ({ self }) =>
      new Promise((end, fail) => {
        this.#children.set(self.id, { end, fail });
      }),
  );

  async play(
    machine: AnyStateMachine,
    input: unknown,
    events: readonly EventObject[],
  ): Promise<Played> {
    const passed = new Set<string>();
    const cancelled: string[] = [];
    const actor = createActor(machine, {
      input,
      inspect: (seen) => {
        const isRoot = seen.actorRef.sessionId === seen.rootId;
        if (isRoot && seen.type === '@xstate.microstep')
          for (const { source, target = [] } of seen._transitions)
            for (const { id } of [source, ...target]) passed.add(id);
        if (!isRoot && seen.type === '@xstate.event' && seen.event.type === 'cancel')
          cancelled.push((seen.actorRef as AnyActorRef).id);
      },
    });
    actor.start();
    const states = [pathOf(actor.getSnapshot().value)];
    for (const event of events) {
      if (!this.#answer(event)) actor.send(event);
      await processed();
      states.push(pathOf(actor.getSnapshot().value));
    }
    const { status, output } = actor.getSnapshot();
    return { states, passed, status, output, cancelled };
  }

  /** Lets a child give the answer that this event represents; false if it represents none. */
  #answer({ type, output, error }: Answer): boolean {
    const [, how, id = ''] = /^xstate\.(done|error)\.actor\.(.+)$/.exec(type) ?? [];
    if (how === 'done') this.#children.get(id)?.end(output);
    if (how === 'error') this.#children.get(id)?.fail(error);
    return how !== undefined;
  }
}
