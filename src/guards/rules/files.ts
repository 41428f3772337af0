import { basename } from 'node:path';
import type { FileEffect } from '../../shell/reading/effects.ts';
import { isGlob, isKnown, isSecret, shown } from '../../shell/reading/marks.ts';
import { changesGuards } from './own-command.ts';
import { startup, placeOf, isAbove, type Place } from './places.ts';
import type { Check, Finding, RuleContext } from './rule.ts';
import type { fileRules } from './file-rules.ts';

type Id = (typeof fileRules)[number]['id'];

const verbs = {
  delete: 'deletes',
  move: 'moves',
  write: 'overwrites',
  append: 'changes',
  edit: 'edits',
  mode: 'changes the permissions of',
  lock: 'locks',
  link: 'links',
  read: 'reads',
} as const;

/** What losing each place means. */
const lost: Readonly<Partial<Record<Place, Id>>> = {
  system: 'shell/delete-system',
  home: 'shell/delete-home',
  'home-part': 'shell/delete-home',
  'project-root': 'shell/delete-project',
  repository: 'shell/delete-repository',
  guards: 'shell/guards',
  keys: 'shell/delete-keys',
  startup: 'shell/persistence',
  protected: 'paths/protected',
  device: 'shell/overwrite-disk',
  elsewhere: 'shell/delete-outside-project',
  unknown: 'shell/delete-unknown',
};

/** Speaks about files that would be lost or changed. */
export const checkFiles: Check = function* (effect, context) {
  if (changesGuards(effect))
    yield {
      rule: 'shell/guards',
      part: effect.by,
      does: 'changes which hooks are trusted, enabled or installed',
    };
  if (effect.kind !== 'file' || effect.action === 'read') return;
  if (effect.where === 'container') return;
  const place = placeOf(effect.path, effect.isTree, context);
  const rule =
    effect.where === 'remote' ? onOtherMachine(effect, place) : ruleOf(effect, place, context);
  if (rule !== undefined) yield found(rule, effect);
  else if (effect.action === 'delete' && effect.isTree && place === 'project')
    yield uncommitted(effect, context);
};

const found = (rule: Id, effect: FileEffect): Finding => ({
  rule,
  part: effect.by,
  does: `${verbs[effect.action]} ${shown(effect.path)}`,
  path: effect.path,
});

const onOtherMachine = ({ action, isTree }: FileEffect, place: Place): Id | undefined => {
  if (action !== 'delete' && action !== 'mode') return undefined;
  if (place === 'system' && isTree) return 'shell/delete-system';
  return isTree ? 'shell/delete-outside-project' : undefined;
};

function ruleOf(effect: FileEffect, place: Place, context: RuleContext): Id | undefined {
  const { action, path, isTree } = effect;
  if (action === 'mode' && setsUser.test(effect.mode ?? '')) return 'shell/persistence';
  if (place === 'passing') return undefined;
  if (action === 'delete' || action === 'move') {
    if (place === 'project')
      return context.isSecretFile(path) && isThere(path, context)
        ? 'shell/delete-environment'
        : undefined;
    if (place === 'home-part')
      return isTree && !isThrowaway(path) ? 'shell/delete-home' : 'shell/delete-outside-project';
    if (place === 'system' && !isTree && action === 'delete')
      return isKnown(path) && !isGlob(path)
        ? 'shell/delete-system'
        : 'shell/delete-outside-project';
    return lost[place];
  }
  if (action === 'mode' || action === 'lock') return ofMode(effect, place);
  return ofWriting(effect, place, context);
}

/** A mode by which a program runs as its owner. */
const setsUser = /(?:^|[\s,ugoa])\+\w*s|\b[2467][0-7]{3}\b/;

const isThere = (path: string, { disk }: RuleContext): boolean =>
  !isKnown(path) || disk.kindOf(path) !== undefined;

/** Folders of home that tools make by themselves, as far as their names tell. */
const isThrowaway = (path: string): boolean =>
  /^(?:\.?tmp|temp|\.cache|\.npm|node_modules|\.vscode-server|\.venv|venv)$/.test(basename(path));

function ofMode({ path, isTree, mode = '' }: FileEffect, place: Place): Id | undefined {
  if (place === 'system' || place === 'home' || place === 'device')
    return isTree ? 'shell/permissions-system' : 'shell/permissions';
  if (place === 'keys')
    return isTree || !/\b0?[46]00\b|go-|og-|u[=+]r/.test(mode)
      ? 'shell/permissions-system'
      : undefined;
  if (place === 'guards') return 'shell/guards';
  if (place === 'protected') return 'paths/protected';
  if (place === 'repository') return /hooks\//.test(path) ? 'shell/persistence' : undefined;
  if (place === 'startup') return 'shell/persistence';
  if (place === 'project-root')
    return isTree && /chown|777|000|-[rwx]/.test(mode) ? 'shell/permissions' : undefined;
  return place === 'project' || (place === 'home-part' && !isTree) || place === 'unknown'
    ? undefined
    : isTree
      ? 'shell/permissions'
      : undefined;
}

function ofWriting(effect: FileEffect, place: Place, context: RuleContext): Id | undefined {
  const { action, path, text } = effect;
  switch (place) {
    case 'device':
      return 'shell/overwrite-disk';
    case 'guards':
      return 'shell/guards';
    case 'protected':
      return 'paths/protected';
    case 'startup':
      return 'shell/persistence';
    case 'repository':
      if (/\/hooks(?:\/|$)/.test(path)) return 'shell/persistence';
      if (path.endsWith('/.git/config') && action !== 'write') return 'shell/persistence';
      return action === 'write' && isThere(path, context) ? 'shell/delete-repository' : undefined;
    case 'keys':
      return startup.test(path)
        ? 'shell/persistence'
        : action === 'append' || !isThere(path, context)
          ? undefined
          : 'shell/delete-keys';
    case 'system':
      return isAbove('/usr/local', path) && action === 'append' ? undefined : 'shell/write-system';
    case 'project':
      if (effect.isTree) return undefined;
      return action === 'write' &&
        context.isSecretFile(path) &&
        isThere(path, context) &&
        !isSecret(text ?? '')
        ? 'shell/delete-environment'
        : undefined;
    case 'elsewhere':
    case 'home-part':
      return /^(?:write|edit)$/.test(action) &&
        isKnown(path) &&
        (isGlob(path) || context.disk.kindOf(path) === 'file')
        ? 'shell/delete-outside-project'
        : undefined;
    default:
      return undefined;
  }
}

/** Folders that tools make again. */
const made =
  /^(?:node_modules|dist|build|out|target|coverage|\.?cache|\.next|\.nuxt|\.turbo|\.parcel-cache|\.svelte-kit|\.output|__pycache__|\.pytest_cache|\.mypy_cache|\.ruff_cache|\.tox|\.venv|venv|\.gradle|\.angular|\.terraform|tmp|temp|\.tmp|logs?|bin|obj|\.nyc_output|_build|deps|\.dart_tool|Pods|DerivedData|storybook-static|public\/build|site|\.docusaurus|\.vite|test-results|playwright-report|.*\.egg-info|.*[-_.](?:cache|tmp|temp|out|output|build|dist))$/i;

async function uncommitted(effect: FileEffect, context: RuleContext): Promise<Finding | undefined> {
  const { path } = effect;
  const inside = path.slice(context.project.length + 1).split('/');
  if (inside.some((name) => made.test(name)) || !isKnown(path)) return undefined;
  if (context.disk.kindOf(path) !== 'folder' || context.disk.list(path).length === 0)
    return undefined;
  const state = await context.stateOf(context.project, [path]);
  const isLost =
    state.is === 'unknown' || state.is === 'none' || state.hasChanges || state.hasUntracked;
  return isLost ? found('shell/delete-uncommitted', effect) : undefined;
}
