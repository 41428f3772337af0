import { createRequire } from 'node:module';
import type Debug from 'debug';

/** Writes a line of the debug log, with the formats of `debug`. */
type DebugChannel = (format: string, ...values: readonly unknown[]) => void;

/**
 * A debug channel; all of hookmachine's lie under `llxprt:core:hooks:*` (C-102). `debug` is loaded
 * with the first line while DEBUG is set, be it by the user or by a host's `debug.enable`, which sets
 * it: a short-lived command does not pay for what nobody reads.
 */
export function debugChannel(
  part:
    | 'system'
    | 'registry'
    | 'planner'
    | 'runner'
    | 'aggregator'
    | 'event-handler'
    | 'tool'
    | 'model',
): DebugChannel {
  let channel: Debug.Debugger | undefined;
  return (format, ...values) => {
    if (channel === undefined && !process.env['DEBUG']) return;
    channel ??= createDebug()(`llxprt:core:hooks:${part}`);
    channel(format, ...values);
  };
}

const createDebug = (): typeof Debug => require('debug') as typeof Debug;

const require = createRequire(import.meta.url);

/** Receives warnings, one line each. */
export type WarningSink = (line: string) => void;

/** Where warnings go unless the host says otherwise: stderr, with or without DEBUG. */
const warnOnStderr: WarningSink = (line) => {
  process.stderr.write(`hookmachine: ${line}\n`);
};

/** A text on one line, without control and bidirectional characters, which could play tricks on a terminal. */
export const oneLine = (text: string, longest = 400): string => {
  // Cut first: what follows looks at every character, and a failing hook may have printed megabytes.
  const line = text
    .slice(0, 4 * longest)
    .replaceAll(/\s*\n\s*/g, ' | ')
    .replaceAll(/\p{Cc}|\p{Bidi_Control}/gu, '')
    .trim();
  return line.length > longest ? `${line.slice(0, longest)}…` : line;
};

const debugWarnings = debugChannel('system');

/**
 * Tells the user through the host's sink, or on stderr. It never throws: a host that cannot be told
 * must not lose a denial over it.
 */
export function warn(sink: WarningSink | undefined, text: string): void {
  const line = oneLine(text);
  debugWarnings('warning: %s', line);
  try {
    (sink ?? warnOnStderr)(line);
  } catch (error) {
    debugWarnings('onWarning threw: %s', String(error));
  }
}
