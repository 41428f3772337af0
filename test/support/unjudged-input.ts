import { guardedEvents, type GuardedEvent } from './host-events.ts';

const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);

/** The event's text with something in the place of the tool's arguments or the prompt, or without them. */
const withField = ({ given, field }: GuardedEvent, value?: unknown): string =>
  JSON.stringify({ ...given, [field]: value });

const isOfObject = ({ given, field }: GuardedEvent): boolean => typeof given[field] === 'object';

const deep = (event: GuardedEvent, levels: number): string => {
  const { given, field } = event;
  const value = isOfObject(event) ? { ...(given[field] as object), extra: 'DEEP' } : given[field];
  const text = JSON.stringify({ ...given, [field]: value, other: 'DEEP' });
  return text.replaceAll('"DEEP"', nested(levels));
};

type Fault = readonly [
  name: string,
  /** The input of the relay; undefined where the host may send this. */
  make: (event: GuardedEvent) => string | Buffer | undefined,
  why: RegExp,
];

const ofObjects =
  (value: unknown): Fault[1] =>
  (event) =>
    isOfObject(event) ? withField(event, value) : undefined;

/** Whatever does not name the event is an event only where the command line names it. */
const whereNamed =
  (text: string): Fault[1] =>
  ({ isNamed }) =>
    isNamed ? text : undefined;

const text = ({ given }: GuardedEvent): string => JSON.stringify(given);

/** Inputs that cannot be judged, with the reason of the denial. */
const faults: readonly Fault[] = [
  ['1,500 levels', (event) => deep(event, 1_500), /nested more than 1,000 levels deep/],
  ['200,000 levels', (event) => deep(event, 200_000), /nested more than 1,000 levels deep/],
  ['nothing judged', (event) => withField(event), /does not match/],
  ['a number', (event) => withField(event, 7), /does not match/],
  ['a text', ofObjects('x'), /does not match/],
  ['a list', ofObjects([]), /does not match/],
  ['null', (event) => withField(event, null), /does not match/],
  ['the last brace missing', (event) => text(event).slice(0, -1), /is not valid JSON/],
  ['its end missing', (event) => text(event).slice(0, -5), /is not valid JSON/],
  ['something after it', (event) => `${text(event)}x`, /is not valid JSON/],
  ['a line break in a string', (event) => text(event).replace(/(ls|hi|m|a)"([,}])/, '$1\n"$2'), /is not valid JSON/], // prettier-ignore
  [
    'bytes that are not UTF-8',
    (event) =>
      Buffer.concat([Buffer.from(text(event).slice(0, -1)), Buffer.from(',"z":"\xff"}', 'latin1')]),
    /is not valid UTF-8/,
  ],
  ['no input', whereNamed(''), /stdin is empty/],
  ['a list as input', whereNamed('[]'), /must hold one JSON object/],
];

/** An input that a relay cannot judge. */
export interface UnjudgedInput {
  readonly name: string;
  readonly event: GuardedEvent;
  readonly input: string | Buffer;
  readonly why: RegExp;
}

/** Every fault at every event where it is one. */
export const unjudgedInputs: readonly UnjudgedInput[] = guardedEvents.flatMap((event) =>
  faults.flatMap(([fault, make, why]) => {
    const input = make(event);
    const name = `${event.host} ${event.event}: ${fault}`;
    return input === undefined ? [] : [{ name, event, input, why }];
  }),
);
