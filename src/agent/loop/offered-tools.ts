import type { InvokedBy } from '../../core/answers/event-context.ts';
import type { HookSystemConfig } from '../../hosts/system/hook-system-config.ts';
import { errorResult, type ToolResult } from '../../core/protocol/tool-result.ts';

import type {
  Confirm,
  ExecuteTool,
  ToolCallOptions,
  ToolCallRequest,
} from '../../core/calls/run-tool-call.ts';
import type { Tool, ToolContext, Tools } from './tool.ts';
import { checkInput } from './tool-parameters.ts';

export interface OfferedToolsOptions {
  readonly config: HookSystemConfig;
  readonly tools: Tools;
  /** Who makes the calls, for hooks that receive it; default `main`. */
  readonly invokedBy?: InvokedBy | undefined;
  /**
   * Whether built-in tools may write settings with hooks, hooks, and trusted scripts without asking; default
   * false.
   */
  readonly allowGuardWrites?: boolean | undefined;
  /**
   * Asks before a built-in tool makes such a write, with the final arguments; without it the write is
   * refused.
   */
  readonly confirmGuarded?:
    | ((request: ToolCallRequest, guarded: readonly string[]) => boolean | Promise<boolean>)
    | undefined;
  /**
   * Returns why a tool is not on offer now, for the model, or undefined if it is. By default every tool is.
   */
  readonly notOffered?: (toolName: string) => string | undefined;
  /**
   * Asks the user before a tool runs, with its final arguments, one call at a time. By default nobody is
   * asked.
   */
  readonly confirm?: Confirm | undefined;
}

/** The tools that a model may call, and what is needed to call them. */
export class OfferedTools {
  readonly #options: OfferedToolsOptions;
  readonly #tools: ReadonlyMap<string, Tool>;
  #asking: Promise<unknown> = Promise.resolve();

  constructor(options: OfferedToolsOptions) {
    this.#options = options;
    this.#tools = toolsByName(options.tools);
  }

  /** Returns what a call needs besides its request. Once `signal` is aborted, nobody is asked any more. */
  call(
    request: ToolCallRequest,
    signal: AbortSignal,
  ): { readonly execute: ExecuteTool; readonly options: ToolCallOptions } {
    const { config, invokedBy, notOffered, confirm, allowGuardWrites, confirmGuarded } =
      this.#options;
    const tool = this.#tools.get(request.name);
    return {
      execute: (input, toolSignal) =>
        execute(tool, request.name, input, {
          cwd: config.getWorkingDir(),
          signal: toolSignal,
          callId: request.id,
          allowGuardWrites,
          confirmGuarded:
            confirmGuarded &&
            (({ guarded }) =>
              this.#asked(() => confirmGuarded({ ...request, input }, guarded), toolSignal)),
        }),
      options: {
        invokedBy,
        notOffered: notOffered?.(request.name),
        confirm: confirm && ((asked) => this.#asked(() => confirm(asked), signal)),
      },
    };
  }

  /** One question at a time: a user cannot answer two at once. */
  #asked<Answer>(
    ask: () => Answer | Promise<Answer>,
    signal: AbortSignal,
  ): Promise<Answer | false> {
    const answer = this.#asking.then(() => (signal.aborted ? false : ask()));
    this.#asking = answer.catch(() => undefined);
    return answer;
  }
}

/**
 * Checks the arguments that the tool really receives: a rewrite that does not fit is the tool's own error and
 * is never undone.
 */
async function execute(
  tool: Tool | undefined,
  name: string,
  input: object,
  context: ToolContext,
): Promise<ToolResult> {
  if (tool === undefined) return errorResult(`There is no tool "${name}".`, 'tool_not_found');
  const checked = await checkInput(name, tool.parameters, input);
  if ('problem' in checked)
    return errorResult(`Invalid arguments for ${name}: ${checked.problem}`, 'invalid_tool_params');
  return tool.execute(checked.input, context);
}

/** Returns tools by their names; `someTools` has checked that no two have the same. */
export const toolsByName = (tools: Tools): ReadonlyMap<string, Tool> =>
  Array.isArray(tools)
    ? new Map((tools as readonly Tool[]).map((tool) => [tool.name, tool]))
    : (tools as ReadonlyMap<string, Tool>);
