import { isRecord } from '../../base/json.ts';
import type { Item, StreamEvent } from './types.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Whether a provider's event is about a tool call. */
export const mentionsCall = (event: StreamEvent): boolean =>
  /_call|tool_calls|"arguments"/.test(JSON.stringify(event));

/**
 * The provider's events, of the Responses API or of Chat Completions, with the arguments that hooks left:
 * each call's in one piece.
 */
export function withArguments(
  events: readonly StreamEvent[],
  before: readonly Item[],
  after: readonly Item[],
): StreamEvent[] {
  const changed = new Map<string, Item>();
  for (const item of after)
    if (item.callId !== undefined && !before.includes(item)) changed.set(item.callId, item);
  const rewriting = new Rewriting(changed);
  return events
    .map((event) =>
      event.type === 'model' ? { ...event, event: rewriting.of(event.event) } : event,
    )
    .filter((event) => event.type !== 'model' || event.event !== undefined);
}

class Rewriting {
  readonly #changed: ReadonlyMap<string, Item>;
  /** The calls by the ids of their items, and by their places in a choice. */
  readonly #byItem = new Map<unknown, Item>();
  /** The calls whose arguments were emitted. */
  readonly #given = new Set<Item>();

  constructor(changed: ReadonlyMap<string, Item>) {
    this.#changed = changed;
  }

  /** Returns undefined for an event that has nothing left to say. */
  of(event: unknown): unknown {
    if (!isRecord(event)) return event;
    const item = this.#byItem.get(event['item_id']);
    if (item === undefined || !('delta' in event)) return this.#within(event);
    if (this.#given.has(item)) return undefined;
    this.#given.add(item);
    return { ...event, delta: item.arguments };
  }

  #within(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((entry) => this.#within(entry));
    if (!isRecord(value)) return value;
    const fields = Object.fromEntries(
      Object.entries(value).map(([key, entry]) => [key, this.#within(entry)]),
    );
    const item =
      this.#changed.get(value['call_id'] as string) ??
      (isRecord(value['function']) ? this.#called(value) : this.#byItem.get(value['item_id']));
    if (item === undefined) return fields;
    if (value['call_id'] !== undefined && value['id'] !== undefined)
      this.#byItem.set(value['id'], item);
    return { ...fields, ...this.#inPlaceOf(fields, item) };
  }

  /** The call that a Chat Completions delta belongs to: only the first delta of a call has its id. */
  #called({ id, index }: Fields): Item | undefined {
    const place = `choice ${String(index)}`;
    if (typeof id === 'string') {
      const item = this.#changed.get(id);
      if (item) this.#byItem.set(place, item);
      else this.#byItem.delete(place);
    }
    return this.#byItem.get(place);
  }

  #inPlaceOf(fields: Fields, item: Item): Fields {
    if (isRecord(fields['function'])) {
      const isFirst = !this.#given.has(item);
      this.#given.add(item);
      return { function: { ...fields['function'], arguments: isFirst ? item.arguments : '' } };
    }
    return {
      ...('arguments' in fields && fields['arguments'] !== '' && { arguments: item.arguments }),
      ...('action' in fields && item.action && { action: item.action }),
      ...('operation' in fields && item.operation && { operation: item.operation }),
    };
  }
}
