import type { LeftBehind } from '../../machines/hook-process.ts';
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
  /** What a failure of the hook means; default: the operation goes on, unless a stronger level says otherwise. */
  readonly onFailure?: 'block';
  /** Its author wrote that a failure lets the operation go on, which no default changes. */
  readonly failsOpen?: true;
  /** A stronger level's default made it block: that is no part of what its author wrote, and of what was trusted. */
  readonly inheritsOnFailure?: true | undefined;
  /** What becomes of processes that it leaves when it ended in time; default: `end-group`. */
  readonly leftBehind?: LeftBehind;
  /** It does nothing before it has read its input. */
  readonly prestart?: true;
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

/** A hook definition as the registry holds it. */
export interface RegisteredHook extends HookDefinition {
  /** The name of its dialect. */
  readonly dialect: string;
  readonly enabled: boolean;
}
