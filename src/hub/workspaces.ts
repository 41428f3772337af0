/** Whether a pattern stands for a workspace: it is its name, or `laptop-7:*` for all that begin so. */
const stands = (pattern: string, workspace: string): boolean =>
  pattern.endsWith('*') ? workspace.startsWith(pattern.slice(0, -1)) : workspace === pattern;

/** Whether one of these patterns stands for a workspace. */
export const isWithin = (patterns: readonly string[], workspace: string): boolean =>
  patterns.some((pattern) => stands(pattern, workspace));
