import type { HookSource } from '../protocol/events.ts';
import type { HookBundle } from './hook-definition.ts';
import type { SettingsOwner } from './levels.ts';
import type { ParsedJson } from './parse-json.ts';

/** Hooks as one source gives them, not yet checked. */
export interface HooksFromSource {
  readonly source: HookSource;
  /** Whose settings these are; default: LLxprt's. */
  readonly owner?: SettingsOwner;
  /** The value of the settings' `hooks` key. */
  readonly hooks: unknown;
  readonly file?: string;
  /** Where in the file the value at a path of the settings stands. */
  readonly locate?: ParsedJson['locate'] | undefined;
  /** Variables the commands of this source may use. */
  readonly env?: Readonly<Record<string, string>>;
  /** What a failure means of hooks that do not say it themselves; default: the operation goes on. */
  readonly onFailure?: 'block';
  /** The signed bundle whose settings these are. */
  readonly bundle?: HookBundle;
  /** The environment names the file, so it may only add hooks. */
  readonly isAdded?: boolean;
}
