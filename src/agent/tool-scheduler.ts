import { HookmachineError } from '../errors.ts';
import { setMaxListeners } from 'node:events';
import { availableParallelism } from 'node:os';
import type { AnyActorRef } from 'xstate';
import type { InvokedBy } from '../dialects/event-context.ts';
import type { HookSystemConfig } from '../hooks/hook-system-config.ts';
import { messageOf } from '../message-of.ts';
import { onAbort } from '../hooks/on-abort.ts';
import { warn } from '../log.ts';
import { errorResult, type ToolResult } from '../protocol/tool-result.ts';
import {
  type Confirm,
  type EndedToolCall,
  runToolCall,
  type StopRequest,
  type ToolCallRequest,
} from './tool-call.ts';
import type { Tool, ToolContext } from './tool.ts';

/** A tool call that has ended, with what was asked. */
export interface CompletedToolCall extends EndedToolCall {
  readonly request: ToolCallRequest;
}

/** All calls of one model answer, in the order asked. */
export interface ToolBatch {
  readonly calls: readonly CompletedToolCall[];
  /** A hook stopped the agent: the caller ends its loop and shows the reason to the user (HOOK-020, 028). */
  readonly stop?: StopRequest;
}

export interface ToolSchedulerOptions {
  readonly config: HookSystemConfig;
  readonly tools: ReadonlyMap<string, Tool>;
  /** How many calls may run at once; default: the number of cores. */
  readonly limit?: number;
  /** Who asks for the calls, for hooks that are told of it; default `main`. */
  readonly invokedBy?: InvokedBy | undefined;
  /** Told of every call as it ends, in the order asked, whatever the order of ending. */
  readonly onCompleted?: (call: CompletedToolCall) => void;
  /** Whether built-in tools may write settings with hooks, hooks, and trusted scripts without asking; default false. */
  readonly allowGuardWrites?: boolean | undefined;
  /** Asks before a built-in tool does that, with the final arguments; without it such a write is refused. */
  readonly confirmGuarded?:
    | ((request: ToolCallRequest, guarded: readonly string[]) => boolean | Promise<boolean>)
    | undefined;
  /** Why a tool is not on offer now, for the model; undefined when it is. Default: every tool is. */
  readonly notOffered?: (toolName: string) => string | undefined;
  /** Asks the user before a tool runs, with its final arguments, one call after the other. Default: nobody is asked. */
  readonly confirm?: Confirm;
  /** The actor that the calls are children of; default: each is a root. */
  readonly parent?: AnyActorRef;
}

/**
 * Runs the tool calls of a model's answer, each as a `toolCall` machine, side by side up to a limit.
 * A blocked call has ended: its result goes to the model, and it is never tried again (HOOK-129,
 * 130, 204). After a stop no further call is started.
 */
export class ToolScheduler {
  readonly #options: ToolSchedulerOptions;
  #running = 0;
  #abort: AbortController | undefined;
  #asking: Promise<unknown> = Promise.resolve();

  constructor(options: ToolSchedulerOptions) {
    this.#options = options;
  }

  /** `idle` between batches, after a blocked call too (HOOK-129). */
  get status(): 'idle' | 'running' {
    return this.#running === 0 ? 'idle' : 'running';
  }

  /**
   * Runs a batch to its end. Never rejects for what a tool or a hook does.
   *
   * @throws {HookmachineError} while another batch runs
   */
  async schedule(
    requests: readonly ToolCallRequest[],
    { signal }: { signal?: AbortSignal } = {},
  ): Promise<ToolBatch> {
    if (this.#abort)
      throw new HookmachineError(
        'BATCH_RUNNING',
        'The scheduler runs a batch already: await it first.',
      );
    const abort = (this.#abort = new AbortController());
    // Every tool of the batch may listen to it.
    setMaxListeners(0, abort.signal);
    const forward = (): void => abort.abort(signal?.reason);
    if (signal?.aborted) forward();
    const stopForwarding = signal && onAbort(signal, forward);
    try {
      return await this.#run(requests, abort.signal);
    } finally {
      stopForwarding?.();
      this.#abort = undefined;
    }
  }

  /** Cancels the running batch: hooks and tools are ended, and every call still has a result. */
  cancel(reason = 'cancelled'): void {
    this.#abort?.abort(reason);
  }

  async #run(requests: readonly ToolCallRequest[], signal: AbortSignal): Promise<ToolBatch> {
    const ended: (CompletedToolCall | undefined)[] = requests.map(() => undefined);
    let published = 0;
    let next = 0;
    let stopped = false;
    const work = async (): Promise<void> => {
      for (let index = next++; index < requests.length; index = next++) {
        const request = requests[index]!;
        const call = await this.#one(
          request,
          stopped ? AbortSignal.abort('a hook stopped the agent before this call began') : signal,
        );
        stopped ||= call.stop !== undefined;
        ended[index] = call;
        for (let done = ended[published]; done; done = ended[++published]) this.#tell(done);
      }
    };
    const limit = Math.max(1, this.#options.limit ?? availableParallelism());
    await Promise.all(Array.from({ length: Math.min(limit, requests.length) }, work));
    const calls = ended.filter((call) => call !== undefined);
    const stops = calls.flatMap(({ stop }) => (stop ? [stop.reason] : []));
    return { calls, ...(stops.length > 0 && { stop: { reason: [...new Set(stops)].join('\n') } }) };
  }

  /** One question at a time: a user cannot answer two at once. */
  #asked(ask: () => boolean | Promise<boolean>, signal: AbortSignal): Promise<boolean> {
    const answer = this.#asking.then(() => (signal.aborted ? false : ask()));
    this.#asking = answer.catch(() => undefined);
    return answer;
  }

  /** A listener that throws must not leave the other calls unattended. */
  #tell(call: CompletedToolCall): void {
    const { config, onCompleted } = this.#options;
    try {
      onCompleted?.(call);
    } catch (error) {
      warn(config.onWarning, `onCompleted threw: ${messageOf(error)}`);
    }
  }

  async #one(request: ToolCallRequest, signal: AbortSignal): Promise<CompletedToolCall> {
    this.#running++;
    const { config, tools, invokedBy, notOffered, confirm, parent } = this.#options;
    const { allowGuardWrites, confirmGuarded } = this.#options;
    const tool = tools.get(request.name);
    try {
      const call = await runToolCall(
        config,
        request,
        (input, toolSignal) =>
          execute(tool, request.name, input, {
            cwd: config.getWorkingDir(),
            signal: toolSignal,
            allowGuardWrites,
            confirmGuarded:
              confirmGuarded &&
              (({ guarded }) =>
                this.#asked(() => confirmGuarded({ ...request, input }, guarded), toolSignal)),
          }),
        {
          signal,
          parent,
          invokedBy,
          notOffered: notOffered?.(request.name),
          confirm: confirm && ((asked) => this.#asked(() => confirm(asked), signal)),
        },
      );
      return { ...call, request };
    } finally {
      this.#running--;
    }
  }
}

/** The tool checks the arguments it really gets: a rewrite that does not fit is the tool's own error, never undone (C-67). */
async function execute(
  tool: Tool | undefined,
  name: string,
  input: object,
  context: ToolContext,
): Promise<ToolResult> {
  if (tool === undefined) return errorResult(`There is no tool "${name}".`, 'tool_not_found');
  const checked = tool.parameters.safeParse(input);
  if (!checked.success)
    return errorResult(
      `Invalid arguments for ${name}: ${checked.error.issues
        .map(({ path, message }) => [path.join('.'), message].filter(Boolean).join(': '))
        .join('; ')}`,
      'invalid_tool_params',
    );
  return tool.execute(checked.data, context);
}
