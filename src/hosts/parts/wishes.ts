import { hookPointOf, type HookEventName, type Slot } from '../../core/points/hook-points.ts';
import { textsIn } from '../../core/protocol/tool-result.ts';
import { defaultReason } from '../../core/answers/answer.ts';
import { joinTexts } from '../../core/answers/merge-effects.ts';
import type { EventOutcome, Wanted, Wishes } from '../../core/dialects/speaker.ts';
import type { Verdict } from '../../core/answers/verdict.ts';

type Wish = keyof Wanted;

/** A wish that a host does not receive. */
export interface LostWish {
  readonly kind: Wish;
  /** What it is, for sinks without payloads. */
  readonly name: string;
  /** What it is, with the beginning of its text. */
  readonly quoted: string;
}

/** The wishes in a verdict, and which of them were taken. */
export class AllWishes implements Wishes {
  readonly #wanted: Partial<Wanted>;
  readonly #taken = new Set<Wish>();

  constructor(at: HookEventName, { verdict, toolInput, toolResponse }: EventOutcome) {
    const { decision, reason, stop, stopReason, context, hide, changes } = verdict;
    const { approved } = verdict;
    const message = joinTexts([verdict.message, verdict.notice]);
    const why = present(reason);
    const whyStop = present(stopReason) ?? why ?? defaultReason;
    const { denial, needsGuards } = hookPointOf(at);
    // A stop takes precedence over everything that would keep the agent working.
    const ends = stop && denial === 'sends on';
    const followUps = ends ? [] : verdict.followUps;
    // After a stop, no tool runs and no prompt is sent.
    const denies = (decision === 'deny' && !ends) || (stop && needsGuards);
    this.#wanted = {
      ...(denies && { deny: why ?? (stop ? whyStop : defaultReason) }),
      ...(!denies && decision === 'ask' && { ask: why ?? 'A hook asks for your decision' }),
      ...(!denies && decision === 'defer' && { defer: why ?? 'A hook deferred this' }),
      ...(!denies && decision === 'allow' && approved === true && { allow: why ?? '' }),
      ...(stop && { stop: whyStop }),
      ...(present(context) !== undefined && { context: context! }),
      ...(present(message) !== undefined && { message: message! }),
      ...(hide && { hide: true as const }),
      ...(toolInput && !denies && { toolInput }),
      ...(toolResponse && { toolResponse }),
      ...(followUps.length > 0 && { followUps }),
      ...changeOf(changes, 'llm_request', 'llmRequest'),
      ...changeOf(changes, 'llm_response', 'llmResponse'),
      ...changeOf(changes, 'toolConfig', 'toolConfig'),
    };
  }

  take<Kind extends Wish>(kind: Kind): Wanted[Kind] | undefined {
    this.#taken.add(kind);
    return this.#wanted[kind];
  }

  peek<Kind extends Wish>(kind: Kind): Wanted[Kind] | undefined {
    return this.#wanted[kind];
  }

  takeRefusal(): string | undefined {
    const stop = this.take('stop');
    return this.take('deny') ?? stop;
  }

  takeContinuation(): string | undefined {
    return joinTexts([this.take('deny'), ...(this.take('followUps') ?? [])]);
  }

  takeResult(): string | undefined {
    const response = this.take('toolResponse');
    return response && (present(textsIn(response['llmContent'])) ?? 'A hook removed the output.');
  }

  /** Returns the wishes that the host does not receive. */
  lost(): LostWish[] {
    return (Object.keys(this.#wanted) as Wish[])
      .filter((kind) => !this.#taken.has(kind))
      .map((kind) => ({ kind, name: names[kind], quoted: inWords(kind, this.#wanted[kind]) }));
  }
}

const present = (text: string | undefined): string | undefined =>
  text === undefined || text.trim() === '' ? undefined : text;

function changeOf(changes: Verdict['changes'], slot: Slot, kind: Wish): Partial<Wanted> {
  const change = changes[slot];
  return change ? { [kind]: 'whole' in change ? change.whole : change.patch } : {};
}

const names: Readonly<Record<Wish, string>> = {
  deny: 'a denial',
  ask: 'a request to ask the user',
  defer: 'a request to defer the call',
  allow: 'an approval',
  stop: 'a request to stop the agent',
  context: 'context',
  message: 'a message',
  hide: 'a request to hide the output from the user',
  toolInput: 'other arguments',
  toolResponse: 'another result',
  followUps: 'what the agent should do next',
  llmRequest: 'a new request to the model',
  llmResponse: 'a new response from the model',
  toolConfig: 'which tools should be offered',
};

function inWords(kind: Wish, wanted: unknown): string {
  return typeof wanted === 'string' && wanted !== ''
    ? `${names[kind]} (${JSON.stringify(wanted.length > 80 ? `${wanted.slice(0, 80)}…` : wanted)})`
    : names[kind];
}
