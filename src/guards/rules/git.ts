import { join } from 'node:path';
import type { RunEffect } from '../../shell/reading/effects.ts';
import { gitCommandOf, type GitCommand } from '../../shell/reading/git.ts';
import { isKnown } from '../../shell/reading/marks.ts';
import { absolute } from '../../shell/reading/paths.ts';
import type { gitRules } from './git-rules.ts';
import type { Check, Finding, RuleContext, StateQuestion } from './rule.ts';
import { inTable } from '../../base/json.ts';

type Id = (typeof gitRules)[number]['id'];

interface Git extends GitCommand {
  has(...options: readonly string[]): boolean;
  readonly operands: readonly string[];
}

/** Speaks about git commands that lose work. */
export const checkGit: Check = function* (effect, context) {
  if (effect.kind !== 'run' || effect.name !== 'git' || effect.where === 'container') return;
  const command = gitCommandOf(effect.args, effect.cwd);
  if (command.args.some((text) => /^(?:-h|--help|--dry-run)$/.test(text))) return;
  const check = inTable(checks, command.command);
  if (check === undefined) return;
  const given = optionsOf(command);
  const git: Git = {
    ...command,
    has: (...options) => options.some((option) => given.has(option)),
    operands: command.args.filter((text) => !text.startsWith('-')),
  };
  const result = check(git);
  if (result === undefined) return;
  const [rule, does, isAtStake] = result;
  const finding: Finding = { rule, part: effect.by, does };
  if (isAtStake === undefined) yield finding;
  else yield whereAtStake(finding, effect, git, isAtStake, context);
};

type Stake = {
  readonly asks: StateQuestion;
  readonly paths: readonly string[];
};

type Result = readonly [rule: Id, does: string, stake?: Stake | undefined] | undefined;

/** Letters after which the rest of a word is a value. */
const valued: Readonly<Record<string, string>> = {
  checkout: 'bB',
  switch: 'cC',
  commit: 'mFCct',
  stash: 'm',
  push: 'o',
  clean: 'e',
};

/** The options of a command: long ones without their values, and single letters. */
function optionsOf({ command, args }: GitCommand): ReadonlySet<string> {
  const end = args.indexOf('--');
  return new Set(
    (end === -1 ? args : args.slice(0, end)).flatMap((text) => {
      if (text.startsWith('--')) return text.split('=', 1);
      if (!/^-\w/.test(text)) return [];
      const letters = text.slice(1).split('');
      const last = letters.findIndex((letter) => inTable(valued, command)?.includes(letter));
      return (last === -1 ? letters : letters.slice(0, last + 1)).map((letter) => `-${letter}`);
    }),
  );
}

/** A finding only where the repository has something to lose. */
async function whereAtStake(
  finding: Finding,
  effect: RunEffect,
  git: Git,
  { asks, paths }: Stake,
  context: RuleContext,
): Promise<Finding | undefined> {
  const folder = absolute(git.folder, effect.cwd);
  // A change of the same command, before this one, is at stake too.
  const changes = context.effects
    .slice(0, context.effects.indexOf(effect))
    .some(
      (one) =>
        one.kind === 'file' &&
        one.action !== 'read' &&
        !one.by.startsWith('git ') &&
        one.path.startsWith(`${folder}/`),
    );
  if (changes) return finding;
  const state = isKnown(folder)
    ? await context.stateOf(
        folder,
        asks === 'branches' ? paths : paths.map((path) => join(folder, path)),
        asks,
      )
    : undefined;
  if (state === undefined || state.is === 'unknown') return finding;
  const isAtStake = asks === 'untracked' ? state.hasUntracked : state.hasChanges;
  return state.is === 'repository' && isAtStake ? finding : undefined;
}

const discards = (does: string, paths: readonly string[] = []): Result => [
  'git/discard-changes',
  does,
  { asks: 'changes', paths },
];

const afterDashes = ({ args }: Git): readonly string[] | undefined => {
  const index = args.indexOf('--');
  return index === -1 ? undefined : args.slice(index + 1);
};

const literalPaths = (paths: readonly string[]): readonly string[] =>
  paths.some((path) => !/^[\w./ -]+$/.test(path) || path === '.') ? [] : paths;

const checks: Readonly<Record<string, (git: Git) => Result>> = {
  reset: (git) =>
    git.has('--hard', '--merge')
      ? discards('discards all changes that are not committed')
      : undefined,
  checkout(git) {
    const paths = afterDashes(git);
    if (git.has('-f', '--force')) return discards('discards changes that are not committed');
    if (git.has('-b', '-B', '--orphan', '-p', '--patch', '--ours', '--theirs')) return undefined;
    if (paths !== undefined && paths.length > 0)
      return discards(`discards the changes to ${paths.join(' ')}`, literalPaths(paths));
    if (git.operands.includes('.') || git.has('--pathspec-from-file'))
      return discards('discards the changes to all files');
    const files = git.operands.filter(
      (text) =>
        /[./]\w+$/.test(text) &&
        !/^(?:origin|upstream|feature|fix|bugfix|release|hotfix|v?\d)/.test(text),
    );
    return files.length > 0
      ? discards(`discards the changes to ${files.join(' ')}`, literalPaths(files))
      : undefined;
  },
  restore(git) {
    if (git.has('-p', '--patch') || (git.has('--staged', '-S') && !git.has('--worktree', '-W')))
      return undefined;
    return discards(
      `discards the changes to ${git.operands.join(' ')}`,
      literalPaths(git.operands),
    );
  },
  switch: (git) =>
    git.has('-f', '--force', '--discard-changes')
      ? discards('discards changes that are not committed')
      : undefined,
  clean(git) {
    if (!git.has('-f', '--force') || git.has('-n', '--dry-run')) return undefined;
    const isIgnoredToo = git.has('-x');
    return [
      'git/clean',
      isIgnoredToo
        ? 'deletes all files that git does not track, ignored ones such as .env too'
        : 'deletes files that git does not track',
      isIgnoredToo ? undefined : { asks: 'untracked', paths: literalPaths(git.operands) },
    ];
  },
  push(git) {
    const plus = git.operands.find((text) => text.startsWith('+'));
    const colon = git.operands.find((text) => /^:[^:]/.test(text));
    if (git.has('--force', '-f') && !git.has('--force-with-lease'))
      return ['git/force-push', 'overwrites the history of the remote'];
    if (plus !== undefined)
      return ['git/force-push', `overwrites the history of ${plus.slice(1)} on the remote`];
    if (git.has('--mirror', '--prune'))
      return ['git/force-push', 'deletes branches of the remote that are not here'];
    if (git.has('--delete', '-d') || colon !== undefined)
      return ['git/force-push', 'deletes a branch of the remote'];
    return undefined;
  },
  branch: (git) =>
    git.has('-D') || (git.has('--delete', '-d') && git.has('--force', '-f'))
      ? [
          'git/delete-branch',
          `deletes the branch ${git.operands.join(' ')} even if it is not merged`,
          { asks: 'branches', paths: git.operands },
        ]
      : (git.has('-M', '-C') && git.operands.length > 1) ||
          (git.has('-f', '--force') && git.operands.length > 0 && !git.has('-m'))
        ? git.has('-M') && /^(?:main|master|trunk|develop)$/.test(git.operands.at(-1)!)
          ? undefined
          : [
              'git/delete-branch',
              `moves the branch ${git.operands.at(-1)} by force`,
              { asks: 'itself', paths: [] },
            ]
        : undefined,
  tag: (git) =>
    git.has('-f', '--force') && git.operands.length > 0
      ? ['git/rewrite-history', 'moves a tag by force']
      : undefined,
  stash: ({ operands }) =>
    /^(?:drop|clear)$/.test(operands[0] ?? '')
      ? [
          'git/drop-stash',
          operands[0] === 'clear' ? 'drops all stashed changes' : 'drops stashed changes',
          { asks: 'itself', paths: [] },
        ]
      : undefined,
  reflog: (git) =>
    git.operands[0] === 'delete' ||
    (git.operands[0] === 'expire' && git.has('--expire', '--expire-unreachable', '--all'))
      ? ['git/drop-reflog', 'deletes the record by which lost commits are found']
      : undefined,
  gc: ({ args }) =>
    args.some((text) => /^--prune=(?:now|all)$/.test(text))
      ? ['git/drop-reflog', 'deletes all unreachable commits at once']
      : undefined,
  prune: (git) =>
    git.has('-n') ? undefined : ['git/rewrite-history', 'deletes commits that nothing leads to'],
  'filter-branch': () => ['git/rewrite-history', 'rewrites the history'],
  'filter-repo': (git) =>
    git.has('--analyze') ? undefined : ['git/rewrite-history', 'rewrites the history'],
  'update-ref': (git) =>
    git.has('-d', '--stdin') ? ['git/rewrite-history', 'deletes a ref'] : undefined,
  'symbolic-ref': (git) =>
    git.has('-d', '--delete') ? ['git/rewrite-history', 'deletes a ref'] : undefined,
  replace: (git) =>
    git.operands.length > 1 ? ['git/rewrite-history', 'replaces an object'] : undefined,
  worktree: (git) =>
    git.operands[0] === 'remove' && git.has('--force', '-f')
      ? ['git/delete-worktree', 'removes a worktree with its changes']
      : undefined,
  submodule: (git) =>
    git.operands[0] === 'deinit' && git.has('--force', '-f')
      ? ['git/delete-worktree', 'removes submodules with their changes']
      : undefined,
  rm: (git) =>
    git.has('-f', '--force') && !git.has('--cached')
      ? discards(`deletes ${git.operands.join(' ')} with its changes`, literalPaths(git.operands))
      : undefined,
  'checkout-index': (git) =>
    git.has('-f', '--force') ? discards('overwrites files of the worktree') : undefined,
  'read-tree': (git) =>
    git.has('--reset') ? discards('overwrites files of the worktree') : undefined,
};
