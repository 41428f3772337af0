import type { Effect } from '../../shell/reading/effects.ts';

/** Our own command, by any name. */
const ourCommand = /(?:^|\/)hookmachine(?:\.c?js)?(?:@[\w.^~-]*)?$/;

/** Programs that start it by its name or its file. */
const starters = /^(?:node(?:js)?|bun|bunx|deno|tsx|npx|npm|pnpm|pnpx|yarn|corepack)$/;

/** Code of another language that starts our command to change guards. */
const ourCommandIn =
  /hookmachine(?:\.c?js)?["'`,\s[\]]+(?:policy["'`,\s[\]]+(?:add|update|remove)|trust(?!["'`,\s[\]]+--show)|enable|disable)\b|--allow-guard-writes/;

/** Whether an effect changes through our own command which hooks are trusted, enabled and installed. */
export function changesGuards(effect: Effect): boolean {
  if (effect.where !== 'here') return false;
  if (effect.kind === 'code') return ourCommandIn.test(effect.text);
  if (effect.kind !== 'run') return false;
  const words = [effect.name, ...effect.args];
  const at = words.findIndex((word) => ourCommand.test(word));
  if (at === -1 || (at > 0 && !starters.test(effect.name))) return false;
  const rest = words.slice(at + 1);
  const verb = rest.find((word) => !word.startsWith('-'));
  return (
    (verb === 'trust' && !rest.includes('--show')) ||
    (verb === 'policy' && rest.some((word) => /^(?:add|update|remove)$/.test(word))) ||
    verb === 'enable' ||
    verb === 'disable' ||
    rest.includes('--allow-guard-writes')
  );
}
