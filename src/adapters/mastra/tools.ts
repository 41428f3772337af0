import { randomUUID } from 'node:crypto';
import { isRecord } from '../../protocol/output.ts';
import type { AgentHooks } from '../agent-hooks.ts';
import type { FrameworkToolCall } from '../run-tool.ts';
import { isPromiseLike, withAnnotations } from '../ai-sdk/annotations.ts';
import { whole } from '../ai-sdk/guard-tool.ts';
import type { MastraTool, NeedsApproval, ToolContext } from './types.ts';

type Input = Readonly<Record<string, unknown>>;

const inputOf = (input: unknown): Input => (isRecord(input) ? input : {});

/** The tools of an agent with hooks around them; `names` gets what the model knows them by. */
export function guardedTools(
  tools: object,
  hooks: AgentHooks,
  names: Set<string>,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(tools).map(([key, tool]: [string, unknown]) => {
      if (!isTool(tool)) return [key, tool];
      const name = nameOf(key);
      names.add(name);
      return [key, guardedTool(tool, name, hooks)];
    }),
  );
}

/** Mastra changes a name that providers would not take. */
function nameOf(key: string): string {
  const allowed = key.replaceAll(/[^a-zA-Z0-9_-]/g, '_');
  return (/^[a-zA-Z_]/.test(allowed) ? allowed : `_${allowed}`).slice(0, 63);
}

const isTool = (tool: unknown): tool is MastraTool =>
  typeof tool === 'object' &&
  tool !== null &&
  'execute' in tool &&
  typeof tool.execute === 'function';

function guardedTool(tool: MastraTool, name: string, hooks: AgentHooks): MastraTool {
  const { execute, requireApproval, toModelOutput } = tool;
  const own = execute!.bind(tool);
  const parts: Required<MastraTool> = {
    execute: (input, context) => {
      const asked = callOf(hooks, name, input, context);
      if (hooks.leavesAlone(asked)) return own(input, context);
      return whole(hooks, asked, (given) => own(given === asked.input ? input : given, context));
    },
    requireApproval: mustAsk(hooks, name, requireApproval),
    toModelOutput: withAnnotations(toModelOutput?.bind(tool), () => undefined),
  };
  // A tool of Mastra's is known by its class.
  return Object.create(Object.getPrototypeOf(tool) as object, {
    ...Object.getOwnPropertyDescriptors(tool),
    ...Object.fromEntries(
      Object.entries(parts).map(([key, value]) => [
        key,
        { value, enumerable: true, configurable: true, writable: true },
      ]),
    ),
  }) as MastraTool;
}

/** A call as a tool is given it; outside an agent it has no id. */
export function callOf(
  hooks: AgentHooks,
  name: string,
  input: unknown,
  context: ToolContext | undefined,
): FrameworkToolCall {
  const { agent, abortSignal: signal } = context ?? {};
  const id = agent?.toolCallId || context?.toolCallId || randomUUID();
  const call = { id, name, input: inputOf(input) };
  const resumed = agent?.resumeData ?? context?.resumeData;
  const isApproved = isRecord(resumed) && resumed['approved'] === true;
  // Mastra runs what a hook wants asked about only once its user has approved it.
  const asks = isApproved || hooks.verdictOf(call)?.status === 'asked';
  return { ...call, signal, ...(asks && { confirm: () => true }) };
}

/** Nobody is asked about a denied call. Mastra does not say which call it asks about, so its arguments must do. */
const mustAsk =
  (hooks: AgentHooks, name: string, own: MastraTool['requireApproval']): NeedsApproval =>
  (input, context) => {
    const call = inputOf(input);
    const verdict = hooks.verdictLike(name, call);
    if (verdict?.status === 'ended') return false;
    if (verdict?.status === 'asked') return true;
    const wanted = typeof own === 'function' ? own(input, context) : (own ?? false);
    if (isPromiseLike(wanted))
      return wanted.then((asks) => asks && hooks.isLikeToBeAsked(name, call));
    return wanted && hooks.isLikeToBeAsked(name, call);
  };
