import type {
  AnyActorLogic,
  AnyEventObject,
  AnyStateMachine,
  AnyTransitionDefinition,
} from 'xstate';

/** What actions receive. */
export interface ActionArgs {
  readonly context: object;
  readonly event: AnyEventObject;
  readonly self: object;
}

type GuardArgs = Pick<ActionArgs, 'context' | 'event'>;

type Maker<Made> = (args: ActionArgs, params: unknown) => Made;

/** A value that stands in a chart, or what the function that stands there makes. */
export const made = <Made>(
  value: Made | ((args: never, params: unknown) => Made),
  args: GuardArgs,
  params?: unknown,
): Made =>
  typeof value === 'function'
    ? (value as (args: GuardArgs, params: unknown) => Made)(args, params)
    : value;

/** The fields of XState's own actions that a run reads. */
export interface BuiltIn {
  readonly type: string;
  readonly assignment?: Maker<object> | Readonly<Record<string, unknown>>;
  readonly to?: string | Maker<string>;
  readonly event?: AnyEventObject | Maker<AnyEventObject>;
  readonly id?: string;
  readonly delay?: string | number | Maker<number>;
  readonly sendId?: string;
  readonly actorRef?: string | Maker<string>;
  readonly src?: string;
  readonly input?: unknown;
  readonly collect?: (given: GuardArgs & { readonly enqueue: Enqueue }, params: unknown) => void;
}

/** The part of XState's `enqueue` that our machines use. */
export interface Enqueue {
  assign(values: NonNullable<BuiltIn['assignment']>): void;
  spawnChild(src: string, options: { readonly id: string; readonly input: unknown }): void;
  sendTo(id: string, event: AnyEventObject): void;
}

/** An action as a chart names it, with what carries it out. */
export interface Action {
  readonly params: unknown;
  /** Ours, or one of XState's. */
  readonly does: Maker<void> | BuiltIn;
}

export const isBuiltIn = (does: Action['does']): does is BuiltIn => 'resolve' in does;

type Guard = (args: GuardArgs) => boolean;

/** A way from one state to another, or one that stays. */
export interface Transition {
  readonly guard: Guard | undefined;
  readonly actions: readonly Action[];
  /** The state that it happens in, which is neither left nor entered; absent for one that stays. */
  readonly within?: State;
  /** What is entered, outermost first. */
  readonly enters: readonly State[];
}

interface Invocation {
  readonly id: string;
  readonly src: string;
  readonly input: unknown;
}

/** A state of a chart, with all that a run must know of it. */
export interface State {
  readonly parent: State | undefined;
  readonly entry: readonly Action[];
  readonly exit: readonly Action[];
  readonly invokes: readonly Invocation[];
  readonly always: readonly Transition[];
  readonly isFinal: boolean;
  readonly output: unknown;
  readonly id: string;
  /** The transitions for an event, in the order they are tried. */
  on(type: string): readonly Transition[];
}

type Node = AnyStateMachine['root'];

/** A machine as a run steps through it: its own states and transitions, each worked out once. */
export class Chart {
  readonly root: State;
  /** What starting the machine enters, outermost first. */
  readonly initial: readonly State[];
  readonly #machine: AnyStateMachine;
  readonly #states = new Map<Node, State>();

  constructor(machine: AnyStateMachine) {
    this.#machine = machine;
    const { root } = machine;
    this.root = this.#stateOf(root);
    this.initial = [this.root, ...this.#defaults(root)];
  }

  /** The context that a run of the machine begins with. */
  context(input: unknown, self: object): object {
    const { context } = this.#machine.config as { context?: object };
    return typeof context === 'function'
      ? (context as (given: object) => object)({
          input,
          self,
          spawn: () => unsupported('"spawn" in a context'),
        })
      : (context ?? {});
  }

  /** What ending in this state makes the machine's output. */
  output({ id, output }: State, args: ActionArgs): unknown {
    const event = { type: `xstate.done.state.${id}`, output: made(output, args) };
    return made(this.root.output, { ...args, event });
  }

  actor(src: string): AnyActorLogic {
    const logic = this.#machine.implementations.actors[src] as AnyActorLogic | undefined;
    if (logic === undefined) throw new Error(`Actor "${src}" is not provided.`);
    return logic;
  }

  delay(delay: BuiltIn['delay'], args: ActionArgs, params: unknown): number {
    if (delay === undefined) return unsupported('an event that it raises at once');
    const named = typeof delay === 'string' ? this.#machine.implementations.delays[delay] : delay;
    return made(named as number | Maker<number>, args, params);
  }

  #action(action: unknown): Action {
    if (typeof action === 'function')
      return { params: undefined, does: action as unknown as BuiltIn };
    const { type, params } = named(action);
    const does = this.#machine.implementations.actions[type] as BuiltIn | undefined;
    return does ? { params, does } : unsupported(`action "${type}" without implementation`);
  }

  #actions(actions: readonly unknown[]): readonly Action[] {
    return actions.map((action) => this.#action(action));
  }

  #guard(guard: unknown): Guard | undefined {
    if (guard === undefined) return undefined;
    const isInline = typeof guard === 'function';
    const { type, params } = isInline ? { type: guard.name, params: undefined } : named(guard);
    const allows = isInline
      ? guard
      : (this.#machine.implementations.guards[type] as Maker<boolean> | undefined);
    // XState's own guards, such as `not`, have a check of their own.
    if (allows === undefined || 'check' in allows) return unsupported(`guard "${type}"`);
    const allowsWith = allows as (args: GuardArgs, params: unknown) => boolean;
    if (params === undefined) return allowsWith as Guard;
    return (args) => allowsWith(args, made(params, args));
  }

  #stateOf(node: Node): State {
    const known = this.#states.get(node);
    if (known) return known;
    const parent = node.parent && this.#stateOf(node.parent);
    const isFinal = node.type === 'final';
    if (node.type === 'parallel' || node.type === 'history' || (isFinal && parent?.parent))
      unsupported(`${node.type} state "${node.id}"`);
    const byEvent = new Map<string, readonly Transition[]>();
    const on = (type: string): readonly Transition[] => {
      let found = byEvent.get(type);
      if (found === undefined) {
        const descriptors = [...node.transitions.keys()].filter((one) => matches(type, one));
        found = descriptors
          .toSorted((one, other) => other.length - one.length)
          .flatMap((one) => this.#transitions(node, node.transitions.get(one)));
        byEvent.set(type, found);
      }
      return found;
    };
    // Worked out when first wanted, because a transition may lead back here.
    let always: readonly Transition[] | undefined;
    const transitions = () => (always ??= this.#transitions(node, node.always));
    const state: State = {
      id: node.id,
      parent,
      entry: this.#actions(node.entry),
      exit: this.#actions(node.exit),
      invokes: node.invoke.map(({ id, src, input }) => ({ id, src: src as string, input })),
      get always() {
        return transitions();
      },
      isFinal,
      output: node.output,
      on,
    };
    this.#states.set(node, state);
    return state;
  }

  #transitions(
    node: Node,
    definitions: readonly unknown[] | undefined = [],
  ): readonly Transition[] {
    return (definitions as readonly AnyTransitionDefinition[]).map((definition) => {
      const { target: targets = [], reenter } = definition;
      const guard = this.#guard(definition.guard);
      const actions = this.#actions(definition.actions);
      const [target, ...others] = targets;
      if (target === undefined) return { guard, actions, enters: [] };
      if (others.length > 0 || reenter || target === node)
        unsupported(`transition of "${node.id}" to itself, to several states, or with "reenter"`);
      const domain = domainOf(node, target);
      const above = ancestorsOf(target).filter((one) => isWithin(one, domain));
      const enters = [...above.toReversed(), target].map((one) => this.#stateOf(one));
      return {
        guard,
        actions,
        within: this.#stateOf(domain),
        enters: [...enters, ...this.#defaults(target)],
      };
    });
  }

  /** The states that entering a state enters below it. */
  #defaults(node: Node): readonly State[] {
    const [first, ...others] = node.initial?.target ?? [];
    if (first === undefined) return [];
    if (others.length > 0 || (node.initial?.actions ?? []).length > 0)
      unsupported(`initial transition of "${node.id}"`);
    return [this.#stateOf(first), ...this.#defaults(first)];
  }
}

const charts = new WeakMap<AnyStateMachine, Chart>();

/** The chart of a machine, which is made once. */
export function chartOf(machine: AnyStateMachine): Chart {
  let chart = charts.get(machine);
  if (chart === undefined) {
    chart = new Chart(machine);
    charts.set(machine, chart);
  }
  return chart;
}

interface Named {
  readonly type: string;
  readonly params?: unknown;
}

const named = (name: unknown): Named =>
  typeof name === 'string' ? { type: name } : (name as Named);

export function unsupported(what: string): never {
  throw new Error(`A machine that is stepped through cannot have this: ${what}.`);
}

/** From the nearest to the root. */
function ancestorsOf(node: Node): readonly Node[] {
  const parent = node.parent;
  return parent ? [parent, ...ancestorsOf(parent)] : [];
}

const isWithin = (node: Node, ancestor: Node): boolean => ancestorsOf(node).includes(ancestor);

/** The innermost state that a transition leaves alone: its source, if it leads further in. */
const domainOf = (source: Node, target: Node): Node =>
  isWithin(target, source) ? source : ancestorsOf(source).find((one) => isWithin(target, one))!;

/** Whether a descriptor such as `xstate.done.actor.*` means an event of this type. */
const matches = (type: string, descriptor: string): boolean =>
  descriptor === type ||
  descriptor === '*' ||
  (descriptor.endsWith('.*') && `${type}.`.startsWith(descriptor.slice(0, -1)));
