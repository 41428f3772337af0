type Fields = Readonly<Record<string, unknown>>;

/** An event of a past session, as its agent's hooks would have received it. */
export interface PastEvent {
  readonly kind: 'event';
  /** The name of the dialect that spells the event and its fields. */
  readonly dialect: string;
  readonly event: string;
  readonly given: Fields;
  readonly session?: string;
  /** The folder that the session began in. */
  readonly folder?: string;
  /** When it happened, in ms since 1970, if the file says. */
  readonly at?: number;
}

/** Something that could not be understood. It is skipped; the rest still counts. */
export interface PastFault {
  readonly kind: 'fault';
  /** In words that continue "line 7 …". */
  readonly message: string;
}

export type Found = PastEvent | PastFault;

/** How an agent stores its sessions, one record a line. */
export interface LineFormat {
  /** The name of the agent that writes these files, for people. */
  readonly title: string;
  /** Whether a file that begins with this record is in this format. */
  readonly recognizes: (record: Fields) => boolean;
  /** Reads the records of one file, in order. */
  readonly reader: (file: string) => (record: Fields) => Iterable<Found>;
}

export const fault = (message: string): PastFault => ({ kind: 'fault', message });

/** Calls whose results are yet to come. */
export interface OpenCalls {
  begin(id: unknown, call: Fields): void;
  /** The call that this ends; undefined if it is not known. */
  end(id: unknown): Fields | undefined;
}

/** How many calls of a file may be open at once before the oldest are forgotten. */
const mostOpen = 1_000;

/** Tracks the calls of one file, which may be long, and whose calls need not all have results. */
export function openCalls(): OpenCalls {
  const calls = new Map<unknown, Fields>();
  return {
    begin(id, call) {
      if (calls.size >= mostOpen) calls.delete(calls.keys().next().value);
      calls.set(id, call);
    },
    end(id) {
      const call = calls.get(id);
      calls.delete(id);
      return call;
    },
  };
}

/** The time in a record, in ms since 1970. */
export function timeIn({ timestamp, lastUpdated }: Fields): number | undefined {
  const said = timestamp ?? lastUpdated;
  const at = isText(said) ? Date.parse(said) : said;
  return typeof at === 'number' && Number.isFinite(at) ? at : undefined;
}

export const isText = (value: unknown): value is string => typeof value === 'string';
