import type { HookPayload } from '../../../machines/hook-event.ts';
import type { HookEventName } from '../../protocol/events.ts';
import type { Answer } from '../answer.ts';
import type { Dialect } from '../dialect.ts';
import { readAnswer } from './answer.ts';
import { kodeletOutline, kodeletStrictOutline } from './outline.ts';
import { toStdin } from './stdin.ts';

/**
 * Kodelet's protocol (seed 002): executables that say what they are. Its hooks run one after another,
 * each seeing what those before it changed; any block blocks (C-108).
 */
export const kodelet: Dialect = {
  ...kodeletOutline,
  environment: () => ({}),
  stdin: toStdin,
  read: readAnswer,
  chain: passOn,
  standing: (answers) => answers,
};

/**
 * Kodelet's hooks as ADR 021's own executor ran them: each is told what the first was told, and the
 * last that ended with 0 decides alone, an empty answer of a logger too. It undoes denials of other
 * Kodelet hooks, never those of another dialect.
 */
export const kodeletStrict: Dialect = {
  ...kodelet,
  ...kodeletStrictOutline,
  // What a hook decides does not count before all have spoken.
  read: (...ended) => ({ ...readAnswer(...ended), decision: undefined }),
  chain: (_, payload) => payload,
  standing: (answers) => {
    const last = answers.findLast(
      ({ exitCode, signal, timedOut }) => exitCode === 0 && signal === undefined && !timedOut,
    );
    if (last === undefined) return [];
    const isDenied = last.output?.decision === 'deny';
    return [isDenied ? { ...last, decision: 'deny' as const } : last];
  },
};

/** What a hook put in place of the arguments or of the result is what the next one is told. */
function passOn(_event: HookEventName, payload: HookPayload, answer: Answer): HookPayload {
  const { toolInput, toolResponse } = answer;
  return {
    ...payload,
    ...(toolInput && { tool_input: toolInput }),
    ...(toolResponse && { tool_response: toolResponse }),
  };
}
