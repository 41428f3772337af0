/** Writes a line of the debug log, with the formats of Node's `util.format`. */
type DebugChannel = (format: string, ...values: readonly unknown[]) => void;

/**
 * A debug channel; all of hookmachine's lie under `llxprt:core:hooks:*` (C-102). What DEBUG says is
 * asked with each line, for a host's `debug.enable` sets it. One record is one line, and nothing in it,
 * whoever said it, is obeyed by a terminal. Not the package `debug` itself: bundled into an ES module it
 * ends the program that asks it for a line.
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
  const name = `llxprt:core:hooks:${part}`;
  return (format, ...values) => {
    const wanted = process.env['DEBUG'];
    if (!wanted || !isWanted(name, wanted)) return;
    process.stderr.write(`${new Date().toISOString()} ${name} ${recordOf(format, values)}\n`);
  };
}

/** Objects are written on one line too. */
function recordOf(format: string, values: readonly unknown[]): string {
  const { format: inText, inspect } = process.getBuiltinModule('node:util');
  const texts = values.map((value) =>
    typeof value === 'object' && value !== null
      ? inspect(value, { breakLength: Infinity, compact: true })
      : value,
  );
  return printableLine(inText(format.replaceAll(/%[oO]/g, '%s'), ...texts));
}

/** Whether a list of names, as `debug` reads them, names this one: `*` stands for anything, and `-` in front leaves out. */
function isWanted(name: string, list: string): boolean {
  const patterns = list.split(/[\s,]+/).filter(Boolean);
  const fits = (pattern: string): boolean => {
    const escaped = pattern.replaceAll(/[.+?^${}()|[\]\\]/g, String.raw`\$&`);
    return new RegExp(`^${escaped.replaceAll('*', '.*')}$`).test(name);
  };
  return (
    patterns.some((pattern) => !pattern.startsWith('-') && fits(pattern)) &&
    !patterns.some((pattern) => pattern.startsWith('-') && fits(pattern.slice(1)))
  );
}

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
    .replaceAll(/\p{Cc}|\p{Bidi_Control}|[\u2028\u2029]/gu, '')
    .trim();
  return line.length > longest ? `${line.slice(0, longest)}…` : line;
};

const debugWarnings = debugChannel('system');

/**
 * Tells the user through the host's sink, or on stderr. It never throws: a host whose sink throws
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

/** How many warnings are remembered. */
const mostRemembered = 10_000;

/** Passes each warning on once, on one line: what was reported of the settings is not reported again when they are read again. */
export function tellOnce(tell: (line: string) => void): (text: string) => void {
  const reported = new Set<string>();
  return (text) => {
    const line = oneLine(text);
    if (reported.has(line)) return;
    // What fails may say why in other words each time.
    if (reported.size >= mostRemembered) reported.clear();
    reported.add(line);
    tell(line);
  };
}

/**
 * A text for a terminal: control and bidirectional characters, which could play tricks there, are
 * made visible. What models, tools and settings say may come from strangers.
 */
export const printable = (text: string): string =>
  text.replaceAll(
    /[^\P{Cc}\n\t]|\p{Bidi_Control}|[\u2028\u2029]/gu,
    (char) => `\\u{${char.codePointAt(0)!.toString(16)}}`,
  );

/** The same on one line: its breaks and tabs are made visible too. */
export const printableLine = (text: string): string =>
  printable(text.replaceAll('\n', String.raw`\n`).replaceAll('\t', String.raw`\t`));
