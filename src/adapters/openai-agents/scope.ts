import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import { textsIn } from '../../protocol/tool-result.ts';
import type { AgentHooks } from '../agent-hooks.ts';
import { inputOf } from './items.ts';
import type { Item, ModelRequest } from './types.ts';

/** The run that is under way, with the hooks around it; what runs within it finds it here, agents within agents too. */
export const runs = new AsyncLocalStorage<Run>();

/**
 * The hooks around the runs of a runner, or of an agent, and what they decided about handoffs: the SDK
 * does not say for which call it hands off.
 */
export class Run {
  readonly hooks: AgentHooks;
  /** The user's own agent started another, which is running. */
  readonly isSubagent: boolean;
  /** Calls of handoffs by what was asked for, in their order. */
  readonly #judged = new Map<string, string[]>();
  /** By call, why a handoff does not happen. */
  readonly #refused = new Map<string, string>();

  constructor(hooks: AgentHooks, isSubagent = false) {
    this.hooks = hooks;
    this.isSubagent = isSubagent;
  }

  /** Judges a handoff that a model wants. There is nothing to wait for: it is made at once, or not at all. */
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

  /** The request, in which the model reads why a handoff did not happen. */
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
