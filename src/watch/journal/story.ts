import { isRecord } from '../../base/json.ts';
import type { CallAccount, EventAccount, HookAccount } from './account.ts';
import { valueOf } from './payload-lines.ts';
import { type Decider, decidersOf, deniersOf, hookThat, stopperOf } from './who-decided.ts';

/** A field that hooks set and that took effect. */
export interface Change {
  readonly event: string;
  /** As the verdict names it, such as `tool_input.command`. */
  readonly field: string;
  /** The hook whose value applies. */
  readonly by: string;
  /** Whether the field existed before hooks changed it: an argument, or a part of a request or an answer. */
  readonly isRewrite: boolean;
  /** Its values before and after; only if payloads were recorded. */
  readonly before?: unknown;
  readonly after?: unknown;
}

/** What really happened in a call; its status tells only part of it. */
export interface Story {
  /** How it ended; for an event on its own, what its hooks decided. Undefined if it had not ended. */
  readonly status: string | undefined;
  /** The hooks that caused this end. */
  readonly by: readonly Decider<HookAccount>[];
  /** The hooks that denied the call after it had run. */
  readonly late: readonly Decider<HookAccount>[];
  /** What hooks changed in a call that continued. */
  readonly changes: readonly Change[];
  /** The hooks that failed or took too long. */
  readonly failed: readonly HookAccount[];
}

export function storyOf(call: CallAccount): Story {
  const { events } = call;
  const status = statusOf(call);
  const isOver = status !== undefined;
  const isDone = status === 'done' || status === 'settled';
  return {
    status,
    by: isOver && !isDone ? decided(call, status) : [],
    late: status === 'done' ? decidersOf('blocked', events) : [],
    changes: isDone || status === 'finished' || status === 'stopped' ? changesOf(call) : [],
    failed: events.flatMap(({ hooks }) =>
      hooks.filter(({ answer }) => answer !== undefined && hasFailed(answer.status)),
    ),
  };
}

/** Whether a hook with this status has failed. */
export const hasFailed = (status: string): boolean => status === 'failed' || status === 'timedOut';

function statusOf({ machine, status, events: [event] }: CallAccount): string | undefined {
  if (machine !== 'hookEvent' || status !== 'settled') return status;
  return event?.verdict?.blocked ? 'blocked' : event?.verdict?.stop ? 'stopped' : status;
}

/** Only calls with these statuses were ended by hooks. */
const byHooks = ['blocked', 'stopped', 'answered'];

function decided({ machine, events }: CallAccount, status: string): Decider<HookAccount>[] {
  const [event] = events;
  if (machine === 'hookEvent' && event)
    return status === 'blocked' ? deniersOf(event) : status === 'stopped' ? [stopperOf(event)] : [];
  return byHooks.includes(status) ? decidersOf(status, events) : [];
}

/** A decision is not a change, and neither is a message that comes with it. */
const noChanges = ['decision', 'continue', 'systemMessage', 'suppressOutput'];

function changesOf(call: CallAccount): Change[] {
  return call.events.flatMap((event) =>
    Object.entries(event.verdict?.setBy ?? {})
      .filter(([field]) => !noChanges.includes(field))
      .map(([field, by]) => changeOf(field, by, event, call))
      .filter(({ before, after }) => before === undefined || !isSame(before, after)),
  );
}

/** What hooks receive as a whole and may change in part. */
const slots = ['tool_input', 'llm_request', 'llm_response'];

function changeOf(field: string, by: string, event: EventAccount, call: CallAccount): Change {
  const hook = hookThat(event.hooks, by, ({ sets }) => sets?.includes(field) ?? false);
  const after = valueOf(field, hook?.answer?.payload?.output);
  const slot = slots.find((name) => field === name || field.startsWith(`${name}.`));
  const given =
    slot === 'tool_input' && call.machine === 'toolCall' ? call.given : slotOf(event, slot);
  const before =
    field === slot ? given : isRecord(given) ? given[field.slice(slot!.length + 1)] : undefined;
  return {
    event: event.event,
    field,
    by,
    isRewrite: slot !== undefined,
    ...(before !== undefined && { before }),
    ...(after !== undefined && { after }),
  };
}

const slotOf = ({ given }: EventAccount, slot: string | undefined): unknown =>
  slot !== undefined && isRecord(given) ? given[slot] : undefined;

const isSame = (one: unknown, other: unknown): boolean =>
  JSON.stringify(one) === JSON.stringify(other);
