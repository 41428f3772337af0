import type { Rule } from './rule.ts';

/** Rules about what git loses. */
export const gitRules = [
  {
    id: 'git/discard-changes',
    answer: 'ask',
    about:
      'Discards changes that are in no commit: reset --hard, checkout --, restore, switch --discard-changes.',
    why: 'Git has never seen them, so it cannot bring them back.',
    instead: 'Run "git stash" first, which keeps them.',
    catches: 'git reset --hard',
    lets: 'git reset --soft HEAD~1',
  },
  {
    id: 'git/clean',
    answer: 'ask',
    about: 'Deletes files that git does not track.',
    why: 'They are in no commit.',
    instead: 'Look with "git clean -n" first, or use "git stash -u".',
    catches: 'git clean -fdx',
    lets: 'git clean -n',
  },
  {
    id: 'git/force-push',
    answer: 'ask',
    about: 'Overwrites or deletes history on a remote: push --force, +ref, --mirror, --delete.',
    why: 'Commits of others may be there and nowhere else.',
    instead: 'Use "git push --force-with-lease", which refuses if somebody else has pushed.',
    catches: 'git push --force origin main',
    lets: 'git push --force-with-lease origin topic',
  },
  {
    id: 'git/delete-branch',
    answer: 'ask',
    about: 'Deletes a branch that may not be merged.',
    why: 'Its commits are reachable from nothing else.',
    instead: 'Use "git branch -d", which refuses if it is not merged.',
    catches: 'git branch -D topic',
    lets: 'git branch -d topic',
  },
  {
    id: 'git/drop-stash',
    answer: 'ask',
    about: 'Drops stashed changes.',
    why: 'A stash is in no branch.',
    instead: 'Use "git stash pop" or "git stash branch".',
    catches: 'git stash clear',
    lets: 'git stash pop',
  },
  {
    id: 'git/drop-reflog',
    answer: 'deny',
    about: 'Expires the reflog or prunes unreachable commits at once.',
    why: 'It is what brings lost commits back.',
    instead: 'Run "git gc", which keeps them for two weeks.',
    catches: 'git reflog expire --expire=now --all',
    lets: 'git reflog',
  },
  {
    id: 'git/rewrite-history',
    answer: 'ask',
    about:
      'Rewrites or deletes refs and history: filter-branch, filter-repo, update-ref -d, replace.',
    why: 'All commits change, and everybody else has the former ones.',
    instead: 'Make a copy of the repository and rewrite that.',
    catches: 'git filter-branch --tree-filter "rm -f x" HEAD',
    lets: 'git rebase main',
  },
  {
    id: 'git/delete-worktree',
    answer: 'ask',
    about: 'Removes a worktree with its changes, or a submodule by force.',
    why: 'What is not committed there is lost.',
    instead: 'Remove it without --force, which refuses if anything would be lost.',
    catches: 'git worktree remove --force ../topic',
    lets: 'git worktree remove ../topic',
  },
] as const satisfies readonly Rule[];
