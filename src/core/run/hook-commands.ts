import { resolve } from 'node:path';
import type { HookCommand } from '../../../machines/hook-process.ts';
import type { RegisteredHook } from '../definitions/hook-definition.ts';
import type { Handlers, RunnableCommand } from '../host/handlers.ts';
import { type AskModel, askModelOf, handlerOf, sharingKey } from './handler-of.ts';

/** For plans that are only looked at. */
const noHandlers: Handlers = {
  run: () => {
    throw new Error('No hook is run here.');
  },
  faultBehind: () => undefined,
  filesBehind: () => Promise.resolve([]),
};

/** What an event adds to a hook's command. */
interface CommandEvent {
  /** The event's folder, which a hook's own is relative to. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly stdin: () => string;
}

/** Turns hooks into commands. What no event changes is made once a hook. */
export class HookCommands {
  readonly #handlers: Handlers;
  readonly #askModel: AskModel;
  readonly #fixed = new WeakMap<RegisteredHook, Omit<RunnableCommand, keyof CommandEvent>>();

  constructor(handlers: Handlers = noHandlers, askModel: AskModel = askModelOf({})) {
    this.#handlers = handlers;
    this.#askModel = askModel;
  }

  command(hook: RegisteredHook, { cwd, env, stdin }: CommandEvent): RunnableCommand {
    const command = {
      ...this.#fixedOf(hook),
      cwd: hook.cwd === undefined ? cwd : resolve(cwd, hook.cwd),
      env: hook.env ? { ...hook.env, ...env } : env,
      stdin,
    };
    return hook.prestart || hook.type === 'live'
      ? { ...command, filesBehind: filesBehind(this.#handlers, hook, cwd) }
      : command;
  }

  /** Says why a command could not be run, where the file that it names shows that. */
  faultBehind(command: HookCommand): string | undefined {
    return this.#handlers.faultBehind(command);
  }

  #fixedOf(hook: RegisteredHook): Omit<RunnableCommand, keyof CommandEvent> {
    let fixed = this.#fixed.get(hook);
    if (fixed === undefined) {
      fixed = {
        command: hook.command,
        run: this.#handlers.run,
        sharing: sharingKey(hook),
        ...handlerOf(hook, this.#askModel),
        ...(hook.args && { args: hook.args }),
        ...(hook.shell && { shell: hook.shell }),
        // The user's variables must not weaken what an administrator set up.
        ...(hook.source === 'system' && { isClean: true }),
        ...(hook.prestart && { prestart: true }),
      };
      this.#fixed.set(hook, fixed);
    }
    return fixed;
  }
}

/**
 * The files that a waiting process of a hook depends on. The function is kept, so it holds nothing of an
 * event.
 */
const filesBehind = (handlers: Handlers, hook: RegisteredHook, cwd: string) => () =>
  handlers.filesBehind(hook, cwd);
