import { AgentHooks } from '../parts/agent-hooks.ts';
import type { AdapterOptions } from '../parts/options.ts';

/** By config, or by the options object itself. */
const known = new WeakMap<object, AgentHooks>();

/**
 * The hooks of these options: parts that are given the same options, or the same `config`, share their turns.
 */
export function hooksOf(options: AdapterOptions): AgentHooks {
  // One durable config may keep several conversations, each in parts of its own.
  const key = (options.durable ? undefined : options.config) ?? options;
  const hooks = known.get(key) ?? new AgentHooks(options);
  known.set(key, hooks);
  return hooks;
}
