import { resolve } from 'node:path';
import type { Handler, HookCommand } from '../../../machines/hook-process.ts';
import type { RegisteredHook } from '../definitions/hook-definition.ts';
import type { Handlers, RunnableCommand } from '../host/handlers.ts';
import type { HookDefinition, UnaskedHook } from '../definitions/hook-definition.ts';
import type { Model } from '../translate/model.ts';
import { textsOf } from '../translate/turns.ts';

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
      env: { ...hook.env, ...env },
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

/** Returns what answers a hook of this definition instead of a process of its own; nothing for a command. */
export function handlerOf(
  hook: HookDefinition,
  askModel: AskModel,
): { readonly handler?: Handler } {
  switch (hook.type) {
    case 'function':
    case 'cedar':
      return { handler: { kind: 'function', call: hook.call! } };
    case 'module':
      return { handler: { kind: 'module' } };
    case 'live': {
      const { concurrency } = hook;
      return { handler: { kind: 'live', ...(concurrency !== undefined && { concurrency }) } };
    }
    case 'http':
      return { handler: { kind: 'http', ...httpFieldsOf(hook) } };
    case 'acs': {
      const { agent, secretFile } = hook;
      const own = {
        ...(agent !== undefined && { agent }),
        ...(secretFile !== undefined && { secretFile }),
      };
      return { handler: { kind: 'acs', ...httpFieldsOf(hook), ...own } };
    }
    case 'prompt':
      return {
        handler: {
          kind: 'prompt',
          ask: (prompt, signal) => askModel(hook.model, prompt, signal),
        },
      };
    case 'command':
    case 'plugin':
      return {};
  }
}

/** How a hook's server is asked. */
function httpFieldsOf(hook: HookDefinition) {
  const { headers, allowedEnv, allowedEnvKey, allowedUrls, retries, tokenFile, tls } = hook;
  return {
    ...(headers && { headers }),
    ...(allowedEnv && { allowedEnv }),
    ...(allowedEnvKey !== undefined && { allowedEnvKey }),
    ...(allowedUrls && { allowedUrls }),
    ...(retries !== undefined && { retries }),
    ...(tokenFile !== undefined && { tokenFile }),
    ...(tls && { tls }),
  };
}

/** A host that may have a model for hooks. */
interface ModelHost {
  getHookModel?(name?: string): Model | undefined;
}

/** Asks one of the host's models: the one with this name, or the host's choice. */
export type AskModel = (
  name: string | undefined,
  prompt: string,
  signal: AbortSignal,
) => Promise<string>;

/** Asks the models that a host has for its hooks. */
export const askModelOf =
  (host: ModelHost): AskModel =>
  async (name, prompt, signal) => {
    const model = host.getHookModel?.(name);
    if (model === undefined) {
      const which = name === undefined ? 'no model' : `no model ${JSON.stringify(name)}`;
      throw new Error(`there is ${which} to ask; the host must provide one with "getHookModel"`);
    }
    const request = { model: name ?? model.name, contents: prompt };
    const { text, candidates } = await model.generate(request, { signal });
    return text ?? textsOf(candidates?.[0]?.content?.parts ?? []).join('');
  };

/*
 * What hooks may share with each other: processes, threads, connections, kept answers, and what is remembered
 * of them. A weaker level's hook must not be able to break or answer for a stronger level's, so only hooks
 * with the same authority and the same behaviour share anything.
 */

/** The fields that decide only when a hook runs, and what its end means. */
const whenAndAfter = {
  event: true,
  nativeEvent: true,
  matcher: true,
  if: true,
  once: true,
  sequential: true,
  timeout: true,
  concurrency: true,
  retries: true,
  prestart: true,
  async: true,
  wakes: true,
  loopLimit: true,
  idempotent: true,
  leftBehind: true,
  onFailure: true,
  failsOpen: true,
  inheritsOnFailure: true,
  name: true,
  description: true,
  place: true,
} as const satisfies Partial<Record<keyof HookDefinition, true>>;

/** What a registered hook says besides, which an unregistered one cannot. */
const ofRegistry = ['dialect', 'enabled'];

const known = new WeakMap<UnaskedHook, string>();

/** Equal for hooks that may share something: the same level and file, and the same work. */
export function sharingKey(hook: UnaskedHook): string {
  let key = known.get(hook);
  if (key === undefined) {
    const fields = Object.entries(hook)
      .filter(([field]) => !Object.hasOwn(whenAndAfter, field) && !ofRegistry.includes(field))
      .toSorted(([one], [other]) => (one < other ? -1 : 1));
    key = JSON.stringify(fields);
    known.set(hook, key);
  }
  return key;
}
