import type { HookExit, HookProcessOutcome } from '../../machines/hook-process.ts';
import type { Answer } from './answer.ts';

/** The answer of a hook that said nothing and did nothing wrong. */
const silent = {
  decision: undefined,
  stop: false,
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
      return unheard('failed', outcome.error, undefined);
    case 'cancelled':
      return unheard('cancelled', new Error(`Cancelled: ${outcome.reason}`), outcome.exit);
    case 'timedOut': {
      const error = new Error(`Hook timed out after ${outcome.timeout}ms`);
      return { ...unheard('timedOut', error, outcome.exit), timedOut: true };
    }
    case 'exited': {
      const answer = readExit(outcome.exit);
      if (!outcome.leftBackground) return answer;
      return { ...answer, notes: [...answer.notes, 'left background processes; they were ended'] };
    }
  }
}

/** A hook whose answer does not count. */
function unheard(
  fared: 'failed' | 'timedOut' | 'cancelled',
  error: Error,
  exit: HookExit | undefined,
): Answer {
  return {
    ...silent,
    fared,
    error,
    success: false,
    exitCode: null,
    ...(exit?.signal && { signal: exit.signal }),
    stdout: exit?.stdout ?? '',
    stderr: exit?.stderr ?? '',
    durationMs: exit?.durationMs ?? 0,
  };
}

/** The facts of an exit, as every answer tells them. */
export const factsOf = (exit: HookExit) => ({
  ...silent,
  exitCode: exit.exitCode ?? 0,
  ...(exit.signal && { signal: exit.signal }),
  stdout: exit.stdout,
  stderr: exit.stderr,
  durationMs: exit.durationMs,
});

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
