import type { Socket } from 'node:net';

/*
 * What a client and the warm process say to each other; src/cli/launcher/hookmachine.sh is the client.
 *
 * The client sends the number of its process in ten characters, and then, in pieces, what it reads from
 * stdin. Each piece has its length before it (32 bits), and the last is empty. The warm process sends
 * messages: a letter, the length (32 bits) and that many bytes.
 *
 *   n  it does not take the event, and another warm process would not either
 *   t  it takes the event
 *   h  it is still there; sent twice a second
 *   b  a hook is about to begin: what tells it from the others
 *   e  a text for stderr
 *   o  a text for stdout
 *   l  the line for stderr if stdout cannot be written; the exit status is then 2
 *   x  the exit status; nothing follows
 *
 * As long as no `x` has arrived, the client may end the connection and have the event judged by a process of
 * its own. No hook begins after that, because `b` cannot be sent. The client names the hooks that had begun.
 */

export type Letter = 'n' | 't' | 'h' | 'b' | 'e' | 'o' | 'l' | 'x';

/** How often it is told that we are still there, in ms. */
const pulse = 500;

/** A client of the warm process, as long as it is connected. */
export class Client {
  readonly #socket: Socket;
  readonly #left = new AbortController();
  #pulse: NodeJS.Timeout | undefined;

  constructor(socket: Socket) {
    this.#socket = socket;
    const leave = (): void => {
      clearInterval(this.#pulse);
      this.#left.abort(new Error('the agent no longer waits'));
    };
    socket.once('end', leave).once('error', leave).once('close', leave);
  }

  /** Aborted when the client is gone. */
  get left(): AbortSignal {
    return this.#left.signal;
  }

  /** Reads this many bytes. */
  async read(size: number): Promise<Buffer> {
    for (;;) {
      this.left.throwIfAborted();
      const bytes = this.#socket.read(size) as Buffer | null;
      if (bytes?.length === size) return bytes;
      await new Promise<void>((resolve) => {
        const go = (): void => {
          this.#socket.off('readable', go);
          this.left.removeEventListener('abort', go);
          resolve();
        };
        this.#socket.once('readable', go);
        this.left.addEventListener('abort', go);
      });
    }
  }

  /** Tells the client that its event is taken, and from now on that we are still there. */
  take(): void {
    this.send('t');
    this.#pulse = setInterval(() => this.send('h'), pulse);
  }

  /** Nothing more is read; only now is it noticed that the client is gone. */
  stopReading(): void {
    this.#socket.resume();
  }

  send(letter: Letter, text = ''): void {
    if (this.#socket.writable) this.#socket.write(messageOf(letter, text));
  }

  /**
   * Sends at once.
   *
   * @throws if the system has not accepted all of it, so that it may never arrive
   */
  sendSurely(letter: Letter, text: string): void {
    this.left.throwIfAborted();
    const socket = this.#socket;
    if (socket.writable && socket.writableLength === 0) socket.write(messageOf(letter, text));
    if (socket.errored !== null || !socket.writable || socket.writableLength > 0)
      throw new Error('the agent no longer waits');
  }

  end(): void {
    clearInterval(this.#pulse);
    this.#socket.end();
  }

  /** Ends without an answer, so that the client has its event judged otherwise. */
  giveUp(): void {
    clearInterval(this.#pulse);
    this.#socket.destroy();
  }
}

function messageOf(letter: Letter, text: string): Buffer {
  const bytes = Buffer.from(text);
  const head = Buffer.from(`${letter}\0\0\0\0`, 'latin1');
  head.writeUInt32BE(bytes.length, 1);
  return Buffer.concat([head, bytes]);
}
