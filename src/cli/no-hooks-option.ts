/** The option of every command that runs hooks; commander makes `hooks: false` of it. */
export const noHooksOption = [
  '--no-hooks',
  'run no hook at all, whatever the settings say',
] as const;
