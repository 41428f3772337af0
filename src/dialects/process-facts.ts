import type { HookExit, HookProcessOutcome } from '../../machines/hook-process.ts';
import { defined } from '../protocol/output.ts';
import type { Answer, Effect, Ignored } from './answer.ts';

/** The answer of a hook that said nothing and did nothing wrong. */
const silent = {
  decision: undefined,
  stop: false,
  effects: [],
  timedOut: false,
  notes: [],
  plainText: false,
} as const;

/** Where a denial counts that a hook had printed before it ran into its deadline. */
export interface LateDenials {
  /** The display name of the host that would ignore it. */
  readonly host?: string;
}

/**
 * Reads an ended process as an answer. A process that never ran, ran too long or was given up on means
 * the same in every dialect; an exit means what `readExit` makes of it. Without `late`, nothing of what a
 * hook had printed before its deadline counts.
 */
export function readOutcome(
  outcome: HookProcessOutcome,
  readExit: (exit: HookExit) => Answer,
  late?: LateDenials,
): Answer {
  switch (outcome.status) {
    case 'failed':
      return noAnswer('failed', outcome.error, outcome.exit);
    case 'cancelled':
      return noAnswer('cancelled', new Error(`Cancelled: ${outcome.reason}`), outcome.exit);
    case 'timedOut': {
      const error = new Error(`Hook timed out after ${outcome.timeout}ms`);
      const timedOut = { ...noAnswer('timedOut', error, outcome.exit), timedOut: true };
      const said = late && outcome.exit && deniedInTime(outcome.exit, readExit);
      return said ? withDenial(timedOut, said, late) : timedOut;
    }
    case 'exited': {
      const answer = readExit(outcome.exit);
      const { survivors } = outcome.exit;
      const notes = [
        ...answer.notes,
        ...(answer.ignored ? [ignoredNote(answer.ignored)] : []),
        ...(outcome.exit.notes ?? []),
        ...(outcome.leftBackground && !survivors
          ? ['left background processes; they were ended']
          : []),
        ...survivorNotes(outcome.exit),
      ];
      return { ...answer, ...(survivors && { survivors }), notes };
    }
  }
}

/**
 * Returns what a hook had printed before its deadline, read as if it had exited with 0, if that denies or
 * stops: somebody meant it, whatever hung afterwards.
 */
function deniedInTime(exit: HookExit, readExit: (exit: HookExit) => Answer): Answer | undefined {
  const answer = readExit({ ...exit, exitCode: 0, signal: null });
  const denies = (answer.decision === 'deny' && !answer.unfit) || answer.stop;
  return answer.status === 'ok' && denies ? answer : undefined;
}

/** Returns the answer of a hook that timed out, with the denial that it had printed before. */
function withDenial(timedOut: Answer, said: Answer, { host }: LateDenials): Answer {
  const { decision, reason, stop, stopReason, effects, output } = said;
  const late = { why: 'it did not exit before its timeout', fix: 'exit after printing it' };
  const what = decision === 'deny' ? 'denial' : 'stop';
  const ignored = said.ignored ?? (host === undefined ? undefined : { host, what, ...late });
  return {
    ...timedOut,
    ...defined({ decision, reason, stopReason, output, ignored }),
    isInTime: true,
    stop,
    effects,
    notes: [...timedOut.notes, ...said.notes, ...(ignored ? [ignoredNote(ignored)] : [])],
  };
}

/** The note for a hook's author about the part of an answer that its own host would ignore. */
const ignoredNote = ({ host, what, why, fix }: Ignored): string =>
  `${host} would ignore this ${what}: ${why}${fix === undefined ? '' : `; ${fix}`}`;

/** Returns the answer for a hook whose own answer does not count. */
export function noAnswer(
  status: 'failed' | 'timedOut' | 'cancelled',
  error: Error,
  exit: HookExit | undefined,
): Answer {
  return {
    ...silent,
    status,
    error,
    success: false,
    exitCode: null,
    ...(exit?.signal && { signal: exit.signal }),
    stdout: exit?.stdout ?? '',
    stderr: exit?.stderr ?? '',
    durationMs: exit?.durationMs ?? 0,
    ...(exit?.httpStatus !== undefined && { httpStatus: exit.httpStatus }),
    ...(exit?.survivors && { survivors: exit.survivors }),
    notes: exit ? [...(exit.notes ?? []), ...survivorNotes(exit)] : [],
  };
}

/** Returns what is reported to the user about processes that could not be ended. */
const survivorNotes = ({ survivors = [] }: HookExit): string[] =>
  survivors.map(
    ({ pid, command, why }) =>
      `process ${pid} (${command || 'unnamed'}) could not be ended and is still running: ${why}; end it yourself`,
  );

/** Returns the facts of an exit, as every answer reports them. */
export const factsOf = (exit: HookExit) => ({
  ...silent,
  exitCode: exit.exitCode ?? 0,
  ...(exit.signal && { signal: exit.signal }),
  ...(exit.httpStatus !== undefined && { httpStatus: exit.httpStatus }),
  stdout: exit.stdout,
  stderr: exit.stderr,
  durationMs: exit.durationMs,
});

/** Returns the fields that make an answer a failure. */
export const failure = (message: string) =>
  ({ status: 'failed', success: false, error: new Error(message) }) as const;

/** Returns the note for the hook's author if the end of stderr is missing. */
export const cutNotes = ({ truncated }: HookExit): string[] =>
  truncated.includes('stderr') ? ['stderr went over 10 MiB; the rest was dropped'] : [];

/** Returns the answer of a hook that nobody waits for: only these effects of it count. */
export function unawaitedAnswer(answer: Answer, effects: readonly Effect[]): Answer {
  const {
    decision: _,
    reason: __,
    stopReason: ___,
    unreadable: ____,
    ignored: _____,
    ...facts
  } = answer;
  return { ...facts, decision: undefined, stop: false, effects };
}

/** Returns why an exit counts as a failure. */
export function failureText({ exitCode, signal }: HookExit): string {
  if (exitCode === null) return `Hook was killed by ${signal ?? 'a signal'}`;
  const meaning =
    exitCode === 127
      ? ' (command not found: check its path)'
      : exitCode === 126
        ? ' (not executable: is it a file, and did you chmod +x it?)'
        : '';
  return `Hook exited with code ${exitCode}${meaning}`;
}

/** The error when stdout was cut and the rest is not an answer. */
export const cutStdout = 'stdout went over 10 MiB, so the answer cannot be read; print less';

/**
 * Turns a failure into the denial that a hook's `onFailure: "block"` asks for. A hook that was given up
 * on did not fail, and one that denies already keeps its own reason.
 */
export function denyFailure<A extends Answer>(answer: A, hook: string): A {
  const { status, unreadable, stderr } = answer;
  if (answer.decision === 'deny' || status === 'cancelled') return answer;
  if (status === 'ok' && unreadable === undefined) return answer;
  const error = answer.error ?? new Error(unreadable);
  const said = status === 'failed' && stderr.trim() !== '' ? `: ${stderr.trim()}` : '';
  const denial = failureDenial(hook, `${error.message}${said}`);
  return {
    ...answer,
    status: status === 'ok' ? 'failed' : status,
    success: false,
    error,
    ...denial,
    effects: [],
    plainText: false,
    // The output was not taken as a message after all, and the error need not be repeated in a note.
    notes: answer.notes.filter(
      (note) =>
        unreadable === undefined || !(note.startsWith(unreadable) || unreadable.endsWith(note)),
    ),
    output: {
      // A stop still counts next to an unclear decision.
      ...(answer.stop && { continue: false, stopReason: answer.output?.stopReason }),
      ...denial,
    },
  };
}

/** Returns the denial that stands for a hook's failure, for the model to read. */
export function failureDenial(hook: string, text: string) {
  const name = hook.length > 80 ? `${hook.slice(0, 80)}…` : hook;
  const why = text.length > longestReason ? `${text.slice(0, longestReason)}…` : text;
  return { decision: 'deny', reason: `Blocked because the hook "${name}" failed: ${why}` } as const;
}

/** How much of a failed hook's stderr is passed to the model, in characters. */
const longestReason = 2_000;
