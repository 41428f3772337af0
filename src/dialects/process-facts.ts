import type { HookExit, HookProcessOutcome } from '../../machines/hook-process.ts';
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

/**
 * An ended process as an answer: one that never ran, ran too long or was given up on is the same in
 * every dialect; an exit means what `readExit` makes of it.
 */
export function readOutcome(
  outcome: HookProcessOutcome,
  readExit: (exit: HookExit) => Answer,
): Answer {
  switch (outcome.status) {
    case 'failed':
      return noAnswer('failed', outcome.error, outcome.exit);
    case 'cancelled':
      return noAnswer('cancelled', new Error(`Cancelled: ${outcome.reason}`), outcome.exit);
    case 'timedOut': {
      const error = new Error(`Hook timed out after ${outcome.timeout}ms`);
      return { ...noAnswer('timedOut', error, outcome.exit), timedOut: true };
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

/** What its own host would ignore of an answer, as a note for the hook's author. */
const ignoredNote = ({ host, what, why, fix }: Ignored): string =>
  `${host} would ignore this ${what}: ${why}${fix === undefined ? '' : `; ${fix}`}`;

/** The answer of a hook whose own does not count. */
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

/** What is reported to the user of processes that nothing ended. */
const survivorNotes = ({ survivors = [] }: HookExit): string[] =>
  survivors.map(
    ({ pid, command, why }) =>
      `process ${pid} (${command || 'unnamed'}) could not be ended and runs on: ${why}; end it yourself`,
  );

/** The facts of an exit, as every answer reports them. */
export const factsOf = (exit: HookExit) => ({
  ...silent,
  exitCode: exit.exitCode ?? 0,
  ...(exit.signal && { signal: exit.signal }),
  ...(exit.httpStatus !== undefined && { httpStatus: exit.httpStatus }),
  stdout: exit.stdout,
  stderr: exit.stderr,
  durationMs: exit.durationMs,
});

/** What makes an answer a failure. */
export const failure = (message: string) =>
  ({ status: 'failed', success: false, error: new Error(message) }) as const;

/** That the end of stderr is missing, as a note for the hook's author. */
export const cutNotes = ({ truncated }: HookExit): string[] =>
  truncated.includes('stderr') ? ['stderr went over 10 MiB; the rest was dropped'] : [];

/** The answer of a hook that nobody waits for: of what it said nothing counts but these effects. */
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

/** Why an exit counts as a failure. */
export function failureText({ exitCode, signal }: HookExit): string {
  if (exitCode === null) return `Hook was ended by ${signal ?? 'a signal'}`;
  const meaning =
    exitCode === 127
      ? ' (command not found: check its path)'
      : exitCode === 126
        ? ' (not executable: is it a file, and did you chmod +x it?)'
        : '';
  return `Hook exited with code ${exitCode}${meaning}`;
}

/** Stdout was cut, and what was kept makes no answer. */
export const cutStdout = 'stdout went over 10 MiB, so the answer cannot be read; print less';

/**
 * A failure as the denial that a hook's `onFailure: "block"` makes of it: a hook that was given up on
 * did not fail, and one that denies already keeps its own reason.
 */
export function denyFailure<A extends Answer>(answer: A, hook: string): A {
  const { status, unreadable, stderr } = answer;
  if (answer.decision === 'deny' || status === 'cancelled') return answer;
  if (status === 'ok' && unreadable === undefined) return answer;
  const error = answer.error ?? new Error(unreadable);
  const said = status === 'failed' && stderr.trim() !== '' ? `: ${stderr.trim()}` : '';
  return {
    ...answer,
    status: status === 'ok' ? 'failed' : status,
    success: false,
    error,
    decision: 'deny',
    reason: failureDenial(hook, `${error.message}${said}`).reason,
    effects: [],
    plainText: false,
    // It was not taken as a message after all, and what the error says need not be said twice.
    notes: answer.notes.filter(
      (note) =>
        unreadable === undefined || !(note.startsWith(unreadable) || unreadable.endsWith(note)),
    ),
    output: {
      // Beside a decision that is unclear, a stop stands.
      ...(answer.stop && { continue: false, stopReason: answer.output?.stopReason }),
      ...failureDenial(hook, `${error.message}${said}`),
    },
  };
}

/** The denial that the failure of a hook is, for the model to read. */
export function failureDenial(hook: string, text: string) {
  const name = hook.length > 80 ? `${hook.slice(0, 80)}…` : hook;
  const why = text.length > longestReason ? `${text.slice(0, longestReason)}…` : text;
  return { decision: 'deny', reason: `Blocked because the hook "${name}" failed: ${why}` } as const;
}

/** How much of a failed hook's stderr is worth telling the model, in characters. */
const longestReason = 2_000;
