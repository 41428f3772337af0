import type { Handler, HookCommand } from '../../machines/hook-process.ts';

/** The part of an event that a handler receives. */
export interface HandlerCall {
  readonly command: HookCommand;
  /** The event as JSON, as a command would read it from stdin. */
  readonly stdin: string;
  /** Aborted when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
  /** Must be called when the handler's turn has come: its deadline runs from then on. */
  readonly started: () => void;
  /** May be given what returns the part of an answer that has arrived, in case the rest never does. */
  readonly arriving: (soFar: () => HandlerAnswer) => void;
}

/** The result of a handler. */
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

/** Answers one event; rejects if it cannot. */
export type Answering<Kind extends Handler['kind']> = (
  handler: HandlerOf<Kind>,
  call: HandlerCall,
) => Promise<HandlerAnswer>;

/** The beginning of a text, for messages. */
export function beginningOf(text: string, most = 200): string {
  const line = text.trim().replaceAll(/\s+/g, ' ');
  return line.length > most ? `${line.slice(0, most)}…` : line;
}
