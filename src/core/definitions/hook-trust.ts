import type { UnaskedHook } from './hook-definition.ts';

/** Whether a project's hook may run; if not, why, and what the user can do. */
export type HookTrust =
  | { readonly trusted: true }
  | {
      readonly trusted: false;
      /** Continues "the hook was skipped: …". */
      readonly why: string;
      /** `why` without what others said, if it quotes them. */
      readonly plainWhy?: string;
      readonly fix: string;
    };

/**
 * Checks whether a hook is as the user trusted it, as far as can be told without reading its files: for
 * plans.
 */
export type CheckTrust = (hook: UnaskedHook) => HookTrust;

/** Reads a hook's files and checks whether all of it is as the user trusted it: for its start. */
export type VerifyTrust = (hook: UnaskedHook) => Promise<HookTrust>;
