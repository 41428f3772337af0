import type { HookSystemConfig } from '../hooks/config.ts';
import type { HookSystem } from '../hooks/hook-system.ts';
import { oneLine, warnOnStderr } from '../log.ts';

/**
 * The host's hook system, initialised with the first event (HOOK-007, 008); undefined when hooks are
 * off, or when they cannot be made ready, which is warned of (HOOK-111).
 */
export async function readyHookSystem(config: HookSystemConfig): Promise<HookSystem | undefined> {
  try {
    const system = config.getHookSystem();
    if (system && !system.isInitialized()) await system.initialize();
    return system;
  } catch (error) {
    (config.onWarning ?? warnOnStderr)(
      oneLine(
        `the hook system could not be made ready (${String(error)}); it goes on without hooks`,
      ),
    );
    return undefined;
  }
}
