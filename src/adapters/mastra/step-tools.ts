import { isRecord } from '../../base/json.ts';
import type { AgentHooks } from '../parts/agent-hooks.ts';
import { withAnnotations } from '../ai-sdk/annotations.ts';
import { mustAsk, ran } from './tools.ts';
import type { CoreTool, InputStep, NeedsApproval, ToolContext } from './types.ts';

/** What Mastra knows about the tools of a run and the agent itself does not. */
export class StepTools {
  readonly #hooks: AgentHooks;
  /** The names of the tools that are guarded as they run. */
  readonly #own: ReadonlySet<string>;
  readonly #guarded = new WeakMap<object, CoreTool>();
  readonly #handled = new WeakSet<object>();
  /** The names of tools that something else runs, such as a page in a browser. */
  readonly #elsewhere = new Set<string>();

  constructor(hooks: AgentHooks, own: ReadonlySet<string>) {
    this.#hooks = hooks;
    this.#own = own;
  }

  /** Whether Mastra runs a tool: a denial is then reported as the tool runs. */
  isRun(name: string): boolean {
    return !this.#elsewhere.has(name);
  }

  /** Whether a call is already going through its hooks. */
  isHandled(context: object): boolean {
    return this.#handled.has(context);
  }

  /** The tools of a step with hooks around them, and around the questions about them. */
  guard({ tools = {}, requestContext }: InputStep): Record<string, unknown> {
    return Object.fromEntries(
      Object.entries(tools).map(([name, tool]) => {
        const isRun = isCoreTool(tool);
        if (isRun) this.#elsewhere.delete(name);
        else this.#elsewhere.add(name);
        return [name, isRun ? this.#guardedTool(name, tool, requestContext) : tool];
      }),
    );
  }

  #guardedTool(
    name: string,
    tool: CoreTool,
    requestContext: InputStep['requestContext'],
  ): CoreTool {
    const known = this.#guarded.get(tool);
    if (known) return known;
    const { execute, needsApprovalFn, requireApproval } = tool;
    const wanted: NeedsApproval =
      needsApprovalFn ??
      (async (args, context) => {
        // What the agent's caller wants asked; Mastra honors it only if a tool has no question of its own.
        const ofAll = requestContext?.get('__mastra_requireToolApproval');
        const asks: unknown =
          typeof ofAll === 'function'
            ? await ofAll({ ...asRecord(context), toolName: name, args })
            : ofAll;
        return Boolean(asks) || requireApproval === true;
      });
    const guarded: CoreTool = {
      ...tool,
      needsApprovalFn: mustAsk(this.#hooks, name, wanted),
      ...(!this.#own.has(name) && {
        execute: (input: unknown, context: ToolContext) =>
          ran(this.#hooks, { name, input, context }, (given, told) => {
            this.#handled.add(told);
            return execute.call(tool, given, told);
          }),
        toModelOutput: withAnnotations(tool.toModelOutput?.bind(tool), () => undefined),
      }),
    };
    this.#guarded.set(tool, guarded);
    this.#guarded.set(guarded, guarded);
    return guarded;
  }
}

const asRecord = (value: unknown): object => (isRecord(value) ? value : {});

const isCoreTool = (tool: unknown): tool is CoreTool =>
  isRecord(tool) && typeof tool['execute'] === 'function';
