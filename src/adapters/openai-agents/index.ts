import type { HookEventFields } from '../../core/protocol/input.ts';
import { AgentHooks } from '../parts/agent-hooks.ts';
import { assertInstalled } from '../parts/assert-installed.ts';
import type { AdapterOptions } from '../parts/options.ts';
import { isModel, wrapAgent, wrapRunState } from './agents.ts';
import { wrapModel } from './model.ts';
import { Run, runs } from './scope.ts';
import type { Agent, AgentLike, Model, ModelProvider, Runner, RunnerLike } from './types.ts';

export type { AgentLike, RunnerLike } from './types.ts';

assertInstalled('hookmachine/openai-agents', '@openai/agents', '@openai/agents');

/** Options of `withHooks` for the OpenAI Agents SDK. */
export interface OpenAiAgentsOptions extends AdapterOptions {
  /**
   * The agents that the runner runs. An agent named here has hooks around its tools from now on:
   * `RunState.fromString` takes the tools from the agent as it is then.
   */
  readonly agents?: readonly AgentLike[];
}

/** What an object with hooks around it can do besides. */
export interface WithHooks extends AsyncDisposable {
  /** Ends the session: SessionEnd hooks run, and calls that are still open are cancelled. */
  end(reason?: HookEventFields['SessionEnd']['reason']): Promise<void>;
}

/**
 * Puts the user's hooks around everything that a runner runs, or around one agent; the same object is
 * returned, with hooks. If neither `isTrustedFolder` nor `checkTrust` is given, the host has decided for
 * itself that the project is trusted.
 *
 * @example
 * const runner = withHooks(new Runner(), { cwd: process.cwd(), agents: [agent] });
 * await runner.run(agent, 'Tidy up');
 */
export function withHooks<Guarded extends RunnerLike | AgentLike>(
  guarded: Guarded,
  options: OpenAiAgentsOptions = {},
): Guarded & WithHooks {
  const hooks = new AgentHooks(options);
  const run = new Run(hooks);
  if ('getAllTools' in guarded) wrapAgent(guarded as unknown as Agent, run);
  else wrapRunner(guarded as unknown as Runner, hooks);
  for (const agent of options.agents ?? []) wrapAgent(agent as Agent, run);
  const end: WithHooks['end'] = (reason) => hooks.end(reason);
  return Object.assign(guarded, { end, [Symbol.asyncDispose]: () => end() });
}

/** Runners with their hooks; a later call replaces the hooks. */
const runners = new WeakMap<object, { hooks: AgentHooks }>();

const current = (): Run | undefined => runs.getStore();

function wrapRunner(runner: Runner, hooks: AgentHooks): void {
  const known = runners.get(runner);
  if (known) {
    known.hooks = hooks;
    return;
  }
  const wrapped = { hooks };
  runners.set(runner, wrapped);
  const { config } = runner;
  if (isModel(config.model)) config.model = wrapModel(config.model, { run: current });
  config.modelProvider = wrapProvider(config.modelProvider);
  const run = runner.run.bind(runner);
  runner.run = (agent, input, options) => {
    wrapAgent(agent);
    wrapRunState(input);
    return runs.run(new Run(wrapped.hooks), () => run(agent, input, options));
  };
}

/** The provider with hooks around its models. */
function wrapProvider(provider: ModelProvider): ModelProvider {
  const named = async (name?: string): Promise<Model> => provider.getModel(name);
  return new Proxy(provider, {
    get(target, key) {
      if (key === 'getModel')
        return async (name?: string) => wrapModel(await named(name), { run: current, name, named });
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
