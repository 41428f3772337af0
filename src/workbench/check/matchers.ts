import type { Dialect } from '../../core/dialects/dialect.ts';
import type { RegisteredHook } from '../../core/definitions/hook-definition.ts';
import { nearestKey } from '../../settings/format/unknown-names.ts';
import { type CheckProblem, ofHook } from './check-problem.ts';

/** A matcher that is a list of names, each of which must match something. */
const list = /^[\w|, -]+$/;

/** An alternative of a regular expression that is empty, and a name that no tool has. */
const emptyBranch = /^\||\|\||\|$|\(\||\|\)/;
const noTool = 'a tool that does not exist';

/**
 * Reports names in a hook's matcher, or the whole of it, that match no known tool; MCP servers' tools are
 * unknown.
 */
export async function unfitMatchers(
  hook: RegisteredHook,
  dialect: Dialect,
  tools: readonly string[],
): Promise<CheckProblem[]> {
  const matcher = dialect.matcherOf(hook);
  if (matcher === undefined || hook.matcher === undefined) return [];
  const own = await dialect.toolNames?.(hook);
  if (own === undefined) return [];
  const names = [...new Set([...own, ...tools])];
  if (emptyBranch.test(matcher) && fitsAny(hook, matcher, dialect, [noTool]))
    return [
      ofHook(
        hook,
        'matcher',
        `its matcher ${JSON.stringify(matcher)} has an alternative that is empty, so it matches every tool`,
        'remove the "|" that nothing follows or precedes',
      ),
    ];
  const parts = list.test(matcher) ? matcher.split(/[|,]/).map((part) => part.trim()) : [matcher];
  return parts
    .filter((part) => part !== '' && !/mcp/i.test(part) && !fitsAny(hook, part, dialect, names))
    .map((part) => {
      const meant = nearestKey(part, names);
      return ofHook(
        hook,
        'matcher',
        `its matcher ${JSON.stringify(part)} matches no known tool`,
        meant === undefined
          ? `write the name of a tool, such as ${JSON.stringify(own[0])}; if it is a tool of your own, pass --tool ${/^[\w-]+$/.test(part) ? part : 'NAME'}`
          : `write ${JSON.stringify(meant)}`,
      );
    });
}

function fitsAny(
  hook: RegisteredHook,
  matcher: string,
  dialect: Dialect,
  names: readonly string[],
): boolean {
  const fits = dialect.compileMatcher({ ...hook, matcher }, () => undefined);
  return names.some((name) => fits(name));
}
