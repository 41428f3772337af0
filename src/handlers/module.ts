import { isError, withCode } from '../base/errors.ts';
import { statSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import {
  MessageChannel,
  type MessagePort,
  receiveMessageOnPort,
  Worker,
} from 'node:worker_threads';
import type { HookCommand } from '../../machines/hook-process.ts';
import { coarse, environmentOf, identitiesOf, answerLimit } from './process/index.ts';
import type { Answering, HandlerAnswer } from './handler.ts';
import { modulePath } from '../core/definitions/module-path.ts';
import { readMessage, workerSource, type ToWorker, type WorkerData } from './module-worker.ts';
import { onDemand } from '../base/on-demand.ts';
import { runsTypeScript } from '../base/runs-typescript.ts';
import { errorOf, messageOf } from '../base/message-of.ts';

const loadTypescriptLoader = onDemand(() => import('./typescript-loader.ts'));

/*
 * Hooks that are functions of a file, each in a worker thread that is kept for the next event. A thread can
 * be ended even in an endless loop, and what it does to itself affects nothing else.
 */

/** How long a worker has to show that it is not in an endless loop, in ms. */
const silenceLimit = 500;

/** How much memory a worker's objects may take, in MB. */
const mostMemory = 512;

/** Why a worker is ended that sends what only somebody else's code in its thread can have sent. */
const strange = 'it was ended because it sent something that is not an answer';

interface Call {
  readonly input: string;
  readonly signal: AbortSignal;
  readonly settle: (answer: HandlerAnswer | Error) => void;
  /** The call was passed to an earlier worker, which ended without having begun it. */
  readonly isSecond?: true;
}

const hooks = new Map<string, HookModule>();

type Shared = Pick<HookCommand, 'command' | 'cwd' | 'sharing'>;

/** Calls the function that the module exports. */
export const callModule: Answering<'module'> = async (_, { command, stdin, signal, started }) => {
  started();
  const file = modulePath(command);
  const typescript =
    /\.[cm]?ts$/.test(file) && !runsTypeScript()
      ? (await loadTypescriptLoader()).typesStripped()
      : undefined;
  const key = JSON.stringify([command.cwd, file, command.sharing]);
  const hook = hooks.get(key) ?? new HookModule(file, command, typescript);
  hooks.set(key, hook);
  return new Promise((resolve, reject) => {
    hook.call(command, {
      input: stdin,
      signal,
      settle: (answer) => (isError(answer) ? reject(answer) : resolve(answer)),
    });
  });
};

/** Ends the worker of a hook that no longer exists; events that wait for it are answered first. */
export function endModule({ command, cwd, sharing }: Shared): void {
  for (const [key, hook] of hooks)
    if (hook.command === command && hook.cwd === cwd && hook.sharing === sharing) {
      hook.retire();
      hooks.delete(key);
    }
}

class HookModule {
  readonly #file: string;
  readonly #typescript: WorkerData['typescript'];
  readonly command: string;
  readonly cwd: string;
  readonly sharing: string | undefined;
  #worker: ModuleWorker | undefined;
  #stamp = '';

  constructor(
    file: string,
    { command, cwd, sharing }: Shared,
    typescript: WorkerData['typescript'],
  ) {
    this.#file = file;
    this.#typescript = typescript;
    this.command = command;
    this.cwd = cwd;
    this.sharing = sharing;
  }

  /** Passes the call to the worker, or to a new one if the file or the environment has changed. */
  call(command: HookCommand, call: Call): void {
    if (this.#worker?.isOver) this.#worker = undefined;
    const stamp = JSON.stringify([environmentOf(command), identitiesOf([this.#file])]);
    if (this.#worker === undefined || stamp !== this.#stamp || this.#worker.isTooYoung) {
      this.#worker?.retire();
      this.#stamp = stamp;
      this.#worker = new ModuleWorker(this.#file, command, this.#typescript, (unseen) =>
        this.#callAgain(command, unseen),
      );
    }
    this.#worker.call(call);
  }

  #callAgain(command: HookCommand, call: Call): void {
    try {
      this.call(command, { ...call, isSecond: true });
    } catch (error) {
      call.settle(errorOf(error));
    }
  }

  retire(): void {
    this.#worker?.retire();
  }
}

/** One worker thread with the module loaded. */
class ModuleWorker {
  readonly #worker: Worker;
  readonly #port: MessagePort;
  readonly #begun = new Int32Array(new SharedArrayBuffer(4));
  readonly #calls = new Map<number, Call>();
  /** Calls that nobody waits for any more and that may still be answered, and those with a sign of life due. */
  readonly #abandoned = new Set<number>();
  readonly #asked = new Set<number>();
  readonly #again: (call: Call) => void;
  /** Runs while it has not yet shown that it listens. */
  #silence: NodeJS.Timeout | undefined;
  #lastId = 0;
  #isLoaded = false;
  #isRetired = false;
  /** The file had only just been written when it was loaded, so it may have been written again unnoticed. */
  readonly isTooYoung: boolean;
  isOver = false;

  /** `again` receives the calls that the module has never seen when the worker ends. */
  constructor(
    file: string,
    command: HookCommand,
    typescript: WorkerData['typescript'],
    again: (call: Call) => void,
  ) {
    this.#again = again;
    const stats = statSync(file, { throwIfNoEntry: false });
    if (!stats?.isFile())
      throw new Error(`there is no file ${file}; write its path from the hook's folder`);
    this.isTooYoung = stats.ctimeMs > Date.now() - coarse;
    const { port1, port2 } = new MessageChannel();
    this.#port = port1;
    const workerData: WorkerData = {
      url: pathToFileURL(file).href,
      cwd: command.cwd,
      begun: this.#begun,
      longestAnswer: answerLimit,
      port: port2,
      ...(typescript && { typescript }),
    };
    this.#worker = new Worker(workerSource, {
      eval: true,
      workerData,
      transferList: [port2],
      env: environmentOf(command) as NodeJS.Dict<string>,
      // A command gets none of the host's flags either.
      execArgv: [],
      stdout: true,
      stderr: true,
      resourceLimits: { maxOldGenerationSizeMb: mostMemory },
    });
    port1.on('message', (message: unknown) => this.#hear(message));
    port1.on('messageerror', () => this.#terminate(strange));
    let failure: string | undefined;
    this.#worker.on('error', (error: unknown) => (failure ??= `it failed: ${messageOf(error)}`));
    this.#worker.once('exit', (code) => {
      // What it has answered before counts.
      for (let left = receiveMessageOnPort(port1); left; left = receiveMessageOnPort(port1))
        this.#hear(left.message);
      this.#end(failure ?? `it called process.exit(${code})`);
    });
    // A caller that waits for an answer has a deadline, which keeps the host alive; an idle worker does not.
    this.#worker.unref();
    port1.unref();
  }

  call(call: Call): void {
    const id = ++this.#lastId;
    this.#calls.set(id, call);
    call.signal.addEventListener('abort', () => this.#giveUp(id), { once: true });
    this.#tell({ type: 'call', id, input: call.input });
  }

  /** Ends the worker once nothing waits for it. */
  retire(): void {
    this.#isRetired = true;
    if (this.#calls.size === 0) this.#terminate('it was ended');
  }

  #tell(message: ToWorker): void {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
    this.#port.postMessage(message);
  }

  #hear(sent: unknown): void {
    if (this.isOver) return;
    const message = readMessage(sent);
    if (message?.type === 'loaded' && !this.#isLoaded) this.#isLoaded = true;
    else if (message?.type === 'listening' && this.#asked.delete(message.id)) this.#endSilence();
    else if (message?.type === 'answered' && this.#mayAnswer(message.id)) {
      const { id, answer, error, printed } = message;
      this.#settle(id, {
        stdout: answer,
        stderr: printed,
        ...(error !== undefined && { error: withCode(new Error(error), 'hook-threw') }),
      });
    } else this.#terminate(strange);
  }

  /** A call is answered once. */
  #mayAnswer(id: number): boolean {
    return this.#calls.has(id) || this.#abandoned.delete(id);
  }

  #giveUp(id: number): void {
    if (!this.#calls.has(id)) return;
    this.#settle(id, new Error('its answer is no longer waited for'));
    // A module that is not even loaded by now would hold up the next event too.
    if (!this.#isLoaded) return this.#terminate('it was not loaded in time for another event');
    this.#abandoned.add(id);
    this.#asked.add(id);
    this.#tell({ type: 'abort', id });
    const hangs = (): void =>
      this.#terminate('it was ended because it did not answer another event');
    this.#silence ??= setTimeout(hangs, silenceLimit).unref();
  }

  #settle(id: number, answer: HandlerAnswer | Error): void {
    const call = this.#calls.get(id);
    this.#calls.delete(id);
    call?.settle(answer);
    if (this.#isRetired && this.#calls.size === 0) this.#terminate('it was ended');
  }

  #endSilence(): void {
    clearTimeout(this.#silence);
    this.#silence = undefined;
  }

  #terminate(why: string): void {
    void this.#worker.terminate();
    this.#end(why);
  }

  /** The calls that the module has begun fail with it; the others go to another worker. */
  #end(why: string): void {
    if (this.isOver) return;
    this.isOver = true;
    this.#port.close();
    this.#endSilence();
    const calls = [...this.#calls];
    this.#calls.clear();
    const begun = Atomics.load(this.#begun, 0);
    for (const [id, call] of calls)
      if (this.#isLoaded && id > begun && !call.isSecond) this.#again(call);
      else call.settle(withCode(new Error(why), 'hook-ended'));
  }
}
