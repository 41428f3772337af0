import type { FileEffect } from '../../shell/reading/effects.ts';
import { isSecret, shown } from '../../shell/reading/marks.ts';
import { isLocal } from '../../shell/reading/network.ts';
import { absolute } from '../../shell/reading/paths.ts';
import { gitCommandOf } from '../../shell/reading/git.ts';
import { isAbove, placeOf } from './places.ts';
import type { secretRules } from './secret-rules.ts';
import type { Check, Finding, RuleContext } from './rule.ts';

type Id = (typeof secretRules)[number]['id'];

const found = (rule: Id, part: string, does: string, path?: string): Finding => ({
  rule,
  part,
  does,
  ...(path !== undefined && { path }),
});

/** Speaks about secrets that would be shown, copied or sent. */
export const checkSecrets: Check = function* (effect, context) {
  switch (effect.kind) {
    case 'send':
      if (isSecret(effect.text) && !isOurs(effect.to))
        yield found(
          'secrets/send',
          effect.by,
          `sends ${whatOf(context)} to ${shown(effect.to).slice(0, 80) || 'another machine'}`,
        );
      return;
    case 'print': {
      if (!isSecret(effect.text)) return;
      const read = readIn(context).at(-1);
      const part = read?.by ?? context.effects.findLast(({ kind }) => kind === 'run')?.by ?? '';
      const rule = read === undefined ? 'secrets/environment' : 'secrets/read';
      yield found(rule, part, `prints ${whatOf(context)}`, read?.path);
      return;
    }
    case 'file': {
      const isCopy =
        (effect.action === 'write' || effect.action === 'append') && isSecret(effect.text ?? '');
      if (
        isCopy &&
        !context.isSecretFile(effect.path) &&
        placeOf(effect.path, false, context) !== 'keys'
      )
        yield found(
          'secrets/copy',
          effect.by,
          `writes ${whatOf(context)} to ${shown(effect.path)}`,
          effect.path,
        );
      return;
    }
    case 'run': {
      if (effect.name !== 'git') return;
      const { command, args, folder } = gitCommandOf(effect.args, effect.cwd);
      if (command !== 'add' && command !== 'stage') return;
      const path = args
        .map((text) => absolute(text, absolute(folder, effect.cwd)))
        .find((one) => context.isSecretFile(one));
      if (path !== undefined)
        yield found('secrets/commit', effect.by, `adds ${shown(path)} to the next commit`, path);
      return;
    }
    default:
  }
};

/** Services to which a program's own credentials go by its own ways. */
const isOurs = (to: string): boolean => to.split(' ').every((one) => isLocal(one)) && to !== '';

/** The files of secrets that a command reads. */
const readIn = ({ effects, isSecretFile }: RuleContext): FileEffect[] =>
  effects.filter(
    (effect): effect is FileEffect =>
      effect.kind === 'file' && effect.action === 'read' && isSecretFile(effect.path),
  );

/** Names the secrets that a command reads. */
function whatOf(context: RuleContext): string {
  const files = readIn(context).map(({ path }) => path);
  if (files.length === 0) return 'the environment, or a secret variable';
  const { home, project } = context;
  const short = files.map((path) =>
    isAbove(project, path) ? path.slice(project.length + 1) : path.replace(home, '~'),
  );
  return `what is in ${[...new Set(short)].slice(0, 3).map(shown).join(', ')}`;
}
