import { randomUUID } from 'node:crypto';
import type { AnyStateMachine, InspectionEvent, StateNode, StateValue } from 'xstate';
import type { AnswerStreamContext, AnswerStreamInput } from '../../../machines/answer-stream.ts';
import type {
  HookAnswer,
  HookEventOutcome,
  HookEventContext,
  HookPayload,
} from '../../../machines/hook-event.ts';
import type { HookProcessInput, HookProcessOutcome } from '../../../machines/hook-process.ts';
import { messageOf } from '../../base/message-of.ts';
import { debugChannel, type PlainWarning, type WarningSink } from '../../base/log.ts';
import { beginningOf, longestName } from './beginning.ts';
import { ending, verdictOf, type Outcome } from './ending.ts';
import type { JournalEntry, JournaledMachine } from './entry.ts';
import { answered, longestReason } from './hook-answer.ts';
import type { InspectObserver } from '../../core/host/config.ts';
import { redactor, type Redactor } from '../../settings/redaction/redactor.ts';

const debug = debugChannel('system');

export interface JournalOptions {
  /** Whether arguments, prompts, results, and what hooks read and wrote are recorded too; default: false. */
  readonly payloads?: boolean;
  /** Whether each step of a machine is recorded, not only its beginning and its end; default: true. */
  readonly moves?: boolean;
  /**
   * Returns the time in ms since 1970, with fractions; for observers that learn of events later than they
   * happened.
   */
  readonly now?: () => number;
  /** What is never recorded: names of keys, and expressions written as `/…/flags`. */
  readonly redact?: readonly string[];
  /** Called once for an expression that takes too long. */
  readonly onProblem?: (text: string) => void;
}

/** Records the machines of a session as small entries with a time. */
export interface Journal {
  /** To be passed as a config's `inspect`. It never throws. */
  readonly observe: InspectObserver;
  /** To be called from a config's `onWarning`. */
  readonly warned: WarningSink;
  /** How many machines are running; nothing is kept about any others. */
  readonly running: number;
}

/** A machine that has begun and not ended. */
interface Run {
  readonly id: string;
  readonly session: string;
  readonly machine: JournaledMachine;
  state: string;
  readonly children: ActorRef[];
  /** For an answer's text: the states that it was in, each of which is reported once. */
  readonly passed: Set<string>;
  /** The runs of hooks by plan position, and which of them have answered. */
  readonly hooks: string[];
  readonly answered: Set<number>;
}

/** The part of an actor that the journal uses. */
interface ActorRef {
  readonly id: string;
  readonly logic: { readonly config?: { readonly id?: unknown }; readonly root?: StateNode };
  readonly options: { readonly input?: unknown };
  readonly _parent?: ActorRef;
  getSnapshot(): Snapshot;
}

interface Snapshot {
  readonly status: 'active' | 'done' | 'error' | 'stopped';
  readonly value?: StateValue;
  readonly context?: unknown;
  readonly output?: unknown;
  readonly error?: unknown;
}

/**
 * Makes a journal of all machines whose events its observer receives. Entries of one run come in the order in
 * which they happened, and a run ends before the run that started it.
 *
 * @example
 * const { observe } = journalTo((entry) => console.log(entry.kind, entry.at));
 * const config = createConfig({ cwd: process.cwd(), inspect: observe });
 */
export const journalTo = (
  write: (entry: JournalEntry) => void,
  options: JournalOptions = {},
): Journal => new Writing(write, options);

/** A journal that is written as machines run. */
class Writing implements Journal {
  readonly #write: (entry: JournalEntry) => void;
  readonly #payloads: boolean;
  readonly #moves: boolean;
  readonly #now: () => number;
  readonly #redaction: Redactor;
  readonly #runs = new Map<ActorRef, Run>();
  // Journals of several processes may end up in one file.
  readonly #prefix = randomUUID().slice(0, 8);
  #count = 0;

  constructor(
    write: (entry: JournalEntry) => void,
    { payloads = false, moves = true, redact = [], now = clock, onProblem }: JournalOptions,
  ) {
    this.#write = write;
    this.#payloads = payloads;
    this.#moves = moves;
    this.#now = now;
    this.#redaction = redactor(redact, onProblem);
  }

  /** A function of its own, because it is handed on alone. */
  readonly observe = (event: InspectionEvent): void => {
    try {
      this.#observe(event);
    } catch (error) {
      debug('the journal could not record %s: %s', event.type, messageOf(error));
    }
  };

  readonly warned = (text: string, plain?: PlainWarning): void => {
    const said = this.#payloads ? text : (plain?.text ?? unrecordedWarning);
    try {
      const recorded = this.#redaction.text(said, longestReason);
      this.#write({ kind: 'warned', at: this.#now(), text: recorded });
    } catch (error) {
      debug('the journal could not record a warning: %s', messageOf(error));
    }
  };

  get running(): number {
    return this.#runs.size;
  }

  #observe(event: InspectionEvent): void {
    const ref = event.actorRef as unknown as ActorRef;
    if (event.type === '@xstate.actor') return this.#begin(ref);
    const run = this.#runs.get(ref);
    if (run === undefined) return;
    switch (event.type) {
      case '@xstate.microstep':
        return this.#move(ref, run, event.snapshot, event.event.type);
      case '@xstate.snapshot': {
        const snapshot = event.snapshot;
        // A machine that is done was already reported with its last step.
        if (snapshot.status !== 'active') this.#end(ref, run, snapshot);
        return;
      }
      case '@xstate.event': {
        // A machine that breaks before it has begun makes no step.
        if (event.event.type !== 'xstate.init') return;
        const snapshot = ref.getSnapshot();
        if (snapshot.status === 'error') this.#end(ref, run, snapshot);
        return;
      }
      default:
        return;
    }
  }

  /** Finds the run that started an actor; there may be machines in between that are not journaled. */
  #runAbove({ _parent: above }: ActorRef): Run | undefined {
    return above && (this.#runs.get(above) ?? this.#runAbove(above));
  }

  #nextId(): string {
    return `${this.#prefix}-${++this.#count}`;
  }

  #begin(ref: ActorRef): void {
    const machine = machineOf(ref);
    if (machine === undefined) return;
    const { input } = ref.options;
    const parent = this.#runAbove(ref);
    // A hook is reported once per text, however many pieces it gets.
    if (parent?.machine === 'answerStream') return;
    const { given, ...beginning } = beginningOf(machine, input, this.#redaction, this.#payloads);
    const payload = this.#payloads ? this.#redaction.value(given?.()) : undefined;
    const run: Run = {
      id: this.#nextId(),
      session: parent?.session ?? sessionIn(input) ?? '',
      machine,
      state: this.#moves ? initialState(ref.logic as AnyStateMachine) : '',
      children: [],
      passed: new Set(),
      hooks: [],
      answered: new Set(),
    };
    const at = this.#now();
    this.#write({
      kind: 'started',
      at,
      id: run.id,
      ...(parent && { parent: parent.id }),
      session: run.session,
      machine,
      ...beginning,
      ...(payload !== undefined && { payload }),
    });
    if (this.#moves)
      this.#write({ kind: 'moved', at, id: run.id, to: run.state, event: 'xstate.init' });
    this.#runs.set(ref, run);
    parent?.children.push(ref);
    if (parent && machine === 'hookProcess')
      parent.hooks[(input as HookProcessInput).position ?? 0] = run.id;
    if (machine === 'answerStream') this.#beginStream(run, at, input as AnswerStreamInput);
  }

  /** Reports the hooks of an answer's text, which run once a piece. */
  #beginStream(run: Run, at: number, { hooks }: AnswerStreamInput): void {
    const { id: parent, session } = run;
    for (const { name } of hooks) {
      const id = this.#nextId();
      run.hooks.push(id);
      const text = this.#redaction.text(name, longestName);
      this.#write({ kind: 'started', at, id, parent, session, machine: 'hookProcess', name: text });
    }
  }

  /** Reports what hooks did with an answer's text, once it has ended. */
  #endStream(run: Run, { progress }: AnswerStreamContext, output: unknown): void {
    for (const [index, { answer, pieces, changed }] of progress.entries()) {
      const id = run.hooks[index]!;
      const at = this.#now();
      if (answer && output !== undefined)
        this.#write({ kind: 'answered', at, id, ...this.#answered(answer), pieces, changed });
      const status = output === undefined ? 'stopped' : (answer?.status ?? 'done');
      this.#write({ kind: 'ended', at, id, status: status === 'ok' ? 'exited' : status });
    }
  }

  #answered(answer: HookAnswer) {
    return answered(answer, this.#redaction, this.#payloads);
  }

  #move(ref: ActorRef, run: Run, snapshot: Snapshot, event: string): void {
    if (run.machine === 'hookEvent') this.#hear(run, snapshot.context as HookEventContext);
    if (this.#moves) this.#step(run, pathOf(snapshot.value ?? ''), event);
    if (snapshot.status !== 'active') this.#end(ref, run, snapshot);
  }

  #step(run: Run, to: string, event: string): void {
    if (to === run.state) return;
    if (run.machine !== 'answerStream' || !run.passed.has(to))
      this.#write({ kind: 'moved', at: this.#now(), id: run.id, from: run.state, to, event });
    run.passed.add(to);
    run.state = to;
  }

  /** A hook has answered once its output was read, which only its event knows. */
  #hear(run: Run, { answers }: HookEventContext): void {
    for (const [index, answer] of answers.entries()) {
      if (answer === undefined || run.answered.has(index)) continue;
      run.answered.add(index);
      const id = run.hooks[index];
      if (id === undefined) continue;
      this.#write({ kind: 'answered', at: this.#now(), id, ...this.#answered(answer) });
    }
  }

  #end(ref: ActorRef, run: Run, { status, output, error }: Snapshot): void {
    this.#runs.delete(ref);
    for (const child of run.children) {
      const running = this.#runs.get(child);
      if (running) this.#end(child, running, { status: 'stopped' });
    }
    const { id } = run;
    const at = this.#now();
    if (run.machine === 'answerStream')
      this.#endStream(run, ref.getSnapshot().context as AnswerStreamContext, output);
    if (status === 'done') return this.#endDone(ref, run, at, output);
    const reason =
      status === 'error' && this.#payloads && this.#redaction.text(messageOf(error), longestReason);
    this.#write({ kind: 'ended', at, id, status, ...(reason !== false && { reason }) });
  }

  #endDone(ref: ActorRef, { id, machine }: Run, at: number, output: unknown): void {
    const { outlives } = (ref.options.input ?? {}) as Partial<HookProcessInput>;
    if (machine === 'hookProcess' && outlives) {
      const answer = outlives.read(output as HookProcessOutcome) as HookAnswer;
      this.#write({ kind: 'answered', at, id, ...this.#answered(answer) });
    }
    if (machine === 'hookEvent' || machine === 'answerStream') {
      const verdict = verdictOf(output as HookEventOutcome, this.#redaction, this.#payloads);
      this.#write({ kind: 'verdict', at, id, ...verdict });
    }
    const end = ending(output as Outcome, this.#redaction, this.#payloads);
    this.#write({ kind: 'ended', at, id, ...end });
  }
}

const unrecordedWarning =
  'There was a warning. It may quote a payload, so its text is recorded only with payloads.';

const machines: readonly unknown[] = [
  'agentTurn',
  'modelCall',
  'toolCall',
  'hookEvent',
  'answerStream',
  'hookProcess',
] satisfies JournaledMachine[];

/** Children that are promises or processes are not machines. */
function machineOf({ logic }: ActorRef): JournaledMachine | undefined {
  const id = logic.config?.id;
  return logic.root && machines.includes(id) ? (id as JournaledMachine) : undefined;
}

const clock = (): number => performance.timeOrigin + performance.now();

/** The session of a machine that was not started by another one. */
function sessionIn(input: unknown): string | undefined {
  const { sessionId, payload, outlives } = (input ?? {}) as {
    readonly sessionId?: string;
    readonly payload?: HookPayload;
    readonly outlives?: HookProcessInput['outlives'];
  };
  const session = sessionId ?? outlives?.sessionId ?? payload?.['session_id'];
  return typeof session === 'string' ? session : undefined;
}

/** XState does not report the step into the initial state. */
function initialState({ root }: AnyStateMachine): string {
  let node: StateNode = root;
  for (let next; (next = node.initial?.target?.[0]);) node = next;
  return node.path.join('.');
}

const pathOf = (value: StateValue): string =>
  typeof value === 'string'
    ? value
    : Object.entries(value)
        .map(([state, inner]) => (inner ? `${state}.${pathOf(inner)}` : state))
        .join(' ');
