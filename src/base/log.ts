import { type DebugLog, type DebugPackage, loadDebug } from './debug-package.ts';
import { printable, withoutUnseen } from './visible.ts';
import { writeError } from './surroundings.ts';

/** Writes a line to the debug log, with the formats of Node's `util.format`. */
type DebugChannel = (format: string, ...values: readonly unknown[]) => void;

/** The package `debug`, once a line was wanted; null if there is none. */
let loaded: DebugPackage | null | undefined;

/** What was enabled last: a host's own copy of the package passes it on in the environment. */
let enabled: string | undefined;

/**
 * Returns a debug channel; all of hookmachine's are under `llxprt:core:hooks:*`. One record is one line, and a
 * terminal obeys nothing in it, wherever it comes from.
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
  let log: DebugLog | undefined;
  return (format, ...values) => {
    // The warm process takes no event for which it is another; lines may also come between events.
    const wanted = process.env['DEBUG'];
    if (!wanted) return;
    if (loaded === undefined) loaded = loadedOrNone();
    if (loaded === null) return;
    if (wanted !== enabled) loaded.enable((enabled = wanted));
    log ??= loaded(`llxprt:core:hooks:${part}`);
    if (log.enabled) log('%s', recordOf(format, values));
  };
}

function loadedOrNone(): DebugPackage | null {
  try {
    return loadDebug();
  } catch {
    writeError(
      'hookmachine: DEBUG is set, but nothing is logged: the package debug is not here; npm i debug\n',
    );
    return null;
  }
}

/** Formats a record; objects are written on one line too. */
function recordOf(format: string, values: readonly unknown[]): string {
  const { format: inText, inspect } = process.getBuiltinModule('node:util');
  const texts = values.map((value) =>
    typeof value === 'object' && value !== null
      ? inspect(value, { breakLength: Infinity, compact: true })
      : value,
  );
  return printableLine(inText(format.replaceAll(/%[oO]/g, '%s'), ...texts));
}

/** What a warning says without quoting a model, a tool or a hook. */
export interface PlainWarning {
  readonly text: string;
  /** It is about a hook that was skipped because it is not trusted. */
  readonly isSkip?: true;
}

/**
 * Receives warnings, one line each. Only what `plain` says may be kept where payloads are not wanted; without
 * it, nothing may.
 */
export type WarningSink = (line: string, plain?: PlainWarning) => void;

/** The default destination of warnings: stderr, with or without DEBUG. */
const warnOnStderr: WarningSink = (line) => {
  writeError(`hookmachine: ${line}\n`);
};

/**
 * Returns a text on one line, without invisible characters and those that could play tricks on a terminal.
 */
export const oneLine = (text: string, longest = 400): string => {
  // Cut first: the next steps scan every character, and a failing hook may have printed megabytes.
  const line = withoutUnseen(
    text
      .slice(0, 4 * longest)
      .replaceAll(/\s*\n\s*/g, ' | ')
      .replaceAll('\t', ''),
  ).trim();
  return line.length > longest ? `${line.slice(0, longest)}…` : line;
};

const debugWarnings = debugChannel('system');

/**
 * Warns the user through the host's sink, or on stderr. It never throws, so that a host whose sink throws
 * does not lose a denial.
 */
export function warn(sink: WarningSink | undefined, text: string, plain?: PlainWarning): void {
  const line = oneLine(text);
  debugWarnings('warning: %s', line);
  try {
    const to = sink ?? warnOnStderr;
    if (plain) to(line, { ...plain, text: oneLine(plain.text) });
    else to(line);
  } catch (error) {
    debugWarnings('onWarning threw: %s', String(error));
  }
}

/** Warns with a text of our own, which quotes nobody. */
export const warnPlainly = (sink: WarningSink | undefined, text: string): void =>
  warn(sink, text, { text });

/** How many warnings are remembered. */
const mostRemembered = 10_000;

/**
 * Passes each warning on only once, on one line: problems of settings are not reported again when the
 * settings are read again.
 */
export function tellOnce(tell: WarningSink): WarningSink {
  const reported = new Set<string>();
  return (text, plain) => {
    const line = oneLine(text);
    if (reported.has(line)) return;
    // A recurring failure may be worded differently each time.
    if (reported.size >= mostRemembered) reported.clear();
    reported.add(line);
    tell(line, plain);
  };
}

/** Makes a text printable on one line: line breaks and tabs are made visible too. */
const printableLine = (text: string): string =>
  printable(text.replaceAll('\n', String.raw`\n`).replaceAll('\t', String.raw`\t`));
