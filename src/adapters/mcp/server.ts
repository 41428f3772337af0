/** How a server ended. */
export interface ServerEnd {
  /** The status that the command exits with. */
  readonly status: number;
  /** The reason in words, for those who wait for an answer. */
  readonly why: string;
}

/** An MCP server, however it is reached. */
export interface Server {
  /** What it sends, a line for each message, until it has ended. */
  readonly lines: AsyncIterable<Buffer>;
  send(line: Buffer): void;
  /** Resolves when it accepts more. */
  drained(): Promise<void>;
  /** Tells it that nothing more will be sent. */
  end(): void;
  /** Asks it to end now. */
  terminate(): void;
  /** Ends it, whatever it is doing. */
  kill(): void;
  readonly ended: Promise<ServerEnd>;
}
