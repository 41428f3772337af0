import type {
  AnsweredEntry,
  EndedEntry,
  JournalEntry,
  MovedEntry,
  StartedEntry,
  VerdictEntry,
} from '../../journal/entry.ts';
import type { Step } from '../history.ts';

/** Steps of a run as they were sent: pairs of a time and the index of a step in `steps`. */
export interface SentMoves {
  readonly steps: readonly Step[];
  readonly pairs: readonly number[];
}

/** Something that ran: a turn, a call, an event or a hook. */
export class Run {
  readonly id: string;
  readonly machine: string;
  readonly name: string;
  readonly at: number;
  readonly started: StartedEntry | undefined;
  readonly parent: Run | undefined;
  children: Run[] = [];
  /** The row that it is shown in; for a row, itself. */
  row!: Row;
  #moves: MovedEntry[] = [];
  /** Moves that nobody has read yet. */
  #sent: SentMoves[] = [];
  answer: AnsweredEntry | undefined;
  verdict: VerdictEntry | undefined;
  ended: EndedEntry | undefined;

  constructor(started: StartedEntry, parent: Run | undefined, row?: Row) {
    this.id = started.id;
    this.machine = started.machine;
    this.name = started.name;
    this.at = started.at;
    this.started = started;
    this.parent = parent;
    if (row) this.row = row;
  }

  /** The steps of its machine. */
  get moves(): readonly MovedEntry[] {
    for (const { steps, pairs } of this.#sent)
      for (let i = 0; i < pairs.length; i += 2) {
        const [to, event, from] = steps[pairs[i + 1]!]!;
        const step = { to, event, ...(from !== undefined && { from }) };
        this.#moves.push({ kind: 'moved', at: pairs[i]!, id: this.id, ...step });
      }
    if (this.#sent.length > 0) this.#sent = [];
    return this.#moves;
  }

  move(moves: SentMoves): void {
    this.#sent.push(moves);
  }

  get end(): number | undefined {
    return this.ended?.at;
  }
}

/** A run that has a row of its own, or a session. */
export class Row extends Run {
  readonly kind: 'call' | 'turn' | 'session';
  /** Undefined for a session. */
  readonly session: Session | undefined;
  /** The rows below it. */
  lanes: Row[] = [];
  /** The row below which it is placed. */
  group: Row | undefined;
  level = 1;
  /** For a turn: its number within its session. */
  number = 0;
  /** Increases with everything that is reported about it. */
  version = 0;
  /** All entries about it and the runs in its row, except their steps, in order of arrival. */
  readonly entries: JournalEntry[] = [];
  readonly events = new Set<string>();
  readonly decisions = new Set<string>();
  /** The text that a search looks at, and the version of the row that it was made from. */
  text = '';
  textVersion = -1;

  constructor(
    started: StartedEntry,
    parent: Run | undefined,
    session: Session | undefined,
    kind: Row['kind'],
  ) {
    super(started, parent);
    this.row = this;
    this.session = session;
    this.kind = kind;
  }

  /** Whether it is a call of a tool or of the model. */
  get isCall(): boolean {
    return isCall(this);
  }
}

/** Everything that ran in one session. */
export class Session extends Row {
  callCount = 0;
  turnCount = 0;

  constructor(name: string, at: number) {
    // A session is not a run; which machine stands in here does not matter.
    const started = { kind: 'started', id: `session ${name}`, session: name, name, at } as const;
    super({ ...started, machine: 'agentTurn' }, undefined, undefined, 'session');
  }
}

/** Whether a run is a call of a tool or of the model. */
export const isCall = ({ machine }: Run): boolean =>
  machine === 'toolCall' || machine === 'modelCall';

export const isSession = (row: Row): row is Session => row.kind === 'session';

/** Returns the times at which anything happened in a row, in order. */
export const timesOf = (row: Row): number[] =>
  [row.entries, ...Array.from(partsOf(row), ({ moves }) => moves)]
    .flatMap((entries) => entries.map(({ at }) => at))
    .toSorted((a, b) => a - b);

/**
 * Yields the run and everything that belongs to it and has no row of its own, in the order in which they
 * began.
 */
export function* partsOf(run: Run): Generator<Run> {
  yield run;
  for (const child of run.children) if (child.row === run.row) yield* partsOf(child);
}
