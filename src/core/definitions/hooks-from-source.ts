import type { HookSource } from '../protocol/events.ts';
import type { HookBundle } from './hook-definition.ts';
import type { SettingsOwner } from './settings.ts';
import type { Locate } from './problem.ts';

/** The hooks of one source, not yet checked. */
export interface HooksFromSource {
  readonly source: HookSource;
  /** Whose settings these are; default: LLxprt's. */
  readonly owner?: SettingsOwner;
  /** The value of the settings' `hooks` key. */
  readonly hooks: unknown;
  /** The value of the settings' `guards` key. */
  readonly guards?: unknown;
  /** The value of the settings' `budget` key. */
  readonly budget?: unknown;
  readonly file?: string;
  /** Returns the position in the file of the value at a settings path. */
  readonly locate?: Locate | undefined;
  /** Variables that commands from this source may use. */
  readonly env?: Readonly<Record<string, string>>;
  /** What a failure means for hooks that do not say so themselves; default: the operation continues. */
  readonly onFailure?: 'block';
  /** The signed bundle whose settings these are. */
  readonly bundle?: HookBundle;
  /** The environment names the file, so the file may only add hooks. */
  readonly isAdded?: boolean;
}
