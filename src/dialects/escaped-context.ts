import type { Verdict } from './verdict.ts';

/** A verdict whose context can open no element of another text, as hosts that put it into one escape it. */
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
