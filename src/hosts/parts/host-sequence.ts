import type { HookDefinition } from '../../core/definitions/hook-definition.ts';

/** Whether one of the hooks that run asks for a sequence; among duplicates only the first counts. */
export const runsInSequence = (
  hooks: readonly HookDefinition[],
  identity: (hook: HookDefinition) => string,
): boolean =>
  [...new Map(hooks.toReversed().map((hook) => [identity(hook), hook])).values()].some(
    ({ sequential }) => sequential,
  );
