import type { CallbackLogicFunction, EventObject } from 'xstate';
import type { HookCommand, ProcessOrder } from '../../../machines/hook-process.ts';
import type { RegisteredHook } from '../definitions/hook-definition.ts';

/** The process port of the `hookProcess` machine, as a callback actor's logic. */
export type RunHook = CallbackLogicFunction<ProcessOrder, EventObject, HookCommand>;

/** A command with what runs it. */
export interface RunnableCommand extends HookCommand {
  readonly run: RunHook;
}

/** What runs hooks of every kind. The engine knows no process, no disk and no network: it is given this. */
export interface Handlers {
  readonly run: RunHook;
  /** Says why a command could not be run, where the file that it names shows that (exit 126 and 127). */
  readonly faultBehind: (command: HookCommand) => string | undefined;
  /** The files that a waiting process of a hook depends on. */
  readonly filesBehind: (hook: RegisteredHook, cwd: string) => Promise<readonly string[]>;
}
