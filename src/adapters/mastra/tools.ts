import { randomUUID } from 'node:crypto';
import { isRecord } from '../../base/json.ts';
import type { ToolCallVerdict } from '../../core/calls/open-tool-call.ts';
import type { Confirm } from '../../core/calls/run-tool-call.ts';
import type { AgentHooks } from '../parts/agent-hooks.ts';
import { asGiven, asInput } from '../parts/run-tool.ts';
import type { FrameworkToolCall } from '../parts/run-tool.ts';
import { withAnnotations } from '../ai-sdk/annotations.ts';
import { whole } from '../ai-sdk/guard-tool.ts';
import { Suspension } from './suspension.ts';
import type { MastraTool, NeedsApproval, ToolContext } from './types.ts';

/** The tools of an agent with hooks around them; `names` receives the names by which the model knows them. */
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

/** Mastra changes a name that providers would reject. */
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
  const { execute, toModelOutput } = tool;
  const own = execute!.bind(tool);
  const parts: Required<MastraTool> = {
    execute: (input, context) => ran(hooks, { name, input, context }, own),
    toModelOutput: withAnnotations(toModelOutput?.bind(tool), () => undefined),
  };
  // Mastra recognizes its own tools by their class.
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

/** What a tool is given. */
interface Given {
  readonly name: string;
  readonly input: unknown;
  readonly context: ToolContext;
}

/** Runs a tool between its hooks; without hooks, it just runs. */
export function ran(
  hooks: AgentHooks,
  { name, input, context }: Given,
  run: (input: unknown, context: ToolContext) => unknown,
): unknown {
  const asked = callOf(hooks, name, input, context);
  if (!hooks.judgesToolCall(asked)) return run(input, context);
  const suspension = new Suspension(context);
  const isInterruption = (error: unknown): boolean => error === suspension;
  return whole(hooks, { ...asked, isInterruption }, (given) =>
    suspension.of((told) => run(given === asked.input ? input : asGiven(input, given), told)),
  ).catch((error: unknown) => {
    if (error === suspension) return suspension.output;
    throw error;
  });
}

/** Why a call is refused that a hook wants asked about, but that Mastra runs anyway. */
const nobodyAsked = 'A hook wants the user to be asked about this call, but nobody was asked.';

/** A call as its tool gets it; outside an agent it has no id. */
export function callOf(
  hooks: AgentHooks,
  name: string,
  input: unknown,
  context: ToolContext | undefined,
): FrameworkToolCall {
  const { agent, abortSignal: signal } = context ?? {};
  const id = agent?.toolCallId || context?.toolCallId || randomUUID();
  const call = { id, name, input: asInput(input) };
  const resumed = agent?.resumeData ?? context?.resumeData;
  const verdict = hooks.verdictOf(call);
  // Mastra runs a call that it asks about only once its user has approved it.
  const isApproved =
    (isRecord(resumed) && resumed['approved'] === true) || (verdict && wasAsked.has(verdict));
  const asks = isApproved || verdict?.status === 'asked';
  const confirm: Confirm = ({ reason }) => isApproved || (reason ?? nobodyAsked);
  return { ...call, signal, ...(asks && { confirm }) };
}

/** The verdicts that Mastra's user was asked about. */
const wasAsked = new WeakSet<ToolCallVerdict>();

/**
 * A denied call asks nobody. Mastra does not say which call it asks about, so the arguments have to identify
 * it.
 */
export const mustAsk =
  (hooks: AgentHooks, name: string, own: NeedsApproval): NeedsApproval =>
  async (input, context) => {
    const call = asInput(input);
    const verdict = hooks.verdictOfSame(name, call);
    if (verdict?.status === 'ended') return false;
    const isAsked =
      verdict?.status === 'asked' ||
      ((await own(input, context)) && (await hooks.mayBeAsked(name, call)));
    const asked = isAsked && hooks.verdictOfSame(name, call);
    if (asked) wasAsked.add(asked);
    return isAsked;
  };
