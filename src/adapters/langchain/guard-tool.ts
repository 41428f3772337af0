import type { AgentHooks } from '../parts/agent-hooks.ts';
import type { AdapterOptions } from '../parts/options.ts';
import { hooksOf } from './hooks-of.ts';
import { runTool } from './run-tool.ts';
import { textOfResult } from './tool-result.ts';
import type { Runtime, WantedCall } from './types.ts';

/** The parts of a LangChain tool that we use. */
export interface GuardableTool {
  readonly name: string;
  invoke(input: never, config?: never): Promise<unknown>;
}

/** Methods that run the tool through its own `invoke`. */
const viaInvoke = [
  'batch',
  'stream',
  'streamEvents',
  'streamLog',
  'transform',
  'pipe',
  'withConfig',
];

/**
 * Puts the user's hooks around a tool, for LangGraph graphs without `createAgent`, and for calls from your
 * own code: there a denial is thrown.
 *
 * @example
 * const tools = new ToolNode([read, write].map((tool) => guardTool(tool, options)));
 */
export function guardTool<Tool extends GuardableTool>(
  tool: Tool,
  options: AdapterOptions = {},
): Tool {
  const hooks = hooksOf(options);
  return new Proxy(tool, {
    get(target, key, proxy) {
      if (key === 'invoke' || key === 'call')
        return (input: unknown, config?: Runtime) => invoke(hooks, target, input, config);
      const value: unknown = Reflect.get(target, key, target);
      if (typeof value !== 'function' || key === 'constructor') return value;
      return value.bind(viaInvoke.includes(String(key)) ? proxy : target) as unknown;
    },
  });
}

async function invoke(
  hooks: AgentHooks,
  tool: GuardableTool,
  input: unknown,
  config: Runtime & { readonly toolCall?: { readonly id?: string } } = {},
): Promise<unknown> {
  const run = (given: unknown): unknown => tool.invoke(given as never, config as never);
  if (isCall(input))
    return runTool(hooks, { ...input, name: tool.name }, config, (args) => run({ ...input, args }));
  const isText = typeof input === 'string';
  const { id } = config.toolCall ?? {};
  const args = (isText ? { input } : (input ?? {})) as WantedCall['args'];
  let thrown: { readonly error: unknown } | undefined;
  const result = await runTool(
    hooks,
    { ...(id !== undefined && { id }), name: tool.name, args },
    config,
    async (final) => {
      try {
        return await run(isText ? final['input'] : final);
      } catch (error) {
        thrown = { error };
        throw error;
      }
    },
  );
  if (thrown) throw thrown.error;
  return textOfResult(result);
}

const isCall = (input: unknown): input is WantedCall =>
  typeof input === 'object' && input !== null && 'type' in input && input.type === 'tool_call';
