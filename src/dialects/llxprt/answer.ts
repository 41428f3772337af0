import type { HookExit, HookProcessOutcome } from '../../../machines/hook-process.ts';
import type { HookEventName } from '../../protocol/events.ts';
import { EXIT_CODE_BLOCKING_ERROR, EXIT_CODE_SUCCESS } from '../../protocol/exit-codes.ts';
import { checkHookOutput, isRecord, type HookOutput } from '../../protocol/output.ts';
import type { Answer } from '../answer.ts';

/** The reason of a block for which the hook gave none (C-26). */
const defaultReason = 'Blocked by hook';

/** What a hook's ended process means (HOOK-063 to 070, 189 to 201; C-25 to C-31). */
export function readAnswer(event: HookEventName, outcome: HookProcessOutcome): Answer {
  switch (outcome.status) {
    case 'failed':
      return unheard('failed', outcome.error, undefined);
    case 'cancelled':
      return unheard('cancelled', new Error(`Cancelled: ${outcome.reason}`), outcome.exit);
    case 'timedOut':
      return {
        ...unheard(
          'timedOut',
          new Error(`Hook timed out after ${outcome.timeout}ms`),
          outcome.exit,
        ),
        timedOut: true,
      };
    case 'exited': {
      const answer = readExit(event, outcome.exit);
      if (!outcome.leftBackground) return answer;
      return { ...answer, notes: [...answer.notes, 'left background processes; they were ended'] };
    }
  }
}

const silent = {
  decision: undefined,
  stop: false,
  timedOut: false,
  notes: [],
  plainText: false,
} as const;

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

function readExit(event: HookEventName, exit: HookExit): Answer {
  const base = {
    ...silent,
    fared: 'ok',
    exitCode: exit.exitCode ?? 0,
    ...(exit.signal && { signal: exit.signal }),
    stdout: exit.stdout,
    stderr: exit.stderr,
    durationMs: exit.durationMs,
    notes: exit.truncated
      .filter((stream) => stream === 'stderr' || exit.exitCode !== EXIT_CODE_SUCCESS)
      .map((stream) => `${stream} went over 10 MiB; the rest was dropped`),
  } satisfies Partial<Answer>;
  if (exit.exitCode === EXIT_CODE_BLOCKING_ERROR)
    return {
      ...base,
      success: false,
      decision: 'deny',
      output: { decision: 'deny', reason: denialReason(event, exit) },
    };
  if (exit.exitCode !== EXIT_CODE_SUCCESS) {
    const said = exit.stderr.trim();
    return {
      ...base,
      fared: 'failed',
      success: false,
      error: new Error(failureText(exit)),
      ...(said !== '' && { output: { decision: 'allow', systemMessage: `Warning: ${said}` } }),
    };
  }
  if (exit.truncated.includes('stdout'))
    return {
      ...base,
      fared: 'failed',
      success: false,
      error: new Error('stdout went over 10 MiB, so the answer cannot be read; print less'),
    };
  const printed = parseStdout(exit.stdout);
  switch (printed.kind) {
    case 'nothing':
      return { ...base, success: true };
    case 'text':
      return {
        ...base,
        success: true,
        plainText: true,
        decision: 'allow',
        output: { decision: 'allow', systemMessage: printed.text },
      };
    case 'object': {
      const { output, notes } = checkHookOutput(printed.object);
      const normal = event === 'BeforeTool' ? withPermissionDecision(output) : output;
      return {
        ...base,
        success: true,
        decision: meaningOf(normal.decision),
        stop: normal.continue === false,
        output: normal,
        notes: [...base.notes, ...notes],
      };
    }
  }
}

type Printed =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'object'; readonly object: Readonly<Record<string, unknown>> };

/** Stdout as JSON, encoded once or twice, else as plain text (HOOK-193, HOOK-201, HOOK-212, C-30). */
function parseStdout(stdout: string): Printed {
  const text = stdout.trim();
  if (text === '') return { kind: 'nothing' };
  try {
    let value: unknown = JSON.parse(text);
    if (typeof value === 'string') value = JSON.parse(value);
    if (value === null) return { kind: 'nothing' };
    if (isRecord(value)) return { kind: 'object', object: value };
  } catch {
    // plain text
  }
  return { kind: 'text', text };
}

/** Stderr, else what stdout says of the reason, else a fixed text; nothing else of stdout is used (C-25). */
function denialReason(event: HookEventName, exit: HookExit): string {
  const said = exit.stderr.trim();
  if (said !== '') return said;
  const printed = parseStdout(exit.stdout);
  if (printed.kind === 'text') return printed.text;
  if (printed.kind === 'nothing') return defaultReason;
  const { output } = checkHookOutput(printed.object);
  const { reason } = event === 'BeforeTool' ? withPermissionDecision(output) : output;
  return reason?.trim() ? reason : defaultReason;
}

/** BeforeTool's compatibility fields as the common ones, so that no merge can miss them (HOOK-169, HOOK-199, C-52). */
function withPermissionDecision(output: HookOutput): HookOutput {
  const { permissionDecision, permissionDecisionReason } = output.hookSpecificOutput ?? {};
  const denies = permissionDecision === 'deny' || permissionDecision === 'block';
  const asks = permissionDecision === 'ask' && output.decision === undefined;
  const reason =
    typeof permissionDecisionReason === 'string' && permissionDecisionReason !== ''
      ? permissionDecisionReason
      : undefined;
  return {
    ...output,
    ...((denies || asks) && { decision: permissionDecision }),
    ...(reason !== undefined && { reason }),
  };
}

function meaningOf(decision: HookOutput['decision']): Answer['decision'] {
  switch (decision) {
    case 'block':
    case 'deny':
      return 'deny';
    case 'ask':
      return 'ask';
    case 'allow':
    case 'approve':
      return 'allow';
    case null:
    case undefined:
      return undefined;
  }
}

function failureText(exit: HookExit): string {
  if (exit.exitCode === null) return `Hook was ended by ${exit.signal ?? 'a signal'}`;
  const meaning =
    exit.exitCode === 127
      ? ' (command not found: check its path)'
      : exit.exitCode === 126
        ? ' (not executable: is it a file, and did you chmod +x it?)'
        : '';
  return `Hook exited with code ${exit.exitCode}${meaning}`;
}
