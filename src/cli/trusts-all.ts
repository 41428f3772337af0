/** Whether the user or their environment lets all hooks run; no settings can say so. */
export const trustsAll = (trust: boolean | undefined): boolean =>
  trust === true || ['1', 'true'].includes(process.env['HOOKMACHINE_TRUST'] ?? '');
