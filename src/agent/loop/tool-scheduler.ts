import {
  aConfig,
  anyText,
  assertArgument,
  assertArguments,
  callback,
  count,
  flag,
  list,
  optional,
  type Rule,
  someTools,
  text,
} from '../../base/arguments.ts';
import { HookmachineError } from '../../base/errors.ts';
import { setMaxListeners } from 'node:events';
import { availableParallelism } from 'node:os';
import { onAbort } from '../../core/run/run-machine.ts';
import { warn } from '../../base/log.ts';
import { OfferedTools, type OfferedToolsOptions } from './offered-tools.ts';
import {
  type EndedToolCall,
  runToolCall,
  type ToolCallRequest,
} from '../../core/calls/run-tool-call.ts';
import type { StopRequest } from '../../core/calls/tool-effects.ts';
import { messageOf } from '../../base/message-of.ts';

/** A tool call that has ended, with its request. */
export interface CompletedToolCall extends EndedToolCall {
  readonly request: ToolCallRequest;
}

/** All calls of one model answer, in the order asked. */
export interface ToolBatch {
  readonly calls: readonly CompletedToolCall[];
  /** A hook stopped the agent: the caller ends its loop and shows the reason to the user. */
  readonly stop?: StopRequest;
}

export interface ToolSchedulerOptions extends OfferedToolsOptions {
  /** How many calls may run at once; default: the number of cores. */
  readonly limit?: number;
  /** Called with every ended call, in the order asked, regardless of the order in which they end. */
  readonly onCompleted?: (call: CompletedToolCall) => void;
}

const optionRules: Readonly<Record<string, Rule>> = {
  config: aConfig,
  tools: someTools,
  limit: optional(count),
  onCompleted: optional(callback),
  allowGuardWrites: optional(flag),
  confirmGuarded: optional(callback),
  notOffered: optional(callback),
  confirm: optional(callback),
};

/** What a model asks for is judged and reported to it, whatever it is. */
const requestRules: Readonly<Record<string, Rule>> = { id: text, name: anyText };

/**
 * Runs the tool calls of a model's answer concurrently up to a limit, each as a `toolCall` machine. A blocked
 * call has ended: its result goes to the model, and it is never retried. After a stop no
 * further call is started.
 */
export class ToolScheduler {
  readonly #options: ToolSchedulerOptions;
  readonly #offered: OfferedTools;
  #running = 0;
  #abort: AbortController | undefined;

  constructor(options: ToolSchedulerOptions) {
    assertArguments('ToolScheduler', options, optionRules);
    this.#options = options;
    this.#offered = new OfferedTools(options);
  }

  /** `idle` between batches, even after a blocked call. */
  get status(): 'idle' | 'running' {
    return this.#running === 0 ? 'idle' : 'running';
  }

  /**
   * Runs a batch to its end. Never rejects because of what a tool or a hook does.
   *
   * @throws {HookmachineError} while another batch runs
   */
  async schedule(
    requests: readonly ToolCallRequest[],
    { signal }: { signal?: AbortSignal } = {},
  ): Promise<ToolBatch> {
    assertArgument('ToolScheduler.schedule: the list of calls', requests, list);
    for (const request of requests)
      assertArguments('ToolScheduler.schedule: a call', request, requestRules);
    if (this.#abort)
      throw new HookmachineError(
        'BATCH_RUNNING',
        'The scheduler is already running a batch: await it first.',
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

  /** Cancels the running batch: hooks and tools are stopped, and every call still gets a result. */
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
    const { execute, options } = this.#offered.call(request, signal);
    try {
      const call = await runToolCall(this.#options.config, request, execute, {
        ...options,
        signal,
      });
      return { ...call, request };
    } finally {
      this.#running--;
    }
  }
}
