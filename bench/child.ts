import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Order, Report } from './orders.ts';

/** One of our processes, which answers each order with numbers. */
export class Child {
  readonly #name: string;
  readonly #process;

  private constructor(
    script: string,
    args: readonly string[],
    env: NodeJS.ProcessEnv,
    flags: readonly string[],
  ) {
    this.#name = args.join(' ');
    this.#process = fork(fileURLToPath(new URL(script, import.meta.url)), args, {
      env,
      execArgv: ['--expose-gc', ...flags],
      // The engines' logs are not needed.
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
  }

  /** Starts a process, with Node's own flags, and waits until it is ready. */
  static async start(
    script: string,
    args: readonly string[],
    env: NodeJS.ProcessEnv,
    flags: readonly string[] = [],
  ): Promise<Child> {
    const child = new Child(script, args, env, flags);
    await child.#answer();
    return child;
  }

  /** Gives an order and waits for its numbers. */
  ask(order: Order): Promise<readonly number[]> {
    const answer = this.#answer();
    this.#process.send(order);
    return answer;
  }

  /** Ends the process. */
  async end(): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return;
    const ended = once(this.#process, 'exit');
    this.#process.disconnect();
    await ended;
  }

  async #answer(): Promise<readonly number[]> {
    const abort = new AbortController();
    const { signal } = abort;
    try {
      const [report] = (await Promise.race([
        once(this.#process, 'message', { signal }),
        once(this.#process, 'exit', { signal }).then(([code]) => [{ error: `exit ${code}` }]),
      ])) as [Report];
      if ('error' in report) throw new Error(`${this.#name}: ${report.error}`);
      return report.numbers;
    } finally {
      abort.abort();
    }
  }
}
