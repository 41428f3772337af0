import type { HookSystemConfig } from '../hooks/config.ts';
import type { HookSystem } from '../hooks/hook-system.ts';
import { messageOf } from '../hooks/message-of.ts';
import { warn } from '../log.ts';

/**
 * The host's hook system, initialised with the first event (HOOK-007, 008); undefined when hooks are
 * off, or when they cannot be made ready, which is warned of (HOOK-111). A promise only that first
 * time: after it, and with hooks off, nothing is to be awaited (HOOK-013).
 */
export function readyHookSystem(
  config: HookSystemConfig,
): HookSystem | undefined | Promise<HookSystem | undefined> {
  try {
    const system = config.getHookSystem();
    if (system === undefined || system.isInitialized()) return system;
    return system.initialize().then(
      () => system,
      (error: unknown) => withoutHooks(config, 'the hook system could not be made ready', error),
    );
  } catch (error) {
    return withoutHooks(config, 'the hook system could not be made ready', error);
  }
}

/** Tells the user that it goes on as if there were no hooks (HOOK-111, C-91). */
export function withoutHooks(config: HookSystemConfig, what: string, error: unknown): undefined {
  warn(config.onWarning, `${what} (${messageOf(error)}); it goes on without hooks`);
  return undefined;
}
