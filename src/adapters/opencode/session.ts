import type { EventContext } from '../../core/answers/event-context.ts';
import type { HookSystemConfig } from '../../hosts/system/hook-system-config.ts';
import { warn } from '../../base/log.ts';
import type { AggregatedHookResult } from '../../core/answers/results.ts';
import { OpenCalls } from '../parts/open-calls.ts';
import type { AdapterOptions } from '../parts/options.ts';
import type { OpenModelCall } from './open-model-call.ts';
import type { Client, Entry, Part } from './types.ts';

/** What all sessions of a plugin share. */
export interface Plugin {
  readonly config: HookSystemConfig;
  readonly options: AdapterOptions;
  readonly client: Client;
  /** The names of the tools that OpenCode has announced. */
  readonly tools: Set<string>;
}

/** One of OpenCode's sessions, and what is under way in it. */
export class Session {
  readonly id: string;
  readonly calls: OpenCalls;
  /** Whether another session's agent started it. */
  readonly isSubagent: boolean;
  /** How it began, as far as we know. */
  readonly source: 'startup' | 'resume';
  /** Whether its first hooks have run. */
  hasBegun = false;
  agent = '';
  prompt = '';
  /** The texts of the last answer. */
  response: { readonly messageId: string; readonly texts: string[] } | undefined;
  /** How often hooks have made the agent continue in this turn. */
  rounds = 0;
  /** What hooks make the agent continue with; it is not a prompt of the user's. */
  next: string | undefined;
  /** Why a hook stopped the turn; nothing more runs in it. */
  stopped: string | undefined;
  model: OpenModelCall | undefined;
  readonly #plugin: Plugin;
  #abort = new AbortController();

  constructor(
    plugin: Plugin,
    id: string,
    how: { readonly isSubagent: boolean; readonly source: 'startup' | 'resume' },
  ) {
    this.#plugin = plugin;
    this.id = id;
    this.isSubagent = how.isSubagent;
    this.source = how.source;
    this.calls = new OpenCalls(plugin.config);
  }

  /** What all events of the session share, and the signal that cancels its hooks. */
  get context(): EventContext & { readonly signal: AbortSignal } {
    return {
      sessionId: this.id,
      signal: this.#abort.signal,
      ...(this.isSubagent && { invokedBy: 'subagent' }),
    };
  }

  /** Begins a turn; an earlier stop does not apply to it. */
  begin(prompt: string): void {
    this.prompt = prompt;
    this.response = undefined;
    this.rounds = 0;
    this.stopped = undefined;
  }

  /** Records a finished text of an answer. */
  said(messageId: string, text: string): void {
    if (this.response?.messageId === messageId) this.response.texts.push(text);
    else this.response = { messageId, texts: [text] };
  }

  /** Stops the turn: OpenCode ends it, and what it still begins is refused. */
  stop(reason: string): void {
    if (this.stopped !== undefined) return;
    this.stopped = reason;
    const { options, client } = this.#plugin;
    if (options.onStop) options.onStop(reason);
    else void quietly(client.tui.showToast({ body: { message: reason, variant: 'warning' } }));
    // Not awaited: it waits for the callback that requests it.
    void quietly(client.session.abort({ path: { id: this.id } }));
  }

  /** @throws the reason, if a hook has stopped the turn */
  refuseStopped(): void {
    if (this.stopped !== undefined) throw new Error(this.stopped);
  }

  /** Cancels what is under way, because nobody waits for it any more. */
  cancel(reason: string): void {
    this.model = undefined;
    this.#abort.abort(new Error(reason));
    this.#abort = new AbortController();
    this.calls.endAll(reason);
  }
}

/** Reports what the hooks of an event say to the user alone. */
export function report(plugin: Plugin, result: AggregatedHookResult | undefined): void {
  const notice = result?.verdict.notice;
  if (notice !== undefined) tellUser(plugin, notice);
}

export function tellUser({ options, config }: Plugin, notice: string): void {
  if (options.onNotice) options.onNotice(notice);
  else warn(config.onWarning, notice);
}

/** The text of a message, without OpenCode's own additions. */
export const textOf = (parts: readonly Part[]): string =>
  parts
    .filter(({ type, synthetic }) => type === 'text' && !synthetic)
    .map(({ text }) => text ?? '')
    .join('\n');

/** The messages of a session; none if they cannot be read. */
export async function messagesOf({ client }: Plugin, id: string): Promise<readonly Entry[]> {
  const answer = await quietly(client.session.messages({ path: { id } }));
  return answer?.data ?? [];
}

/** Awaits a request that may fail without consequence. */
export async function quietly<Value>(request: PromiseLike<Value>): Promise<Value | undefined> {
  try {
    return await request;
  } catch {
    return undefined;
  }
}
