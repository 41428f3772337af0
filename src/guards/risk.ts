import { findingsIn } from './judge.ts';
import { effectsOf } from './reading/call-effects.ts';
import { readToolCall } from './reading/tool-call.ts';

/** All risks, the lowest first. */
export const risks = ['low', 'medium', 'high'] as const;

/** How much a tool call may harm, as the rules of the guards see it. */
export type Risk = (typeof risks)[number];

/**
 * Judges a call by all rules, whichever are on: `high` if one of them would deny it, `medium` if one would ask. A
 * call that cannot be judged counts as `high`.
 */
export async function riskOf(
  tool: string,
  input: Readonly<Record<string, unknown>>,
  cwd: string,
): Promise<Risk> {
  const place = { cwd, isGuarded: undefined };
  try {
    const effects = effectsOf(readToolCall(tool, input), place);
    const found = await findingsIn(effects, place, { strictness: {}, protect: [], allow: [] });
    if (found.some(({ answer }) => answer === 'deny')) return 'high';
    return found.length > 0 ? 'medium' : 'low';
  } catch {
    return 'high';
  }
}
