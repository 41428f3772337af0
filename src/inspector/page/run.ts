import type {
  AnsweredEntry,
  EndedEntry,
  JournalEntry,
  MovedEntry,
  StartedEntry,
  VerdictEntry,
} from '../../journal/entry.ts';
import type { Step } from '../history.ts';

/** Steps of a run as they were sent: pairs of when it moved and which of the steps it took. */
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
  /** The row that it is shown in; a row is its own. */
  row!: Row;
  #moves: MovedEntry[] = [];
  /** Those that nobody has looked at yet. */
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
  /** Absent of a session. */
  readonly session: Session | undefined;
  /** The rows below it. */
  lanes: Row[] = [];
  /** The row that it stands below. */
  group: Row | undefined;
  level = 1;
  /** Of a turn: which of its session it is. */
  number = 0;
  /** Grows with all that is reported of it. */
  version = 0;
  /** All that was reported of it and of the runs in its row but their steps, in the order in which it came. */
  readonly entries: JournalEntry[] = [];
  readonly events = new Set<string>();
  readonly decisions = new Set<string>();
  /** What it is searched for by, and of which version that is. */
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

  /** Whether the tool or the model was called. */
  get isCall(): boolean {
    return isCall(this);
  }
}

/** All that ran of one session. */
export class Session extends Row {
  callCount = 0;
  turnCount = 0;

  constructor(name: string, at: number) {
    // A session is no run, and the name of a machine may be anything.
    const started = { kind: 'started', id: `session ${name}`, session: name, name, at } as const;
    super({ ...started, machine: 'agentTurn' }, undefined, undefined, 'session');
  }
}

/** Whether it is a call, of a tool or of the model. */
export const isCall = ({ machine }: Run): boolean =>
  machine === 'toolCall' || machine === 'modelCall';

export const isSession = (row: Row): row is Session => row.kind === 'session';

/** When anything happened in a row, in order. */
export const timesOf = (row: Row): number[] =>
  [row.entries, ...Array.from(partsOf(row), ({ moves }) => moves)]
    .flatMap((entries) => entries.map(({ at }) => at))
    .toSorted((a, b) => a - b);

/** The run and all that belong to it and have no row of their own, in the order they began. */
export function* partsOf(run: Run): Generator<Run> {
  yield run;
  for (const child of run.children) if (child.row === run.row) yield* partsOf(child);
}
