import type { HookSystemConfig } from '../hooks/hook-system-config.ts';
import { isBlockedUnready, unreadyEnvelope } from '../hooks/failure.ts';
import type { HookSystem } from '../hooks/hook-system.ts';
import { messageOf } from '../message-of.ts';
import type { AggregatedHookResult } from '../verdict/results.ts';
import { warn } from '../log.ts';
import type { HookEventName } from '../protocol/events.ts';

/** In the place of a hook system that cannot be made ready, where the host wants that to block. */
export interface Unready {
  readonly unready: unknown;
}

/** A hook system, what stands in its place, or nothing where hooks are off. */
export type Ready = HookSystem | Unready | undefined;

/**
 * The host's hook system, initialised with the first event (HOOK-007, 008); undefined when hooks are
 * off, or when they cannot be made ready, which is warned of (HOOK-111) and blocks where the host says
 * so. A promise only that first time, and while settings whose guards are unknown are tried again (S-12):
 * after it, and with hooks off, nothing is to be awaited (HOOK-013).
 */
export function readyHookSystem(config: HookSystemConfig): Ready | Promise<Ready> {
  try {
    const system = config.getHookSystem();
    if (system === undefined) return undefined;
    const isReady = system.isInitialized();
    if (isReady && !system.hasUnknownGuards()) return system;
    return (isReady ? system.retryUnknownGuards() : system.initialize()).then(
      () => system,
      (error: unknown) => unready(config, notReady, error),
    );
  } catch (error) {
    return unready(config, notReady, error);
  }
}

/** Whether it has to be awaited. */
export const isPending = (ready: Ready | Promise<Ready>): ready is Promise<Ready> =>
  ready !== undefined && 'then' in ready;

/** Whether there is no hook system because it cannot be made ready, and that blocks. */
export const isUnready = (ready: Ready): ready is Unready =>
  ready !== undefined && 'unready' in ready;

/** What an event comes to that a hook system which is not ready blocks; undefined where it has nothing to block. */
export const unreadyResult = (
  config: HookSystemConfig,
  { unready: error }: Unready,
  event: HookEventName,
): AggregatedHookResult | undefined =>
  isBlockedUnready(config, event) ? unreadyEnvelope(error, 'planning', event) : undefined;

const notReady = 'the hook system could not be made ready';

/** Tells the user what is wrong with all hooks, and what comes of it. */
export function unready(
  config: HookSystemConfig,
  what: string,
  error: unknown,
): Unready | undefined {
  if (config.onUnready !== 'block') return withoutHooks(config, what, error);
  warn(config.onWarning, `${what} (${messageOf(error)}); it blocks, as onUnready says`);
  return { unready: error };
}

/** Tells the user that it goes on as if there were no hooks (HOOK-111, C-91). */
export function withoutHooks(config: HookSystemConfig, what: string, error: unknown): undefined {
  warn(config.onWarning, `${what} (${messageOf(error)}); it goes on without hooks`);
  return undefined;
}
