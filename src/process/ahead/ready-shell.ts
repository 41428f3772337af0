import { spawn, type ChildProcess } from 'node:child_process';
import { statSync } from 'node:fs';
import type { Socket } from 'node:net';
import { HookStreams } from '../hook-streams.ts';
import type { FolderId, Inheritance } from './inheritance.ts';
import type { StartedHook } from '../plain-start.ts';
import { limitsOf, statOf } from '../processes.ts';
import type { ReadyWay } from './ready-way.ts';
import { lastPid, marked, newMark, tellsPids } from '../strays.ts';
import { forget, watchAhead } from '../watchdog.ts';

/*
 * A shell started ahead of its hook, in the hook's own place: its parent, group, session, folder,
 * environment and streams are the hook's. It waits for one order and becomes what it is told to run.
 *
 * `exec` of a new shell leaves no trace of the old one, for a shell adds nothing to what it passes
 * on that the next would not add as well, and what it changes is put right. Where the command is one
 * program with its arguments, a shell given it with -c would become that program (since bash 5.1 also
 * behind a semicolon), and so does this one, with the same environment and the same complaints. A
 * line of commands that cannot tell the difference it runs itself.
 * Without an order, as when the host is gone, it ends.
 */
const script = (restored: readonly string[]): string =>
  [
    `IFS= TMOUT= read -r -d '' -u 3 hookmachine_way && IFS= TMOUT= read -r -d '' -u 3 hookmachine_text || exit 125`,
    `exec 3<&-`,
    `if [[ $hookmachine_way = line ]]; then eval "unset hookmachine_way hookmachine_text; $hookmachine_text"; exit; fi`,
    `[[ $hookmachine_way = program ]] && ((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] > 500)) || ${restored.map((name, index) => `${name}="$${index + 1}" `).join('')}exec "$0" -c "$hookmachine_text"`,
    `eval "set -- $hookmachine_text"`,
    `unset hookmachine_way hookmachine_text`,
    // Complaints name the line, so it has to be the first one.
    `"$@"`,
  ].join('; ');

/** The variables that a shell sets for itself at its start. */
const setByShells = ['_', 'PWD', 'OLDPWD'];

/** A shell that waits to be told what to run. */
export class ReadyShell {
  readonly #child: ChildProcess;
  readonly #streams = new HookStreams();
  readonly #orders: Socket;
  readonly #mark = newMark();
  readonly #folder: FolderId;
  readonly #isCounted: boolean;
  #isHook = false;
  #isDismissed = false;

  /** `onEnd` is called when it ends without an order. */
  constructor({ shell, cwd, env, folder }: Inheritance, onEnd: (shell: ReadyShell) => void) {
    this.#folder = folder;
    const last = lastPid();
    try {
      if (!this.#streams.areFiles) throw new Error('A shell cannot be given pipes ahead of time.');
      const restored = setByShells.filter((name) => env[name] !== undefined);
      const values = restored.map((name) => env[name]!);
      this.#child = this.#streams.handOver((stdio) =>
        spawn(shell, ['-c', script(restored), shell, ...values], {
          cwd,
          env: marked(env, this.#mark),
          stdio: [...stdio, 'pipe'],
          detached: true,
        }),
      );
      // An error that nobody hears ends the host, and this one comes later than what is thrown here.
      this.#child.once('error', () => undefined);
      if ((this.#child.stdio as unknown) === undefined) throw new Error('No descriptor is free.');
    } catch (error) {
      this.#streams.release();
      throw error;
    }
    this.#orders = this.#child.stdio[3] as Socket;
    const end = (): void => {
      if (this.#isHook) return;
      // Now nothing holds the other ends, and they may serve a hook.
      this.#streams.release();
      this.#orders.destroy();
      if (this.#child.pid !== undefined) forget(this.#child.pid);
      if (!this.#isDismissed) onEnd(this);
    };
    this.#child.once('error', end).once('exit', end);
    // Whether it got its order, its end will tell.
    this.#orders.on('error', () => undefined);
    this.#isCounted = tellsPids(last, this.#child.pid);
    if (this.#child.pid !== undefined) watchAhead(this.#child.pid);
    // Neither the shell nor its pipes may keep the host alive.
    this.#child.unref();
    this.#orders.unref();
  }

  /**
   * Whether it can take an order, in the folder where it should be and with what the system grants the
   * host: a busy host may not have heard of its end yet, and limits can be set on any process.
   */
  isWaitingWith({ limits }: Inheritance): boolean {
    const { pid } = this.#child;
    if (pid === undefined || !/[SRD]/.test(statOf(pid)?.state ?? '')) return false;
    const { dev, ino } = statSync(`/proc/${pid}/cwd`);
    if (dev !== this.#folder.dev || ino !== this.#folder.ino) return false;
    return limitsOf(pid).every((limit, index) => limit === limits[index]);
  }

  /** Whether it has complained of its surroundings, as every shell would that is started in them. */
  get hasComplained(): boolean {
    return this.#streams.haveBegun;
  }

  /** Makes it the hook. */
  run(way: ReadyWay, text: string, stdin: string): StartedHook {
    this.#streams.fill(stdin);
    this.#isHook = true;
    const after = this.#isCounted ? lastPid() : undefined;
    const run = { mark: this.#mark, after, leader: this.#child.pid! };
    this.#orders.end(`${way}\0${text}\0`, () => this.#orders.destroy());
    this.#child.ref();
    return { child: this.#child, streams: this.#streams, run };
  }

  /** Lets it go. */
  dismiss(): void {
    this.#isDismissed = true;
    this.#child.kill('SIGKILL');
  }
}
