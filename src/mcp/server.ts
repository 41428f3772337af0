/** How a server ended. */
export interface ServerEnd {
  /** The status that the command ends with. */
  readonly status: number;
  /** In words, for those who wait for an answer. */
  readonly why: string;
}

/** An MCP server, however it is reached. */
export interface Server {
  /** What it says, a line for each message, until it has ended. */
  readonly lines: AsyncIterable<Buffer>;
  send(line: Buffer): void;
  /** Resolves when it takes more. */
  drained(): Promise<void>;
  /** Nothing more will be sent. */
  end(): void;
  /** Asks it to end now. */
  terminate(): void;
  /** Ends it, whatever it does. */
  kill(): void;
  readonly ended: Promise<ServerEnd>;
}
