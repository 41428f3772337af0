/** Seed 003 "Exit Codes". Any other code is a failure of the hook and never blocks (HOOK-068). */
export const EXIT_CODE_SUCCESS = 0;
export const EXIT_CODE_NON_BLOCKING_ERROR = 1;
export const EXIT_CODE_BLOCKING_ERROR = 2;
