import type { HookDefinition } from './hook-definition.ts';
import type { DisabledHooks } from './load-settings.ts';
import { nearestKey } from './nearest-key.ts';
import { collectProblems, said, type SettingsProblem } from './problem.ts';

/**
 * Reports names in lists of disabled hooks that no hook has, neither as its name nor as its command: a
 * hook that was to be disabled runs on. `knowsAll` tells whether no other hooks may be there; it is asked only where a name is unknown.
 */
export function unknownDisabled(
  disabled: readonly (DisabledHooks & { readonly file?: string | undefined })[],
  hooks: readonly Pick<HookDefinition, 'name' | 'command'>[],
  knowsAll: () => boolean = () => true,
): SettingsProblem[] {
  if (disabled.every(({ names }) => names.length === 0)) return [];
  const known = new Set(hooks.flatMap(({ name, command }) => [name, command]));
  if (disabled.every(({ names }) => names.every((name) => known.has(name))) || !knowsAll())
    return [];
  const near = [...known].filter((name) => name !== '').slice(0, mostCompared);
  return disabled.flatMap(({ names, file }) =>
    collectProblems(file === undefined ? {} : { file }, (complain) => {
      for (const name of new Set(names))
        if (!known.has(name))
          complain(() => {
            const meant = nearestKey(name, near);
            return {
              path: ['hooksConfig', 'disabled'],
              message: `${said(name).replace(/^is /, '')} is the name or command of no hook, so it disables none`,
              fix:
                meant === undefined
                  ? 'write a name that "hookmachine list" shows'
                  : `write ${JSON.stringify(meant)}`,
            };
          });
    }),
  );
}

/** How many names one is compared with. */
const mostCompared = 1_000;
