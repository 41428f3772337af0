import type { HookHost } from '../../core/host/config.ts';
import type { HookSystem } from './hook-system.ts';

/**
 * A host with its hook system. A host that has its own config object implements it
 * there; any other creates one with `createConfig`.
 */
export interface HookSystemConfig extends HookHost {
  /** The session's one hook system; undefined when hooks are off. */
  getHookSystem(): HookSystem | undefined;
}
