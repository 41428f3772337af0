import type { NeutralRequest, NeutralResponse } from '../../../core/calls/run-model-call.ts';
import type { TokenUsage } from '../../../guards/budget/usage.ts';

/** A JSON object. */
export type Fields = Readonly<Record<string, unknown>>;

/** An event of a streamed answer: its name, if the format has names, and its data. */
export interface StreamEvent {
  readonly name?: string | undefined;
  /** A JSON object, or the text that ends a stream. */
  readonly data: Fields | string;
}

/** What an event of a stream belongs to. */
export type EventPart =
  /** A piece of the text of a block; `text` is '' where the block begins or ends. */
  | { readonly of: 'text'; readonly block: string; readonly text: string }
  /** A piece of a tool call. */
  | { readonly of: 'call'; readonly block: string }
  /** What ends the answer: the reason, the usage. */
  | { readonly of: 'end' }
  /** Something between, before or after texts and calls. */
  | { readonly of: 'other' }
  /** Something that may come anywhere, such as a sign of life. */
  | { readonly of: 'aside' };

/** A tool call as a stream told it. */
export interface StreamedCall {
  readonly id: string;
  readonly name: string;
  /** Its arguments as text: JSON, unless the tool takes plain text. */
  readonly args: string;
}

/** What was told of an answer in the place of what the model said. */
export interface Told {
  /** The texts by block, for those that differ. */
  readonly texts: ReadonlyMap<string, string>;
  /** The arguments of calls by id, for those that differ. */
  readonly args: ReadonlyMap<string, string>;
  /** Why calls were not passed on, by their ids. */
  readonly refused: ReadonlyMap<string, string>;
  /** Whether a call was passed on. */
  readonly hasCalls: boolean;
}

/** Puts the events of a stream together, one by one. */
export interface Joiner {
  add(event: StreamEvent): void;
  /** The whole answer, as the provider would have given it without a stream; as far as it has arrived. */
  answer(): Fields;
  /** Whether the answer is complete. */
  readonly isComplete: boolean;
}

/** A provider's format of model calls: one table each. */
export interface ModelFormat {
  readonly name: string;
  /** The paths of its model calls. */
  readonly path: RegExp;
  /** Whether a request asks for a stream. */
  readonly streams: (body: Fields, url: string) => boolean;
  readonly request: {
    readonly read: (body: Fields, url: string) => NeutralRequest;
    /** The body with the changes that hooks made; what they left alone stays as it was. */
    readonly write: (changed: NeutralRequest, given: NeutralRequest, body: Fields) => Fields;
  };
  readonly answer: {
    readonly read: (answer: Fields) => NeutralResponse;
    /** The answer as hooks left it; without `answer`, one in the model's place. */
    readonly write: (
      response: NeutralResponse,
      answer: Fields | undefined,
      model: string,
    ) => Fields;
    readonly usage: (answer: Fields) => TokenUsage | undefined;
  };
  readonly stream: {
    readonly join: () => Joiner;
    readonly of: (answer: Fields) => readonly StreamEvent[];
    /** An event as several, each of which belongs to one block. */
    readonly split?: (event: StreamEvent) => readonly StreamEvent[];
    readonly part: (event: StreamEvent) => EventPart;
    /** The same piece of a text with other text. */
    readonly withText: (event: StreamEvent, text: string) => StreamEvent;
    /** Texts that an event tells whole, by block. */
    readonly wholeTexts?: (event: StreamEvent) => readonly (readonly [string, string])[];
    readonly call: (events: readonly StreamEvent[]) => StreamedCall;
    readonly withArgs: (events: readonly StreamEvent[], args: string) => readonly StreamEvent[];
    /** A text in the place of a call. */
    readonly inPlace: (events: readonly StreamEvent[], text: string) => readonly StreamEvent[];
    /** An event that repeats what came before, or says how the answer ended, with what was told. */
    readonly settled: (event: StreamEvent, told: Told) => StreamEvent;
    /** What ends a stream now, after the events that were sent. */
    readonly close: (sent: Joiner) => readonly StreamEvent[];
    /** What tells the agent that the stream broke off. */
    readonly failure: (message: string) => StreamEvent;
  };
  /** What a stream may contain anywhere as a sign of life; absent if nothing may. */
  readonly alive?: string;
  /** The body of an error. */
  readonly error: (status: number, message: string) => Fields;
}
