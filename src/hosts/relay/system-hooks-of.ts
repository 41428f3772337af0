import type { Dialect } from '../../core/dialects/dialect.ts';
import { bundlePlaces, hasAdministrator } from '../../settings/files/levels.ts';

/** A dialect that finds only the administrator's hooks. */
interface SystemDialect extends Dialect {
  readonly isOnlySystems: true;
}

/** Whether a dialect finds only the administrator's hooks. */
export const isOnlySystems = (dialect: Dialect): boolean => 'isOnlySystems' in dialect;

/** Whether an administrator may have hooks of a dialect on this machine. */
export const mayHaveSystemHooks = (dialect: Dialect): boolean =>
  dialect.settings ? hasAdministrator() : dialect.mayBeIn('/', (source) => source === 'system');

/** Problems of guards that nobody can leave out are not left out either. */
const isInBundle = (file: string): boolean =>
  bundlePlaces().some(({ source, folder }) => source === 'system' && file.startsWith(folder));

/** Returns the dialect with only the administrator's hooks: no choice of dialects leaves those out. */
export function systemHooksOf(dialect: Dialect): SystemDialect {
  return {
    ...dialect,
    atFirstSight: () => undefined,
    isOnlySystems: true,
    mayBeIn: (cwd, counts = () => true) =>
      dialect.mayBeIn(cwd, (source) => source === 'system' && counts(source)),
    async find(site) {
      const sources = site.settings().filter(({ source }) => source === 'system');
      const found = await dialect.find({
        ...site,
        ignoresProject: true,
        deniesUnknown: () => false,
        settings: () => sources,
        bundles: () => {
          const bundles = site.bundles?.();
          const places = bundles?.places.filter(({ source }) => source === 'system') ?? [];
          return bundles && { ...bundles, places };
        },
        trusts: (hook) => hook.source === 'system' && site.trusts(hook),
      });
      return {
        definitions: found.definitions.filter(({ source }) => source === 'system'),
        problems: found.problems.filter(({ file = '' }) => isInBundle(file)),
        unasked: [],
      };
    },
  };
}
