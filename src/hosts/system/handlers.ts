import type { Handlers } from '../../core/host/handlers.ts';
import { onDemand } from '../../base/on-demand.ts';
import { runHook } from '../../handlers/index.ts';
import { faultBehind } from '../../handlers/process/index.ts';

const loadScriptFiles = onDemand(() => import('../../settings/trust/script-files.ts'));

/** What runs the hooks of a hook system. */
export const handlers: Handlers = {
  run: runHook,
  faultBehind,
  filesBehind: async (hook, cwd) => (await loadScriptFiles()).filesBehind(hook, cwd),
};
