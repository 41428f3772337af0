import type { HookEventName } from '../../core/protocol/events.ts';
import type { HookDefinition } from '../../core/definitions/hook-definition.ts';

/** What every host's table says about an event. */
interface HostEvent {
  /** Our name for the event. */
  readonly at: HookEventName;
}

/** A host's events by its own names. */
export interface EventTable<Name extends string, Event extends HostEvent> {
  readonly names: readonly Name[];
  /** Those that exist in other hosts too. */
  readonly shared: readonly Name[];
  /** Our name for each event. */
  readonly ours: Readonly<Record<Name, HookEventName>>;
  /** What the engine must know about an event. */
  readonly traitsOf: (name: Name) => Event;
  /**
   * The host's name for a hook's event. If the definition does not give one, it is the first of those that
   * are the same event to us.
   */
  readonly eventOf: (hook: Pick<HookDefinition, 'nativeEvent' | 'event'>) => Name;
  /** Events as hooks of them are defined that deny in place of unknown ones. */
  readonly guards: (
    ...names: readonly Name[]
  ) => readonly { readonly event: HookEventName; readonly nativeEvent: Name }[];
}

/** Makes the table of a host's events; the literal has their names as its keys. */
export function eventTable<Name extends string, Event extends HostEvent>(
  events: Readonly<Record<Name, Event>>,
): EventTable<Name, Event> {
  const names = Object.keys(events) as Name[];
  return {
    names,
    shared: names.filter((name) => !events[name].at.startsWith('host.')),
    ours: Object.fromEntries(names.map((name) => [name, events[name].at])) as Record<
      Name,
      HookEventName
    >,
    traitsOf: (name) => events[name],
    eventOf: ({ nativeEvent, event }) =>
      (nativeEvent ?? names.find((name) => events[name].at === event)) as Name,
    guards: (...guarded) =>
      guarded.map((nativeEvent) => ({ event: events[nativeEvent].at, nativeEvent })),
  };
}
