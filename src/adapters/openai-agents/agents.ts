import { wrapModel } from './model.ts';
import { type Run, runs } from './scope.ts';
import { wrapTool } from './tools.ts';
import type { Agent, Handoff, Model, Tool } from './types.ts';

/** An agent whose tools, handoffs and model have hooks around them. */
interface Wrapped {
  /** The run for what happens outside the runs of a wrapped runner. */
  own: Run | undefined;
  readonly tools: WeakMap<object, Tool>;
}

const agents = new WeakMap<object, Wrapped>();

/** Puts the hooks of the current run around an agent and all agents that it may hand off to. */
export function wrapAgent(agent: Agent, own?: Run): void {
  const known = agents.get(agent);
  if (known) {
    known.own = own ?? known.own;
    if (!own) return;
  } else {
    const wrapped: Wrapped = { own, tools: new WeakMap() };
    agents.set(agent, wrapped);
    wrapModelOf(agent, wrapped);
    wrapClassOf(agent);
  }
  for (const handoff of agent.handoffs) {
    const target = targetOf(handoff);
    if (target && !(own && agents.get(target)?.own === own)) wrapAgent(target, own);
  }
}

const targetOf = (handoff: object): Agent | undefined => {
  if ('getAllTools' in handoff) return handoff as Agent;
  return (handoff as Partial<Handoff>).agent;
};

const runOf = (agent: object) => (): Run | undefined => runs.getStore() ?? agents.get(agent)?.own;

/** Puts hooks around whichever model the agent is given. */
function wrapModelOf(agent: Agent, wrapped: Wrapped): void {
  const run = (): Run | undefined => runs.getStore() ?? wrapped.own;
  const around = (model: unknown): unknown => (isModel(model) ? wrapModel(model, { run }) : model);
  let current = around(agent.model);
  Object.defineProperty(agent, 'model', {
    get: () => current,
    set: (model: unknown) => {
      current = around(model);
    },
    enumerable: true,
    configurable: true,
  });
}

export const isModel = (model: unknown): model is Model =>
  typeof model === 'object' && model !== null && 'getResponse' in model;

/** The objects on which the methods of agents have been wrapped. */
const classes = new WeakSet<object>();

/**
 * Wraps the methods of the agent's class: the SDK asks an agent for its tools and handoffs in each turn, and
 * an agent that is another one's tool is known only to the SDK before it runs.
 */
function wrapClassOf(agent: Agent): void {
  const owner = ownerOf(agent, 'getAllTools');
  if (classes.has(owner)) return;
  classes.add(owner);
  // oxlint-disable-next-line typescript/unbound-method -- each is called for an agent
  const { getAllTools, getEnabledHandoffs, clone } = owner;
  const changed = {
    async getAllTools(this: Agent, ...args: unknown[]) {
      const wrapped = wrappedOf(this);
      const tools = await getAllTools.apply(this, args);
      return wrapped ? tools.map((tool) => wrappedTool(this, wrapped, tool)) : tools;
    },
    async getEnabledHandoffs(this: Agent, ...args: unknown[]) {
      const wrapped = wrappedOf(this);
      const handoffs = await getEnabledHandoffs.apply(this, args);
      return wrapped ? handoffs.map((handoff) => wrapHandoff(handoff, this, wrapped)) : handoffs;
    },
    clone(this: Agent, ...args: unknown[]) {
      const copy = clone.apply(this, args);
      const wrapped = agents.get(this);
      if (wrapped) wrapAgent(copy, wrapped.own);
      return copy;
    },
  };
  for (const [key, value] of Object.entries(changed))
    Object.defineProperty(owner, key, { value, writable: true, configurable: true });
}

function ownerOf(agent: object, method: string): Agent {
  let owner = agent;
  while (!Object.hasOwn(owner, method)) owner = Object.getPrototypeOf(owner) as object;
  return owner as Agent;
}

/** The parts of a saved run that we read: the calls that it continues with. */
interface RunStateLike {
  readonly _currentAgent?: Agent;
  readonly _lastProcessedResponse?: Readonly<Record<string, unknown>>;
}

/** Where a saved run keeps the tools of its calls. */
const callLists = { functions: 'tool', shellActions: 'shell', applyPatchActions: 'applyPatch' };

/**
 * A resumed run has the tools that its agent had when the run was read. If that agent had no hooks around it
 * then, the tools are wrapped now.
 */
export function wrapRunState(input: unknown): void {
  const { _currentAgent: agent, _lastProcessedResponse: response } = (input ?? {}) as RunStateLike;
  if (!agent || !response) return;
  wrapAgent(agent);
  const wrapped = agents.get(agent)!;
  for (const [list, key] of Object.entries(callLists))
    for (const call of (response[list] ?? []) as Record<string, Tool>[])
      if (call[key]) call[key] = wrappedTool(agent, wrapped, call[key]);
}

function wrappedOf(agent: Agent): Wrapped | undefined {
  if (!agents.has(agent) && runs.getStore()) wrapAgent(agent);
  return agents.get(agent);
}

function wrappedTool(agent: Agent, { tools }: Wrapped, tool: Tool): Tool {
  const known = tools.get(tool);
  if (known) return known;
  const wrapped = wrapTool(tool, runOf(agent));
  tools.set(tool, wrapped);
  tools.set(wrapped, wrapped);
  return wrapped;
}

/** A handoff that hooks deny leaves the current agent in charge. */
function wrapHandoff(handoff: Handoff, agent: Agent, { own }: Wrapped): Handoff {
  const target = targetOf(handoff);
  if (target) wrapAgent(target, own);
  const { inputFilter } = handoff;
  let wasDenied = false;
  return handoff.clone({
    async onInvokeHandoff(context, input) {
      const run = runOf(agent)();
      wasDenied = run !== undefined && !(await run.allowsHandoff(handoff.toolName, input));
      if (wasDenied) return agent;
      const next = await handoff.onInvokeHandoff(context, input);
      wrapAgent(next, own);
      return next;
    },
    ...(inputFilter && {
      inputFilter: (data: unknown) => (wasDenied ? data : inputFilter(data)),
    }),
  });
}
