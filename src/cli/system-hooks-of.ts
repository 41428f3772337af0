import type { Dialect } from '../dialects/dialect.ts';
import { hasAdministrator } from '../settings/levels.ts';

/** A dialect of which only the administrator's hooks are found. */
interface SystemDialect extends Dialect {
  readonly isOnlySystems: true;
}

/** Whether only the administrator's hooks are found of a dialect. */
export const isOnlySystems = (dialect: Dialect): boolean => 'isOnlySystems' in dialect;

/** Whether an administrator may have hooks of a dialect on this machine. */
export const mayHaveSystemHooks = (dialect: Dialect): boolean =>
  dialect.settings ? hasAdministrator() : dialect.mayBeIn('/', (source) => source === 'system');

/** A dialect of which only the administrator's hooks are found: no choice of dialects leaves those out. */
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
        trusts: (hook) => hook.source === 'system' && site.trusts(hook),
      });
      return {
        definitions: found.definitions.filter(({ source }) => source === 'system'),
        problems: [],
        unasked: [],
      };
    },
  };
}
