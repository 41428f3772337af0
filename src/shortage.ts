/** Whether the system just now has no descriptor or memory to spare, which says nothing of what was asked for. */
export const isShortage = (error: unknown): boolean =>
  ['EMFILE', 'ENFILE', 'ENOMEM'].includes((error as NodeJS.ErrnoException).code ?? '');
