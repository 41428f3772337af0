/** Whether a project's hook may run; if not, why, and what the user can do. */
export type HookTrust =
  | { readonly trusted: true }
  | {
      readonly trusted: false;
      /** Continues "the hook was skipped: …". */
      readonly why: string;
      readonly mend: string;
    };
