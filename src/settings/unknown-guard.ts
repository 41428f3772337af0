import type { HookDefinition } from './hook-definition.ts';

/** Where something is denied because nobody knows which hooks guard it. */
type UnknownGuard = Pick<HookDefinition, 'event' | 'source' | 'name' | 'place'> &
  Partial<Pick<HookDefinition, 'nativeEvent' | 'matcher'>> & { readonly file: string };

/** Returns a hook that denies in place of one that is unknown; `why` says what is wrong and what to do. */
export function unknownGuard(guard: UnknownGuard, why: string): HookDefinition {
  const call = (): never => {
    throw new Error(why);
  };
  return {
    ...guard,
    type: 'function',
    command: guard.file,
    call,
    timeout: 1_000,
    onFailure: 'block',
    sequential: false,
    standsIn: true,
    // Nothing from the project runs, so it need not be trusted.
    source: guard.source === 'project' ? 'user' : guard.source,
    env: {},
  };
}
