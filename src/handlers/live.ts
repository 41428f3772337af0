import { isError, withCode } from '../base/errors.ts';
import type { HookCommand } from '../../machines/hook-process.ts';
import { isRecord } from '../base/json.ts';
import {
  environmentOf,
  identitiesOf,
  type LiveProcess,
  answerLimit,
  loadLive,
} from './process/index.ts';
import { beginningOf, type Answering, type HandlerAnswer, type HandlerCall } from './handler.ts';
import { errorOf, messageOf } from '../base/message-of.ts';

/*
 * Hooks that are long-lived processes: one line of JSON in for each event, one out.
 *
 * Each has one process, started at its first event. A process that was started in another environment, or
 * from files that have changed since, is ended as soon as it has nothing more to do.
 */

/**
 * How long a process may still take to answer an event that nobody waits for before it counts as hanging, in
 * ms.
 */
const silenceLimit = 1_000;

/**
 * After this many runs in a row without an answer, it is not restarted at once; from then on the pauses grow,
 * in ms.
 */
const tolerance = 2;
const [firstPause, longestPause] = [1_000, 60_000];

/** How many notes, and how many characters of stderr, are kept of what it prints besides its answers. */
const [mostNotes, mostStderr] = [20, 64 * 1024];

/** How many lines, and how many characters, a process may print besides its answers before it answers again. */
const [mostLines, mostText] = [1_000, answerLimit];

/** An event that waits for its turn, or for its answer. */
interface Waiting {
  readonly call: HandlerCall;
  readonly settle: (answer: HandlerAnswer | Error) => void;
}

/** A line from the process that answers an event. */
type Printed = Readonly<Record<string, unknown>>;

const hooks = new Map<string, LiveHook>();

type Shared = Pick<HookCommand, 'command' | 'args' | 'cwd' | 'sharing'>;

const keyOf = ({ command, args, cwd, sharing }: Shared): string =>
  JSON.stringify([cwd, command, args, sharing]);

/** Passes the event to the hook's process, and waits for its answer. */
export const askLive: Answering<'live'> = ({ concurrency = 1 }, call) => {
  const key = keyOf(call.command);
  const hook = hooks.get(key) ?? new LiveHook();
  hooks.set(key, hook);
  return hook.ask(call, concurrency);
};

/** Ends the process of a hook that no longer exists; events that wait for it are answered first. */
export function endLive(command: Shared): void {
  const key = keyOf(command);
  hooks.get(key)?.retire();
  hooks.delete(key);
}

class LiveHook {
  readonly #queue: Waiting[] = [];
  readonly #asked = new Map<number, Waiting>();
  /** Events that the process still works on although nobody waits for them any more. */
  readonly #abandoned = new Map<number, NodeJS.Timeout>();
  #process: LiveProcess | undefined;
  /** What the process was started from. */
  #stamp = '';
  #files: readonly string[] = [];
  #concurrency = 1;
  #isPumping = false;
  #isToPump = false;
  #isRetired = false;
  #lastId = 0;
  #notes: string[] = [];
  #stderr = '';
  /** What the process has printed since its last answer. */
  #printed = { lines: 0, text: 0 };
  /** How many runs in a row ended without an answer, how the last one ended, and when the next may begin. */
  #failures = 0;
  #lastEnd = '';
  #notBefore = 0;

  ask(call: HandlerCall, concurrency: number): Promise<HandlerAnswer> {
    this.#concurrency = concurrency;
    return new Promise((resolve, reject) => {
      const waiting: Waiting = {
        call,
        settle: (answer) => (isError(answer) ? reject(answer) : resolve(answer)),
      };
      call.signal.addEventListener('abort', () => this.#giveUp(waiting), { once: true });
      this.#queue.push(waiting);
      this.#pump();
    });
  }

  /** Ends the process once nothing waits for it. */
  retire(): void {
    this.#isRetired = true;
    if (this.#queue.length === 0 && this.#asked.size === 0) this.#end();
  }

  /** Gives the process as many events as it works on at once. */
  #pump(): void {
    this.#isToPump = true;
    if (this.#isPumping) return;
    this.#isPumping = true;
    void this.#giveAllTurns();
  }

  #hasRoom(): boolean {
    return this.#asked.size + this.#abandoned.size < this.#concurrency;
  }

  async #giveAllTurns(): Promise<void> {
    while (this.#isToPump) {
      this.#isToPump = false;
      try {
        await this.#giveTurns();
      } catch (error) {
        this.#queue.shift()?.settle(errorOf(error));
        this.#isToPump = true;
      }
    }
    this.#isPumping = false;
    if (this.#isRetired) this.retire();
  }

  async #giveTurns(): Promise<void> {
    while (this.#queue.length > 0 && this.#hasRoom()) {
      const { command } = this.#queue[0]!.call;
      const stamp = this.#stampOf(command);
      if (this.#process !== undefined && stamp !== this.#stamp) {
        // The events that it works on are answered first.
        if (this.#asked.size > 0) return;
        this.#end();
      }
      if (this.#process === undefined) {
        const wait = this.#notBefore - performance.now();
        if (wait > 0) {
          const soon = `it is started again in ${Math.ceil(wait / 1_000)} s`;
          const crashes = new Error(`it ${this.#lastEnd} again and again; ${soon}`);
          this.#queue.shift()!.settle(withCode(crashes, 'hook-ended'));
          continue;
        }
        const startLive = await loadLive();
        this.#files = (await command.filesBehind?.()) ?? [];
        // While the files were looked up, the waiting events may have been given up.
        if (this.#queue.length === 0) return;
        this.#start(command, startLive);
      }
      this.#hand(this.#queue.shift()!);
    }
  }

  #stampOf(command: HookCommand): string {
    return JSON.stringify([environmentOf(command), identitiesOf(this.#files)]);
  }

  #start(command: HookCommand, startLive: Awaited<ReturnType<typeof loadLive>>): void {
    this.#stamp = this.#stampOf(command);
    const ifCurrent =
      <Args extends unknown[]>(act: (...args: Args) => void) =>
      (...args: Args): void => {
        if (this.#process === started) act(...args);
      };
    const started: LiveProcess = startLive(command, answerLimit + 1_024, {
      line: ifCurrent((line) => this.#hear(line)),
      stderr: ifCurrent((text) => {
        this.#stderr = (this.#stderr + text).slice(-mostStderr);
        this.#count({ lines: 0, text: text.length });
      }),
      overlong: ifCurrent(() => this.#lose('printed a line over 10 MiB; answer with less')),
      ended: ifCurrent((how) => this.#lose(how)),
    });
    this.#process = started;
  }

  #hand(waiting: Waiting): void {
    const { stdin, started } = waiting.call;
    const id = ++this.#lastId;
    this.#asked.set(id, waiting);
    started();
    this.#process!.send(`{"id":${id},"input":${stdin}}`);
  }

  #hear(line: string): void {
    if (line.trim() === '') return;
    const printed = parse(line);
    const id = isRecord(printed) && typeof printed['id'] === 'number' ? printed['id'] : 0;
    const waiting = this.#asked.get(id);
    if (waiting !== undefined) {
      this.#asked.delete(id);
      waiting.settle(this.#answerIn(printed as Printed));
    } else if (this.#abandoned.has(id)) {
      clearTimeout(this.#abandoned.get(id));
      this.#abandoned.delete(id);
    } else {
      if (this.#notes.length < mostNotes)
        this.#notes.push(`it printed a line that is not an answer: ${beginningOf(line)}`);
      return this.#count({ lines: 1, text: line.length });
    }
    this.#printed = { lines: 0, text: 0 };
    this.#failures = 0;
    this.#pump();
  }

  /** Ends a process that floods the host. */
  #count({ lines, text }: { readonly lines: number; readonly text: number }): void {
    this.#printed = { lines: this.#printed.lines + lines, text: this.#printed.text + text };
    if (this.#printed.lines > mostLines)
      this.#lose(`printed over ${mostLines} lines that are not answers; answer each event once`);
    else if (this.#printed.text > mostText)
      this.#lose('printed over 10 MiB besides its answers; print less');
  }

  #answerIn(printed: Printed): HandlerAnswer | Error {
    try {
      return this.#answerOf(this.#outputOf(printed));
    } catch (error) {
      // It is nested too deep to be written again.
      return new Error(`its answer cannot be read (${messageOf(error)}); answer with less`);
    }
  }

  /** A denial that is written beside the id must not get lost. */
  #outputOf({ id: _, ...rest }: Printed): unknown {
    if ('output' in rest || Object.keys(rest).length === 0) return rest['output'];
    this.#notes.push(
      'its answer has no "output", so the rest of the line was read; answer with {"id": …, "output": {…}}',
    );
    return rest;
  }

  #answerOf(output: unknown): HandlerAnswer | Error {
    if (output !== undefined && output !== null && !isRecord(output))
      return withCode(
        new Error('its "output" is not an object; answer with {"id": …, "output": {…}}'),
        'invalid-answer',
      );
    const said = { stderr: this.#stderr, ...(this.#notes.length > 0 && { notes: this.#notes }) };
    this.#stderr = '';
    this.#notes = [];
    return { stdout: output ? JSON.stringify(output) : '', ...said };
  }

  #giveUp(waiting: Waiting): void {
    const index = this.#queue.indexOf(waiting);
    if (index !== -1) this.#queue.splice(index, 1);
    for (const [id, asked] of this.#asked)
      if (asked === waiting) {
        this.#asked.delete(id);
        const hangs = (): void => this.#lose('was ended because it did not answer another event');
        this.#abandoned.set(id, setTimeout(hangs, silenceLimit).unref());
      }
    waiting.settle(new Error('its answer is no longer waited for'));
  }

  /** Called when the process has ended, or is no longer of any use. */
  #lose(how: string): void {
    const said = this.#stderr.trim() === '' ? '' : `: ${beginningOf(this.#stderr)}`;
    this.#lastEnd = `${how}${said}`;
    const lost = [...this.#asked.values()];
    this.#asked.clear();
    if (lost.length > 0 || this.#abandoned.size > 0 || this.#failures > 0) this.#countFailure();
    this.#end();
    for (const { settle } of lost) settle(withCode(new Error(`it ${this.#lastEnd}`), 'hook-ended'));
    this.#pump();
  }

  #countFailure(): void {
    this.#failures++;
    if (this.#failures < tolerance) return;
    const pause = firstPause * 2 ** (this.#failures - tolerance);
    this.#notBefore = performance.now() + Math.min(pause, longestPause);
  }

  #end(): void {
    this.#process?.end();
    this.#process = undefined;
    for (const timer of this.#abandoned.values()) clearTimeout(timer);
    this.#abandoned.clear();
    this.#stderr = '';
    this.#notes = [];
    this.#printed = { lines: 0, text: 0 };
  }
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
