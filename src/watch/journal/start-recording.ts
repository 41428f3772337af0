import { closeSync, writeSync } from 'node:fs';
import { isHookmachineError } from '../../base/errors.ts';
import { warn, warnPlainly, type WarningSink } from '../../base/log.ts';
import type { RecordingHeader } from './entry.ts';
import { formatVersion } from './header.ts';
import { journalTo, type JournalOptions } from './journal.ts';
import { openRecording, type OpenRecording } from './open-recording.ts';
import type { InspectObserver } from '../../core/host/config.ts';
import { redactedIn } from '../../settings/redaction/redact-settings.ts';
import { messageOf } from '../../base/message-of.ts';

export interface RecordingOptions extends Omit<JournalOptions, 'onProblem'> {
  /**
   * The project whose settings say what is redacted, in addition to `redact`; default: the process's working
   * directory.
   */
  readonly cwd?: string;
  /** Receives warnings, one line each; default: stderr. */
  readonly onWarning?: WarningSink;
}

/** A recording that is being written. */
export interface Recording {
  /** To be passed as a config's `inspect`. It never throws. */
  readonly observe: InspectObserver;
  /** To be called from a config's `onWarning`. */
  readonly warned: WarningSink;
  /** Stops writing; everything recorded so far has already been handed to the operating system. */
  close(): void;
}

/**
 * Records to a file as JSON lines, each written at once, so that the file is readable even if the process is
 * killed. If the disk cannot be written, a single warning says so, and no call fails.
 *
 * @example
 * const recording = startRecording('session.jsonl');
 * const config = createConfig({ cwd: process.cwd(), inspect: recording.observe });
 *
 * @throws {RecordingError} if the file exists and is not a recording
 * @throws {RedactionError} if payloads are requested and a redaction rule is broken
 */
export function startRecording(
  file: string,
  { cwd = process.cwd(), onWarning, ...options }: RecordingOptions = {},
): Recording {
  let open: OpenRecording | undefined;
  const close = (): void => {
    const { fd } = open ?? {};
    open = undefined;
    if (fd !== undefined) closeSync(fd);
  };
  const giveUp = (error: unknown): void => {
    warn(
      onWarning,
      `${file}: cannot be written (${messageOf(error)}), so nothing more is recorded`,
    );
    try {
      close();
    } catch {
      // Some file systems report only now that they are full.
    }
  };
  const write = (text: string): void => {
    if (open === undefined) return;
    try {
      // Written synchronously: a process that is killed has no chance to write later.
      const bytes = Buffer.from(text);
      for (let written = 0; written < bytes.length;) written += writeSync(open.fd, bytes, written);
    } catch (error) {
      giveUp(error);
    }
  };
  const problems: string[] = [];
  const journal = journalTo((entry) => write(`${JSON.stringify(entry)}\n`), {
    ...options,
    redact: redactedIn(cwd, options, (line) => problems.push(line)),
    onProblem: (text) => warn(onWarning, text),
  });
  try {
    open = openRecording(file);
  } catch (error) {
    if (isHookmachineError(error, 'RECORDING_INVALID')) throw error;
    giveUp(error);
  }
  const header: RecordingHeader = {
    kind: 'recording',
    format: 'hookmachine',
    version: formatVersion,
    at: Date.now(),
    payloads: options.payloads === true,
  };
  write(`${open?.isTorn ? '\n' : ''}${JSON.stringify(header)}\n`);
  for (const problem of problems) {
    journal.warned(problem, { text: problem });
    warnPlainly(onWarning, problem);
  }
  return { observe: journal.observe, warned: journal.warned, close };
}
