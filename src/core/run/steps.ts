import type { AnyActorLogic, AnyEventObject, AnyStateMachine, Snapshot } from 'xstate';
import {
  type Action,
  type ActionArgs,
  type BuiltIn,
  type Chart,
  chartOf,
  type Enqueue,
  isBuiltIn,
  made,
  type State,
  type Transition,
  unsupported,
} from './chart.ts';

/** What started a run, or a part of one, and learns how it ends. */
export interface Starter {
  ended(output: unknown, id: string): void;
  broke(error: unknown, id: string): void;
  /** Receives what a part reports while it runs. */
  send(event: AnyEventObject): void;
}

/** A run, or a part of one. */
interface Running {
  start(): void;
  send(event: AnyEventObject): void;
  stop(): void;
}

const starting: AnyEventObject = { type: 'xstate.init' };
const stopping: AnyEventObject = { type: 'xstate.stop' };

const begin = (logic: AnyActorLogic, input: unknown, starter: Starter, id: string): Running =>
  'root' in logic
    ? new Steps(logic as unknown as AnyStateMachine, input, starter, id)
    : new Work(logic, input, starter, id);

/**
 * A machine that nobody watches. It takes the same transitions as an actor of the machine, but keeps nothing
 * for those who would watch: no snapshots, no system, no mailboxes.
 */
export class Steps implements Running, Starter {
  readonly #machine: AnyStateMachine;
  #chart!: Chart;
  readonly #input: unknown;
  readonly #starter: Starter;
  readonly #id: string;
  readonly #children = new Map<string, Running>();
  #timers: Map<string, ReturnType<typeof setTimeout>> | undefined;
  /** Events that came while another was handled. */
  readonly #waiting: AnyEventObject[] = [];
  /** What happens once the machine is at rest: children are started, stopped and sent to. */
  #afterwards: (() => void)[] = [];
  #isBusy = true;
  #status: 'active' | 'done' | 'error' | 'stopped' = 'active';
  #state!: State;
  #context: object = {};
  #output: unknown;

  constructor(machine: AnyStateMachine, input: unknown, starter: Starter, id = machine.id) {
    this.#machine = machine;
    this.#input = input;
    this.#starter = starter;
    this.#id = id;
  }

  start(): void {
    if (this.#status !== 'active') return;
    this.#handle(() => {
      this.#chart = chartOf(this.#machine);
      this.#state = this.#chart.root;
      this.#context = this.#chart.context(this.#input, this);
      for (const state of this.#chart.initial) this.#enter(state, starting);
      this.#settle(starting);
    });
  }

  send(event: AnyEventObject): void {
    if (this.#status !== 'active') return;
    if (this.#isBusy) this.#waiting.push(event);
    else this.#handle(() => this.#take(event));
  }

  stop(): void {
    if (this.#status === 'active') this.#end('stopped');
  }

  /** A child has ended. */
  ended(output: unknown, actorId: string): void {
    this.send({ type: `xstate.done.actor.${actorId}`, output, actorId });
  }

  /** A child has failed. */
  broke(error: unknown, actorId: string): void {
    this.send({ type: `xstate.error.actor.${actorId}`, error, actorId });
  }

  /** Where the machine is; its actions ask whether it is still active. */
  getSnapshot() {
    return {
      status: this.#status,
      state: this.#state.id,
      context: this.#context,
      output: this.#output,
    };
  }

  /** Does one step, and then those for the events that came meanwhile. */
  #handle(step: () => void): void {
    this.#isBusy = true;
    try {
      step();
      this.#rest();
      while (this.#status === 'active' && this.#waiting.length > 0) {
        this.#take(this.#waiting.shift()!);
        this.#rest();
      }
    } catch (error) {
      this.#end('error');
      this.#starter.broke(error, this.#id);
      return;
    }
    this.#isBusy = false;
    if (this.#status !== 'done') return;
    this.#end('done');
    this.#starter.ended(this.#output, this.#id);
  }

  #rest(): void {
    while (this.#afterwards.length > 0) {
      const acts = this.#afterwards;
      this.#afterwards = [];
      for (const act of acts) act();
    }
  }

  #end(status: 'done' | 'error' | 'stopped'): void {
    this.#status = status;
    for (const timer of this.#timers?.values() ?? []) clearTimeout(timer);
    for (const child of this.#children.values()) child.stop();
    this.#children.clear();
  }

  #take(event: AnyEventObject): void {
    let next: Transition | undefined;
    for (let state: State | undefined = this.#state; state && !next; state = state.parent)
      next = this.#allowed(state.on(event.type), event);
    if (next) this.#follow(next, event);
    else if (event.type.startsWith('xstate.error.actor')) throw event['error'];
    this.#settle(event);
  }

  /** Takes the transitions that need no event of their own. */
  #settle(event: AnyEventObject): void {
    while (this.#status === 'active') {
      let next: Transition | undefined;
      for (let state: State | undefined = this.#state; state && !next; state = state.parent)
        next = this.#allowed(state.always, event);
      if (next === undefined) return;
      this.#follow(next, event);
    }
  }

  #allowed(transitions: readonly Transition[], event: AnyEventObject): Transition | undefined {
    if (transitions.length === 0) return undefined;
    const args = { context: this.#context, event };
    return transitions.find(({ guard }) => guard === undefined || guard(args));
  }

  #follow({ within, actions, enters }: Transition, event: AnyEventObject): void {
    if (within)
      for (; this.#state !== within; this.#state = this.#state.parent!) {
        for (const action of this.#state.exit) this.#act(action, event);
        for (const { id } of this.#state.invokes) this.#stopChild(id);
      }
    for (const action of actions) this.#act(action, event);
    for (const state of enters) this.#enter(state, event);
  }

  #enter(state: State, event: AnyEventObject): void {
    this.#state = state;
    for (const action of state.entry) this.#act(action, event);
    for (const { id, src, input } of state.invokes)
      this.#startChild(id, src, made(input, this.#args(event)));
    if (!state.isFinal) return;
    this.#output = this.#chart.output(state, this.#args(event));
    this.#status = 'done';
  }

  #args(event: AnyEventObject): ActionArgs {
    return { context: this.#context, event, self: this };
  }

  #act({ does, params: given }: Action, event: AnyEventObject): void {
    const args = this.#args(event);
    const params = made(given, args);
    if (isBuiltIn(does)) this.#actBuiltIn(does, args, params);
    // An actor does what a machine does at its start once it has started.
    else if (event === starting) this.#afterwards.push(() => does(args, params));
    else does(args, params);
  }

  #actBuiltIn(does: BuiltIn, args: ActionArgs, params: unknown): void {
    switch (does.type) {
      case 'xstate.assign':
        this.#context = { ...this.#context, ...assigned(does.assignment!, args, params) };
        return;
      case 'xstate.enqueueActions':
        does.collect!(
          { context: args.context, event: args.event, enqueue: this.#queue(args) },
          params,
        );
        return;
      case 'xstate.sendTo':
        if (does.delay !== undefined) unsupported('an event that is sent later');
        this.#sendTo(made(does.to, args, params), made(does.event, args, params));
        return;
      case 'xstate.raise':
        this.#schedule(does, this.#chart.delay(does.delay, args, params));
        return;
      case 'xstate.cancel':
        clearTimeout(this.#timers?.get(does.sendId!));
        this.#timers?.delete(does.sendId!);
        return;
      case 'xstate.spawnChild':
        this.#startChild(does.id!, does.src!, made(does.input, args, params));
        return;
      case 'xstate.stopChild':
        this.#stopChild(made(does.actorRef!, args, params));
        return;
      default:
        unsupported(`action "${does.type}"`);
    }
  }

  /** What a machine may enqueue. XState's own makes a function with properties for each, which costs more. */
  #queue(args: ActionArgs): Enqueue {
    return {
      assign: (values) => {
        this.#context = { ...this.#context, ...assigned(values, args, undefined) };
      },
      spawnChild: (src, { id, input }) => this.#startChild(id, src, made(input, args)),
      sendTo: (id, event) => this.#sendTo(id, event),
    };
  }

  #sendTo(id: string | undefined, event: AnyEventObject | undefined): void {
    const child = this.#children.get(id!);
    if (child === undefined) throw new Error(`There is no actor "${id}" to send to.`);
    this.#afterwards.push(() => child.send(event!));
  }

  #schedule({ id, event }: BuiltIn, delayMs: number): void {
    const timers = (this.#timers ??= new Map());
    const due = (): void => {
      timers.delete(id!);
      this.send(event as AnyEventObject);
    };
    this.#afterwards.push(() => timers.set(id!, setTimeout(due, delayMs)));
  }

  #startChild(id: string, src: string, input: unknown): void {
    const child = begin(this.#chart.actor(src), input, this, id);
    this.#children.set(id, child);
    this.#afterwards.push(() => child.start());
  }

  #stopChild(id: string): void {
    const child = this.#children.get(id);
    this.#children.delete(id);
    if (child) this.#afterwards.push(() => child.stop());
  }
}

/** What a machine invokes that is no machine: a promise or a callback, as XState runs it. */
class Work implements Running {
  readonly _parent: Starter;
  readonly #id: string;
  readonly #logic: AnyActorLogic;
  #snapshot: Snapshot<unknown>;
  readonly #scope: never;

  constructor(logic: AnyActorLogic, input: unknown, starter: Starter, id: string) {
    this.#logic = logic;
    this.#id = id;
    this._parent = starter;
    // Only as much of an actor's scope as a promise and a callback use.
    this.#scope = { self: this, system: this } as never;
    this.#snapshot = logic.getInitialSnapshot(this.#scope, input) as Snapshot<unknown>;
  }

  start(): void {
    if (this.#snapshot.status !== 'active') return;
    try {
      this.#logic.start?.(this.#snapshot, this.#scope);
    } catch (error) {
      this.#snapshot = { status: 'error', output: undefined, error };
      this._parent.broke(error, this.#id);
    }
  }

  send(event: AnyEventObject): void {
    if (this.#snapshot.status !== 'active') return;
    this.#snapshot = this.#logic.transition(
      this.#snapshot,
      event,
      this.#scope,
    ) as Snapshot<unknown>;
    const { status, output, error } = this.#snapshot;
    if (status === 'done') this._parent.ended(output, this.#id);
    else if (status === 'error') this._parent.broke(error, this.#id);
  }

  stop(): void {
    this.send(stopping);
  }

  getSnapshot(): Snapshot<unknown> {
    return this.#snapshot;
  }

  /** Where XState's own logic sends what it has to say. */
  _relay(_: unknown, to: { send(event: AnyEventObject): void }, event: AnyEventObject): void {
    to.send(event);
  }
}

function assigned(
  assignment: NonNullable<BuiltIn['assignment']>,
  args: ActionArgs,
  params: unknown,
): object {
  if (typeof assignment === 'function') return assignment(args, params);
  const values: Record<string, unknown> = {};
  for (const key in assignment) values[key] = made(assignment[key], args, params);
  return values;
}
