/** The option of commands whose agent or tool writes files. */
export const allowGuardWritesOption = [
  '--allow-guard-writes',
  'let built-in tools write hooks, their settings, and trusted scripts',
] as const;
