/**
 * The parts of OpenCode's plugin types that the adapter touches; a type test checks them against the real
 * package.
 */

type Fields = Readonly<Record<string, unknown>>;

/** A piece of a message. */
export interface Part {
  readonly type: string;
  text?: string;
  readonly synthetic?: boolean;
  readonly ignored?: boolean;
}

/** A message with its parts. */
export interface Entry<Piece extends Part = Part> {
  readonly info: {
    readonly id: string;
    readonly role: string;
    readonly sessionID: string;
    readonly modelID?: string;
    readonly model?: { readonly modelID: string };
  };
  readonly parts: Piece[];
}

/** OpenCode's own client. */
export interface Client {
  readonly app: {
    log(options: {
      body: { service: string; level: 'warn'; message: string };
    }): PromiseLike<unknown>;
  };
  readonly tui: {
    showToast(options: { body: { message: string; variant: 'warning' } }): PromiseLike<unknown>;
  };
  readonly session: {
    get(options: {
      path: { id: string };
    }): PromiseLike<{ readonly data?: { readonly parentID?: string } | undefined }>;
    messages(options: {
      path: { id: string };
    }): PromiseLike<{ readonly data?: readonly Entry[] | undefined }>;
    prompt(
      options: { path: { id: string } } & { body: { parts: { type: 'text'; text: string }[] } },
    ): PromiseLike<unknown>;
    abort(options: { path: { id: string } }): PromiseLike<unknown>;
  };
}

/** What OpenCode gives a plugin. */
export interface PluginInput {
  readonly client: Client;
  readonly directory: string;
}

/** Identifies a tool call. */
export interface ToolCall {
  readonly tool: string;
  readonly sessionID: string;
  readonly callID: string;
}

/** A tool's output: a text, or what an MCP server answered. */
export interface ToolOutput {
  output?: string;
  content?: unknown;
}

/** The settings of a model call. */
export interface ChatParams {
  temperature: number;
  topP: number;
  topK: number;
  maxOutputTokens: number | undefined;
}

/** An event on OpenCode's bus. */
export interface BusEvent {
  readonly type: string;
  readonly properties: Fields;
}
