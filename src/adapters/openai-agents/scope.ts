import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import { textsIn } from '../../core/protocol/tool-result.ts';
import type { AgentHooks } from '../parts/agent-hooks.ts';
import { inputOf } from './items.ts';
import type { Item, ModelRequest } from './types.ts';

/**
 * The current run, with the hooks around it. Everything that runs within it finds it here, agents within
 * agents too.
 */
export const runs = new AsyncLocalStorage<Run>();

/**
 * The hooks around the runs of a runner or of an agent, and what they decided about handoffs: the SDK does
 * not say which call a handoff belongs to.
 */
export class Run {
  readonly hooks: AgentHooks;
  /** Whether the running agent was started by the user's own agent. */
  readonly isSubagent: boolean;
  /** The ids of handoff calls by what was asked for, in their order. */
  readonly #judged = new Map<string, string[]>();
  /** Why a handoff does not happen, by call id. */
  readonly #refused = new Map<string, string>();

  constructor(hooks: AgentHooks, isSubagent = false) {
    this.hooks = hooks;
    this.isSubagent = isSubagent;
  }

  /** Judges a handoff that a model wants. Nothing waits for it later: it happens at once, or not at all. */
  async judgeHandoff({ callId = '', name = '', arguments: json = '' }: Item): Promise<void> {
    const reason = await this.#refusalOf(callId, name, json);
    if (reason !== undefined) this.#refused.set(callId, reason);
    const key = keyOf(name, json);
    this.#judged.set(key, [...(this.#judged.get(key) ?? []), callId]);
  }

  /** Whether hooks let a handoff happen; one that was not judged is judged now. */
  async allowsHandoff(name: string, json: string): Promise<boolean> {
    const callIds = this.#judged.get(keyOf(name, json)) ?? [];
    const callId = callIds.shift();
    if (callIds.length === 0) this.#judged.delete(keyOf(name, json));
    if (callId !== undefined) return !this.#refused.has(callId);
    return (await this.#refusalOf(randomUUID(), name, json)) === undefined;
  }

  async #refusalOf(id: string, name: string, json: string): Promise<string | undefined> {
    let isAllowed = false;
    const { toolResult } = await this.hooks.tool(
      {
        id,
        name,
        input: inputOf(json),
        // The SDK has no approval for handoffs.
        confirm: () => false,
        isSubagent: this.isSubagent,
      },
      async () => {
        isAllowed = true;
        return { llmContent: '', returnDisplay: '' };
      },
    );
    return isAllowed ? undefined : textsIn(toolResult.llmContent);
  }

  /** The request with the reasons why handoffs did not happen, for the model. */
  withRefusals(request: ModelRequest): ModelRequest {
    const { input } = request;
    if (this.#refused.size === 0 || typeof input === 'string') return request;
    return {
      ...request,
      input: input.map((item) => {
        const reason = this.#refused.get(item.callId ?? '');
        return reason === undefined || item.type !== 'function_call_result'
          ? item
          : { ...item, output: { type: 'text', text: reason } };
      }),
    };
  }
}

const keyOf = (name: string, json: string): string => `${name} ${json}`;
