import type { AgentHooks } from './agent-hooks.ts';
import type { HookEventFields } from '../../core/protocol/input.ts';

/** The hooks around an agent; end them with it. */
export interface HooksHandle extends AsyncDisposable {
  /** Runs the SessionEnd hooks, and cancels what is open. */
  end(reason?: HookEventFields['SessionEnd']['reason']): Promise<void>;
}

export const handleOf = (hooks: AgentHooks): HooksHandle => ({
  end: (reason) => hooks.end(reason),
  [Symbol.asyncDispose]: () => hooks.end(),
});
