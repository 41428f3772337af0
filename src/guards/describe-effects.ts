import type { Effect } from '../shell/reading/effects.ts';
import { isRemote, isSecret, shown } from '../shell/reading/marks.ts';

const verbs = {
  read: 'reads',
  delete: 'deletes',
  write: 'writes',
  append: 'changes',
  edit: 'edits',
  move: 'moves away',
  mode: 'changes the permissions of',
  link: 'links',
  lock: 'changes the attributes of',
} as const;

/** Says what each effect is, in a line. */
export const describeEffects = (effects: readonly Effect[]): string[] => [
  ...new Set(effects.map((effect) => `${lineOf(effect)}${placeOf(effect)}`)),
];

const placeOf = ({ where }: Effect): string =>
  where === 'here' ? '' : where === 'container' ? ', in a container' : ', on another machine';

function lineOf(effect: Effect): string {
  switch (effect.kind) {
    case 'run': {
      const words = shown([effect.name, ...effect.args].join(' ')).slice(0, 160);
      const by = effect.via.length === 0 ? '' : ` (by ${effect.via.join(', ')})`;
      return `runs ${words}${by} in ${shown(effect.cwd)}`;
    }
    case 'file':
      return `${verbs[effect.action]} ${shown(effect.path)}${effect.isTree ? ' and everything in it' : ''}`;
    case 'send':
      return `sends ${isSecret(effect.text) ? 'secrets' : 'a request'} to ${shown(effect.to) || 'another machine'}`;
    case 'code':
      return `runs ${isRemote(effect.text) ? 'downloaded' : 'unknown'} code (${effect.language})`;
    case 'print':
      return isSecret(effect.text) ? 'prints secrets' : 'prints something';
    case 'query':
      return `lets ${effect.program} run ${shown(effect.text).replaceAll(/\s+/g, ' ').slice(0, 160)}`;
    case 'lost':
      return `is not followed to its end: ${effect.why}`;
  }
}
