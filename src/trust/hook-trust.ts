import type { UnaskedHook } from '../settings/hook-definition.ts';

/** Whether a project's hook may run; if not, why, and what the user can do. */
export type HookTrust =
  | { readonly trusted: true }
  | {
      readonly trusted: false;
      /** Continues "the hook was skipped: …". */
      readonly why: string;
      readonly fix: string;
    };

/** Whether a hook is as the user trusted it, as far as can be known without looking at its files: for plans. */
export type CheckTrust = (hook: UnaskedHook) => HookTrust;

/** Whether a hook and all its files are as the user trusted them, read now: for its start. */
export type VerifyTrust = (hook: UnaskedHook) => Promise<HookTrust>;
