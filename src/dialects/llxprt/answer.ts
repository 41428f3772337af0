import type { HookPayload } from '../../../machines/hook-event.ts';
import type { HookExit, HookProcessOutcome } from '../../../machines/hook-process.ts';
import type { HookEventName } from '../../protocol/events.ts';
import {
  EXIT_CODE_BLOCKING_ERROR,
  EXIT_CODE_SUCCESS,
  type HookOutput,
  isRecord,
} from '../../protocol/output.ts';
import { hookPointOf } from '../../hook-points.ts';
import type { Answer, Effect } from '../answer.ts';
import { withLostDenial } from '../near-misses.ts';
import { cutStdout, factsOf, failureText, readOutcome } from '../process-facts.ts';
import { readStdout, type Printed } from './printed.ts';

/** The reason of a block for which the hook gave none (C-26). */
const defaultReason = 'Blocked by hook';

/** What a hook's ended process means (HOOK-063 to 070, 189 to 201; C-25 to C-31). */
export const readAnswer = (
  event: HookEventName,
  outcome: HookProcessOutcome,
  told: HookPayload = {},
): Answer => withLostDenial(readOutcome(outcome, (exit) => readExit(event, exit, told)));

function readExit(event: HookEventName, exit: HookExit, told: HookPayload): Answer {
  const base = {
    ...factsOf(exit),
    status: 'ok',
    notes: exit.truncated
      .filter((stream) => stream === 'stderr' || exit.exitCode !== EXIT_CODE_SUCCESS)
      .map((stream) => `${stream} went over 10 MiB; the rest was dropped`),
  } satisfies Partial<Answer>;
  if (exit.exitCode === EXIT_CODE_BLOCKING_ERROR)
    return {
      ...base,
      success: false,
      decision: 'deny',
      reason: denialReason(event, exit),
      output: { decision: 'deny', reason: denialReason(event, exit) },
    };
  if (exit.exitCode !== EXIT_CODE_SUCCESS) {
    const said = exit.stderr.trim();
    return {
      ...base,
      status: 'failed',
      success: false,
      error: new Error(failureText(exit)),
      ...(said !== '' && { output: { decision: 'allow', systemMessage: `Warning: ${said}` } }),
    };
  }
  const printed = readStdout(event, exit.stdout, told);
  // What was kept may hold a whole answer all the same; only a denial or a stop is taken from it.
  if (exit.truncated.includes('stdout') && !forbids(printed))
    return {
      ...base,
      status: 'failed',
      success: false,
      error: new Error(cutStdout),
    };
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
        effects: [{ kind: 'message', text: printed.text }],
        notes: [...base.notes, ...printed.notes],
        ...(printed.unreadable && { unreadable: printed.unreadable }),
      };
    case 'object': {
      const { output, notes, unreadable, repeatsResponse } = printed;
      return {
        ...base,
        success: true,
        decision: meaningOf(output.decision),
        stop: output.continue === false,
        ...(output.reason && { reason: output.reason }),
        ...(output.stopReason && { stopReason: output.stopReason }),
        output,
        effects: effectsOf(event, output),
        notes: [...base.notes, ...atMost(mostNotes, notes)],
        ...(repeatsResponse && { repeatsResponse }),
        ...(unreadable && { unreadable }),
      };
    }
  }
}

/** What an output wants changed; key by key, as LLxprt spreads it. */
function effectsOf(event: HookEventName, output: HookOutput): Effect[] {
  const { slots } = hookPointOf(event);
  const { systemMessage, suppressOutput, hookSpecificOutput = {} } = output;
  const effects: Effect[] = [];
  for (const [name, value] of Object.entries(hookSpecificOutput)) {
    const slot = slots.find((known) => known === name);
    if (slot && isRecord(value)) effects.push({ kind: 'patch', slot, value });
    else if (name === 'additionalContext' && typeof value === 'string')
      effects.push({ kind: 'context', text: value });
    else effects.push({ kind: 'own', name, value });
  }
  if (systemMessage) effects.push({ kind: 'message', text: systemMessage });
  if (suppressOutput) effects.push({ kind: 'hide' });
  return effects;
}

/** Of a hook's output no more is said than this, however much is wrong with it. */
const mostNotes = 10;

const atMost = (most: number, notes: readonly string[]): readonly string[] =>
  notes.length <= most
    ? notes
    : [...notes.slice(0, most), `${notes.length - most} more things were not understood`];

const forbids = (printed: Printed): boolean =>
  printed.kind === 'object' &&
  (meaningOf(printed.output.decision) === 'deny' || printed.output.continue === false);

/** How much of a hook's plain text is worth telling the model, in characters. */
const longestText = 100_000;

const shortened = (text: string): string =>
  text.length > longestText ? `${text.slice(0, longestText)}…` : text;

/** Stderr, else what stdout says of the reason, else a fixed text; nothing else of stdout is used (C-25). */
function denialReason(event: HookEventName, exit: HookExit): string {
  const said = exit.stderr.trim();
  if (said !== '') return shortened(said);
  const printed = readStdout(event, exit.stdout);
  switch (printed.kind) {
    case 'nothing':
      return defaultReason;
    case 'text':
      return shortened(printed.text);
    case 'object':
      return printed.output.reason?.trim() ? printed.output.reason : defaultReason;
  }
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
