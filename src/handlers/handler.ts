import type { Handler, HookCommand } from '../../machines/hook-process.ts';

/** What a handler is given of an event. */
export interface HandlerCall {
  readonly command: HookCommand;
  /** The event as JSON, what a command would read from stdin. */
  readonly stdin: string;
  /** Aborted when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
  /** To be called when its turn has come: its deadline runs from then on. */
  readonly started: () => void;
}

/** What came of it. */
export interface HandlerAnswer {
  /** The answer as JSON; '' for no opinion. */
  readonly stdout: string;
  readonly stderr?: string;
  readonly notes?: readonly string[];
  readonly httpStatus?: number;
  /** Why there is no answer. */
  readonly error?: Error;
}

export type HandlerOf<Kind extends Handler['kind']> = Extract<Handler, { readonly kind: Kind }>;

/** Answers one event; rejects where it cannot. */
export type Answering<Kind extends Handler['kind']> = (
  handler: HandlerOf<Kind>,
  call: HandlerCall,
) => Promise<HandlerAnswer>;

/** The beginning of a text, for messages. */
export function beginningOf(text: string, most = 200): string {
  const line = text.trim().replaceAll(/\s+/g, ' ');
  return line.length > most ? `${line.slice(0, most)}…` : line;
}
