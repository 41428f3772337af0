import { onDemand } from '../../base/on-demand.ts';
import type { HookDefinition } from '../../core/definitions/hook-definition.ts';
import { locatedPolicies } from '../../settings/files/policy-files.ts';

const loadCedarHook = onDemand(() => import('./cedar-hook.ts'));

/** Gives `cedar` hooks what judges by their policies; that is loaded with the first event. */
export const defineCedar = (hooks: readonly HookDefinition[]): readonly HookDefinition[] =>
  hooks.map((hook) => {
    if (hook.type !== 'cedar') return hook;
    const located = locatedPolicies(hook);
    return {
      ...located,
      call: async (event: object) => (await loadCedarHook()).judgeByCedar(located, { ...event }),
    };
  });
