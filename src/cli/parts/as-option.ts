/** The option of commands that record who gave them. */
export const asOption = ['--as <who>', 'who does it (default: your user name)'] as const;

/** What it holds. */
export interface AsOption {
  readonly as?: string;
}
