import { AgentHooks } from '../agent-hooks.ts';
import type { AdapterOptions } from '../options.ts';

/** By a config, or by the options themselves. */
const known = new WeakMap<object, AgentHooks>();

/** The hooks of these options: parts that are given the same options, or the same `config`, share their turns. */
export function hooksOf(options: AdapterOptions): AgentHooks {
  // Several conversations may be kept by one config, each in parts of its own.
  const key = (options.durable ? undefined : options.config) ?? options;
  const hooks = known.get(key) ?? new AgentHooks(options);
  known.set(key, hooks);
  return hooks;
}
