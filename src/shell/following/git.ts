import { dirname, join, resolve } from 'node:path';
import { followArgument } from './arguments.ts';
import type { Following } from './following.ts';
import { gitSettings } from '../git-settings.ts';
import { literally, quote, type ExpandedWord } from './expanded-word.ts';

/** Follows `git`: its configuration and its hooks say what it runs. */
export function followGit(at: Following, args: readonly ExpandedWord[]): void {
  const { findings, places } = at;
  // It only looks at names.
  if (args[0]?.written === 'rev-parse') return;
  findings.lost(`${quote('git')} runs what the repository's configuration and hooks tell it to`);
  for (const argument of args) followArgument(at, argument, 'named');
  const words = args.flatMap((argument) => literally(argument) ?? []);
  for (const folder of places.folders) {
    followRepository(at, places.disk.repositoryOf(folder) ?? folder, words);
  }
}

function followRepository(at: Following, root: string, words: readonly string[]): void {
  const { findings, places } = at;
  const own = gitFolder(at, root);
  const [common] = /^[^\n]+/.exec(places.disk.read(join(own, 'commondir')) ?? '') ?? [];
  const shared = common === undefined ? own : resolve(own, common);
  findings.ruledBy(['config', 'info/attributes'], [shared]);
  findings.ruledBy(['config.worktree'], [own]);
  findings.ruledBy(['.gitattributes'], [root]);
  const settings = new Map<string, string>();
  const read = new Set([join(shared, 'config'), join(own, 'config.worktree')]);
  // The set grows while files that include others are read.
  for (const file of read)
    for (const [key, value] of gitSettings(places.disk.read(file) ?? '')) {
      settings.set(key, value);
      if (!/^include(?:if\..*)?\.path$/.test(key) || read.size > 20) continue;
      const included = resolve(dirname(file), value);
      findings.ruledBy([included.slice(1)], ['/']);
      read.add(included);
    }
  for (const word of words) {
    const [, key, value] = /^([\w.-]+)=([^]*)$/.exec(word) ?? [];
    if (key !== undefined) settings.set(key.toLowerCase(), value!);
  }
  followHooks(at, root, settings.get('core.hookspath'), shared);
  for (const [key, value] of settings) {
    const isNamed = key.startsWith('alias.') && words.includes(key.slice('alias.'.length));
    if (isNamed && value.startsWith('!')) findings.indirectly(() => at.code(value.slice(1)));
    if (runs.test(key)) findings.indirectly(() => at.code(value));
  }
}

/** Matches settings whose value is a command. */
const runs = /^(?:core\.fsmonitor|diff\.external|filter\..*\.(?:clean|smudge|process)|diff\..*\.(?:command|textconv)|merge\..*\.driver)$/; // prettier-ignore

/** Returns the folder of a repository's own files, to which a `.git` file leads from a worktree. */
function gitFolder({ places }: Following, root: string): string {
  const [, folder] = /^gitdir: (.+)$/m.exec(places.disk.read(join(root, '.git')) ?? '') ?? [];
  return resolve(root, folder ?? '.git');
}

function followHooks(
  at: Following,
  root: string,
  configured: string | undefined,
  shared: string,
): void {
  const folder = configured === undefined ? join(shared, 'hooks') : resolve(root, configured);
  at.findings.ruledBy(hooks, [folder]);
  for (const hook of hooks) {
    const file = join(folder, hook);
    const text = at.places.disk.read(file);
    if (text !== undefined && /^#!.*sh\b|^(?!#!)/.test(text))
      at.findings.indirectly(() => at.script(file));
  }
  // Husky's hooks run those of the folder above them.
  if (/(?:^|\/)\.husky\/_$/.test(folder)) at.findings.ruledByExisting(hooks, [dirname(folder)]);
}

/** The hooks that git runs by itself. */
const hooks =
  'applypatch-msg commit-msg fsmonitor-watchman post-applypatch post-checkout post-commit post-index-change post-merge post-rewrite pre-applypatch pre-auto-gc pre-commit pre-merge-commit pre-push pre-rebase prepare-commit-msg push-to-checkout reference-transaction sendemail-validate'.split(
    ' ',
  );
