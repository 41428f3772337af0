import type { HookSystemConfig } from '../../hosts/system/hook-system-config.ts';
import { AgentHooks } from '../parts/agent-hooks.ts';
import { guarded } from './guard-tool.ts';
import { type Answering, type AskedModel, generated, streamed } from './model-calls.ts';
import { askedModel, withoutDenied } from './model.ts';
import { adapterOptions, type AiSdkOptions } from './options.ts';
import type { AiSdkModel, AiSdkTool, CallOptions } from './types.ts';

/** What the parts of one agent share. */
interface Shared {
  readonly hooks: AgentHooks;
  /** The names of its tools that are guarded. */
  readonly names: Set<string>;
}

/** Parts that are given the same `config` belong together: a hook that stops a tool also stops the model. */
const byConfig = new WeakMap<HookSystemConfig, Shared>();

function sharedOf(options: AiSdkOptions): Shared {
  const { config, durable } = options;
  // One durable config may keep several conversations.
  const known = config && !durable && byConfig.get(config);
  if (known) return known;
  const hooks = new AgentHooks(adapterOptions(options));
  const made = { hooks, names: new Set<string>() };
  if (!durable) byConfig.set(hooks.config, made);
  return made;
}

/** Options of `guardTool`. */
export interface GuardToolOptions extends Omit<AiSdkOptions, 'modelFor'> {
  /** A tool of the SDK does not know its own name. */
  readonly name: string;
}

/**
 * Puts hooks around one tool only: its calls are judged as they run. Give it the same `config` as
 * `hooksMiddleware` so that a stop ends the run.
 *
 * @example
 * const write = guardTool(plainWrite, { name: 'write', cwd: process.cwd() });
 */
export function guardTool<Tool extends AiSdkTool>(
  tool: Tool,
  { name, ...options }: GuardToolOptions,
): Tool {
  const { hooks, names } = sharedOf(options);
  if (tool.execute) names.add(name);
  return guarded(tool, name, hooks);
}

/** What the SDK gives a middleware with each call. */
interface MiddlewareCall {
  readonly doGenerate: () => PromiseLike<unknown>;
  readonly doStream: () => PromiseLike<unknown>;
  readonly params: object;
  readonly model: AiSdkModel;
}

/** A middleware for `wrapLanguageModel`. */
export interface HooksMiddleware {
  readonly specificationVersion: 'v3';
  // oxlint-disable-next-line typescript/no-explicit-any -- each version of the SDK has types of its own
  wrapGenerate(call: MiddlewareCall): Promise<any>;
  // oxlint-disable-next-line typescript/no-explicit-any -- the same
  wrapStream(call: MiddlewareCall): Promise<any>;
}

/**
 * The hooks of sessions, turns and model calls as a middleware; tool calls are left to `guardTool`.
 *
 * @example
 * const model = wrapLanguageModel({ model: openai('gpt-5'), middleware: hooksMiddleware({ cwd: process.cwd() }) });
 */
export function hooksMiddleware(options: AiSdkOptions): HooksMiddleware {
  const { hooks, names } = sharedOf(options);
  const isGuarded = (name: string): boolean => names.has(name);
  const how: Answering = { change: withoutDenied(hooks, isGuarded), judges: isGuarded };
  const asked = (model: AiSdkModel): AskedModel => askedModel(model, hooks, options.modelFor);
  return {
    specificationVersion: 'v3',
    wrapGenerate: ({ params, model }) => generated(hooks, asked(model), params as CallOptions, how),
    wrapStream: ({ params, model }) => streamed(hooks, asked(model), params as CallOptions, how),
  };
}
