import type { HookEventName, HookSource } from '../protocol/events.ts';

/** One hook definition as the registry holds it. */
export interface HookDefinition {
  readonly event: HookEventName;
  readonly type: 'command' | 'plugin';
  /** The shell command, as the user wrote it; with `args`, a program's file; '' for a plugin. */
  readonly command: string;
  /** The arguments of a program that is started without a shell. */
  readonly args?: readonly string[];
  /** `name` of the settings, else the command: the id for messages and for enabling (C-03). */
  readonly name: string;
  readonly description?: string;
  /** Deadline in ms. */
  readonly timeout: number;
  /** What a failure of the hook means; default: the operation goes on. */
  readonly onFailure?: 'block';
  readonly matcher?: string;
  /** Whether its group asked for a sequence. */
  readonly sequential: boolean;
  readonly source: HookSource;
  /** The settings file, when it came from one. */
  readonly file?: string;
  /** Where in the settings, such as `hooks.BeforeTool[0].hooks[1]`. */
  readonly place: string;
  /** Variables the command may use beyond the project's, such as an extension's `extensionPath`. */
  readonly env: Readonly<Record<string, string>>;
}
