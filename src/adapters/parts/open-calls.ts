import type { OpenKeptCall } from '../../core/calls/call-keeper.ts';
import {
  beginToolCall,
  type BeginToolCallOptions,
  type OpenToolCall,
  type ToolCallVerdict,
} from '../../core/calls/open-tool-call.ts';
import { isKept } from './run-tool.ts';
import type { ToolCallRequest } from '../../core/calls/run-tool-call.ts';
import type { HookSystemConfig } from '../../hosts/system/hook-system-config.ts';

interface Judging {
  readonly call: OpenToolCall | OpenKeptCall;
  readonly verdict: ToolCallVerdict | undefined;
}

/**
 * The tool calls of a run that have begun and not ended, by id, and the callers that wait for their verdicts.
 */
export class OpenCalls {
  readonly #config: HookSystemConfig;
  readonly #calls = new Map<string, Judging>();
  readonly #decided = new Map<string, ToolCallVerdict>();
  readonly #waiting = new Set<() => void>();

  constructor(config: HookSystemConfig) {
    this.#config = config;
  }

  /** Begins a call and returns its verdict. */
  async begin(request: ToolCallRequest, options: BeginToolCallOptions): Promise<ToolCallVerdict> {
    const call = beginToolCall(this.#config, request, options);
    this.#calls.set(request.id, { call, verdict: undefined });
    const verdict = await call.verdict;
    this.keep(request.id, call, verdict);
    return verdict;
  }

  /** Keeps a call that was judged, under the framework's id. */
  keep(id: string, call: OpenToolCall | OpenKeptCall, verdict: ToolCallVerdict): void {
    this.#calls.set(id, { call, verdict });
    this.#decided.set(id, verdict);
    this.#wake();
  }

  /** Takes out a call whose tool has run. */
  async take(id: string): Promise<OpenToolCall | undefined> {
    const judging = this.#calls.get(id);
    this.#calls.delete(id);
    // It ran, so the user has approved it.
    if (judging?.verdict?.status === 'asked') await judging.call.answer(true);
    return judging?.call;
  }

  /** What was decided about a call; forgotten once the call is settled. */
  verdictOf(id: string): ToolCallVerdict | undefined {
    return this.#decided.get(id);
  }

  /** Resolves when a verdict arrives or calls are settled. */
  changed(): Promise<void> {
    return new Promise((resolve) => this.#waiting.add(resolve));
  }

  /** Forgets calls whose results the model has read: nobody needs them any more. */
  settle(ids: Iterable<string>, reason: string): void {
    for (const id of ids) {
      void this.#calls.get(id)?.call.cancel(reason);
      this.#calls.delete(id);
      this.#decided.delete(id);
    }
    this.#wake();
  }

  /** Ends all calls except those kept beyond the process, which go on waiting. */
  endAll(reason: string): void {
    for (const [id, { call }] of this.#calls)
      if (isKept(call)) {
        call.leave();
        this.#calls.delete(id);
      }
    this.settle([...this.#calls.keys(), ...this.#decided.keys()], reason);
  }

  #wake(): void {
    for (const resolve of this.#waiting) resolve();
    this.#waiting.clear();
  }
}
