import type { Verdict } from '../../core/answers/verdict.ts';

/** Escapes a verdict's context, as hosts that embed it in a text do, so that it opens no element there. */
export function withEscapedContext(verdict: Verdict): Verdict {
  const { context, output } = verdict;
  if (context === undefined) return verdict;
  const text = context.replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  return {
    ...verdict,
    context: text,
    ...(output && {
      output: {
        ...output,
        hookSpecificOutput: { ...output.hookSpecificOutput, additionalContext: text },
      },
    }),
  };
}
