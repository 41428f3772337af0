import type { HookHost, InspectObserver } from '../../core/host/config.ts';
import type { JournalEntry } from '../journal/entry.ts';
import { journalTo, type JournalOptions } from '../journal/journal.ts';
import { redactedIn } from '../../settings/redaction/redact-settings.ts';
import { warnPlainly, type WarningSink } from '../../base/log.ts';
import { addObserver } from '../../core/run/telemetry.ts';
import { Feed } from './feed.ts';
import type { HistoryLimits } from './history.ts';
import { serveFeed, type Beside, type Inspector, type ServeOptions } from './serve-feed.ts';

/** Something that can be inspected: a config, or a hook system that has one. */
export type Inspectable = HookHost | { readonly config: HookHost };

export interface InspectorOptions extends JournalOptions, ServeOptions {
  /** How much is kept for pages that are opened late; default: a million entries and 96 MiB. */
  readonly limits?: HistoryLimits;
}

/** A page that shows a session as it runs. */
export interface LiveInspector extends Inspector {
  /** Shows a warning on the page; to be called from a config's `onWarning`. */
  readonly warned: WarningSink;
  /** Shows an entry that another process recorded. */
  readonly add: (entry: JournalEntry) => void;
  /** Tells the page that the session has ended; the page is still served. */
  end(): void;
}

/**
 * Serves a page that shows every machine that starts from now on. It listens on the loopback address only,
 * and requires the token in its address. What the project's settings redact is redacted in addition to
 * `redact`. The page does not keep the process alive.
 *
 * @example
 * const inspector = await startInspector(config);
 * console.error(`Look at ${inspector.url}`);
 *
 * @throws {HookmachineError} if the port cannot be used
 * @throws {RedactionError} if payloads are requested and a redaction rule is broken
 */
export async function startInspector(
  target: Inspectable,
  options: InspectorOptions = {},
): Promise<LiveInspector> {
  const config = 'config' in target ? target.config : target;
  const cwd = config.getWorkingDir();
  const problems: string[] = [];
  const { observe, ...inspector } = await serveJournal(cwd, {
    ...options,
    redact: redactedIn(cwd, options, (line) => problems.push(line)),
  });
  for (const problem of problems) {
    inspector.warned(problem, { text: problem });
    warnPlainly(config.onWarning, problem);
  }
  const leave = addObserver(config, observe);
  return {
    ...inspector,
    close() {
      leave();
      return inspector.close();
    },
  };
}

/** Starts an inspector before there is a config: pass `observe` to the config as its `inspect`. */
export async function serveJournal(
  title: string,
  { limits, port, holdsProcess, durable, ...options }: InspectorOptions = {},
  beside?: Beside,
): Promise<LiveInspector & { readonly observe: InspectObserver }> {
  const payloads = options.payloads === true;
  const approvals = durable !== undefined;
  const feed = new Feed({ source: 'live', title, payloads, approvals }, limits);
  let isClosed = false;
  const add = (entry: JournalEntry): void => {
    // Running machines continue, but nobody can see them any more.
    if (!isClosed) feed.write(entry);
  };
  const journal = journalTo(add, options);
  const inspector = await serveFeed(
    feed,
    {
      ...(port !== undefined && { port }),
      ...(holdsProcess !== undefined && { holdsProcess }),
      ...(durable && { durable }),
    },
    beside,
  );
  return {
    ...inspector,
    add,
    observe: journal.observe,
    warned: journal.warned,
    end: () => feed.end(),
    close() {
      isClosed = true;
      return inspector.close();
    },
  };
}
