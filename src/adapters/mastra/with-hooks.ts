import { isRecord } from '../../base/json.ts';
import { AgentHooks } from '../parts/agent-hooks.ts';
import { isDenial } from '../ai-sdk/denied.ts';
import { whole } from '../ai-sdk/guard-tool.ts';
import { guardedModel, type ModelFor } from '../ai-sdk/model.ts';
import type { Answering } from '../ai-sdk/model-calls.ts';
import type { AiSdkModel } from '../ai-sdk/types.ts';
import { type HooksHandle, handleOf } from '../parts/handle.ts';
import { type AdapterOptions, refuseDurable } from '../parts/options.ts';
import { withStream } from './generate-stream.ts';
import { StepTools } from './step-tools.ts';
import { callOf, guardedTools } from './tools.ts';
import type { InputStep, MastraAgentConfig, ToolHookContext } from './types.ts';

/** Options of `withHooks` besides the agent's own config. */
export interface MastraOptions extends AdapterOptions {
  /**
   * Makes the model for a request in which a hook names another one. Without it, every request goes to the
   * one model.
   */
  readonly modelFor?: ModelFor;
}

const handles = new WeakMap<object, HooksHandle>();

/**
 * The config of a Mastra agent, with hooks around its model and its tools. Unless `isTrustedFolder` or
 * `checkTrust` is given, the project's hooks run without a question: the host has decided for itself that
 * it trusts the folder.
 *
 * @example
 * const agent = new Agent(withHooks({ id, name, instructions, model, tools }, { cwd: process.cwd() }));
 */
export function withHooks<Config extends MastraAgentConfig>(
  config: Config,
  { modelFor, ...options }: MastraOptions = {},
): Config {
  refuseDurable(options, 'The Mastra adapter');
  const hooks = new AgentHooks(options);
  const names = new Set<string>();
  const seen = new WeakMap<object, unknown>();
  const stepTools = new StepTools(hooks, names);
  // Mastra asks about the tools that it runs, and denied calls of these stay in the answer: the tool says
  // why.
  const isRun = (name: string): boolean => stepTools.isRun(name);
  const guard = (model: unknown, more: Pick<Answering, 'complete'> = {}): unknown => {
    if (!isModel(model)) return model;
    const how = { hooks, isGuarded: isRun, canAsk: isRun, modelFor, ...more };
    const known = seen.get(model) ?? guardedModel(model, how);
    seen.set(model, known);
    seen.set(known, known);
    return known;
  };
  const model = guardedChoice(config.model, guard);
  const changed: MastraAgentConfig = {
    ...config,
    model,
    ...(config.tools !== undefined && { tools: guardedSet(config.tools, hooks, names) }),
    hooks: withOtherTools(config.hooks, { hooks, names, stepTools }),
    inputProcessors: withProcessor(
      config.inputProcessors,
      {
        id: 'hookmachine',
        processInputStep: async (step: InputStep) => {
          await hooks.ready();
          return {
            // A model that is given by name only, or not before the run, is known with the first request.
            ...(!isChosen(config.model) && { model: guard(step.model, { complete: withStream }) }),
            ...(step.tools && hooks.seesAnything() && { tools: stepTools.guard(step) }),
          };
        },
      },
      async () => {
        await hooks.ready();
        return !isChosen(config.model) || hooks.seesAnything();
      },
    ),
  };
  handles.set(changed, handleOf(hooks));
  return changed as Config;
}

/** The hooks of a config that `withHooks` made; end them with the agent. */
export function hooksOf(config: object): HooksHandle {
  const handle = handles.get(config);
  if (handle) return handle;
  throw new TypeError('hooksOf needs a config made by withHooks');
}

const isModel = (model: unknown): model is AiSdkModel =>
  typeof model === 'object' &&
  model !== null &&
  'doStream' in model &&
  'specificationVersion' in model &&
  ['v2', 'v3', 'v4'].includes(String(model.specificationVersion));

/** Whether all models are objects: a single one, or several with retries. */
const isChosen = (model: unknown): boolean =>
  Array.isArray(model)
    ? model.every((each: unknown) => isRecord(each) && isModel(each['model']))
    : isModel(model);

function guardedChoice(model: unknown, guard: (model: unknown) => unknown): unknown {
  if (!isChosen(model)) return model;
  return Array.isArray(model)
    ? model.map((each: object & { readonly model: unknown }) => ({
        ...each,
        model: guard(each.model),
      }))
    : guard(model);
}

/** Tools, or a function that returns them. */
function guardedSet(tools: unknown, hooks: AgentHooks, names: Set<string>): unknown {
  if (typeof tools === 'function')
    return async (...given: readonly unknown[]) =>
      guardedSet(await (tools as (...all: readonly unknown[]) => unknown)(...given), hooks, names);
  return isRecord(tools) ? guardedTools(tools, hooks, names) : tools;
}

/**
 * Processors with ours after them. If the agent has none, ours is added only while it `isNeeded`, because a
 * processor takes time.
 */
function withProcessor(
  processors: unknown,
  ours: object,
  isNeeded: () => Promise<boolean>,
): unknown {
  if (Array.isArray(processors)) return [...(processors as readonly unknown[]), ours];
  return async (...given: readonly unknown[]) => {
    const own =
      typeof processors === 'function'
        ? await (processors as (...all: readonly unknown[]) => Promise<readonly unknown[]>)(
            ...given,
          )
        : [];
    return (await isNeeded()) ? [...own, ours] : own;
  };
}

interface OwnHooks {
  readonly beforeToolCall?: (context: ToolHookContext) => unknown;
  readonly afterToolCall?: (context: ToolHookContext & Outcome) => unknown;
}

interface Guards {
  readonly hooks: AgentHooks;
  readonly names: ReadonlySet<string>;
  readonly stepTools: StepTools;
}

interface Outcome {
  readonly output?: unknown;
  readonly error?: unknown;
}

/**
 * Adds hooks to tools that are not the agent's own, which it has if a call's processors replace ours or a run is resumed
 * elsewhere: their calls are denied and rewritten, but their results only seen.
 */
function withOtherTools(own: unknown, { hooks, names, stepTools }: Guards): object {
  const { beforeToolCall, afterToolCall }: OwnHooks = isRecord(own) ? own : {};
  const results = new Map<string, (outcome: Outcome) => void>();
  return {
    ...(isRecord(own) ? own : {}),
    beforeToolCall: async (context: ToolHookContext) => {
      const answer = await beforeToolCall?.(context);
      if (isRecord(answer) && answer['proceed'] === false) return answer;
      const { toolName, input } = context;
      if (names.has(toolName) || stepTools.isHandled(context.context)) return answer;
      const asked = callOf(hooks, toolName, input, context.context);
      if (!hooks.judgesToolCall(asked)) return answer;
      return new Promise<unknown>((resolve) => {
        const ran = whole(
          hooks,
          asked,
          (given) =>
            new Promise<unknown>((done, failed) => {
              if (isRecord(input) && given !== input) replace(input, given);
              results.set(asked.id, ({ output, error }) =>
                error === undefined ? done(output) : failed(error),
              );
              resolve(answer);
            }),
        );
        void ran
          .catch((error: unknown) =>
            resolve({ proceed: false, output: isDenial(error) ? error.message : error }),
          )
          // Mastra does not report how an aborted call ended.
          .finally(() => results.delete(asked.id));
      });
    },
    afterToolCall: async (context: ToolHookContext & Outcome) => {
      const id = context.context.agent?.toolCallId ?? context.context.toolCallId ?? '';
      results.get(id)?.(context);
      results.delete(id);
      await afterToolCall?.(context);
    },
  };
}

/** Changes arguments in place: Mastra gives the tool this very object. */
function replace(input: Record<string, unknown>, given: Readonly<Record<string, unknown>>): void {
  for (const key of Object.keys(input)) delete input[key];
  Object.assign(input, given);
}
