import { join } from 'node:path';
import { shellWord } from '../../base/shell-word.ts';
import { blurred, isKnown, isSecret, secretMark, unknownMark } from './marks.ts';
import { touch } from './file-programs.ts';
import { absolute } from './paths.ts';
import type { Program } from './program.ts';
import type { Running } from './running.ts';
import { foldersAbove } from '../../base/folders-above.ts';
import { gitSettings } from '../git-settings.ts';

/** A git command line without the options that stand before its command. */
export interface GitCommand {
  readonly command: string;
  readonly args: readonly string[];
  /** The folder that it works in. */
  readonly folder: string;
  /** Settings given with `-c`. */
  readonly settings: readonly string[];
}

const valued = [
  '-c',
  '-C',
  '--git-dir',
  '--work-tree',
  '--namespace',
  '--exec-path',
  '--config-env',
];

/** Takes a git command line apart. */
export function gitCommandOf(args: readonly string[], folder: string): GitCommand {
  const settings: string[] = [];
  let where = folder;
  let index = 0;
  for (; index < args.length && args[index]!.startsWith('-'); index++) {
    const [, name = '', attached] = /^(-[cC]|--[\w-]+)=?([^]*)$/.exec(args[index]!) ?? [];
    const value = valued.includes(name) ? attached || args[++index] : attached;
    if (name === '-c' && value !== undefined) settings.push(value);
    if ((name === '-C' || name === '--work-tree') && value)
      where = value.startsWith('/') ? value : join(where, value);
    if (name === '--git-dir' && value && /\/\.git\/?$/.test(value)) where = join(value, '..');
  }
  return { command: args[index] ?? '', args: args.slice(index + 1), folder: where, settings };
}

/** Settings whose values are programs. */
const programSettings =
  /^(?:core\.(?:pager|editor|sshcommand|fsmonitor|gitproxy|askpass)|sequence\.editor|pager\.\w+|diff\.external|diff\.\w+\.(?:command|textconv)|merge\.\w+\.driver|filter\.\w+\.(?:clean|smudge|process)|credential\.(?:.*\.)?helper|gpg\.program|uploadpack\.packobjectshook|(?:diff|merge)tool\.\w+\.cmd)=([^]*)$/i;

/** Reads git: its aliases, the programs that settings name, and the code that some of its commands run. */
export const gitProgram: Program = (at, args) => {
  const { command, args: rest, settings, folder } = gitCommandOf(args, at.folder);
  for (const setting of settings) {
    const [, program = ''] = programSettings.exec(setting) ?? [];
    if (
      program !== '' &&
      !/^(?:cat|less|true|false|vim?|nano|:|store|cache|osxkeychain|code .*)$/.test(program)
    )
      at.apart(() => at.code(program.replace(/^!/, '')));
  }
  const exported = [...at.state.variables].map(
    ([name, values]) => [name, values[0] ?? ''] as const,
  );
  for (const [variable, value] of [...exported, ...Object.entries(at.env)])
    if (
      /^(?:GIT_(?:SSH_COMMAND|SSH|PAGER|EDITOR|SEQUENCE_EDITOR|EXTERNAL_DIFF|ASKPASS|PROXY_COMMAND)|PAGER|EDITOR|VISUAL)$/.test(
        variable,
      ) &&
      value !== ''
    )
      at.apart(() => at.code(value));
  const alias = aliasOf(at, command, settings);
  if (alias !== undefined) {
    if (alias.startsWith('!'))
      return at.apart(() => at.code([alias.slice(1), ...rest.map(shellWord)].join(' ')));
    return at.run(['git', ...alias.split(/\s+/), ...rest]);
  }
  runsCode(at, command, rest);
  if (/^(?:checkout|restore|rm|mv)$/.test(command)) changesFiles(at, rest, folder);
  return printed(at, command, rest);
};

/** Returns the text of an alias, from `-c` or from the repository's or the user's settings. */
function aliasOf(at: Running, name: string, settings: readonly string[]): string | undefined {
  if (name === '' || builtin.has(name) || !isKnown(name)) return undefined;
  const wanted = `alias.${name.toLowerCase()}`;
  const given = settings.findLast((setting) => setting.toLowerCase().startsWith(`${wanted}=`));
  if (given !== undefined) return given.slice(wanted.length + 1);
  const { disk, home } = at.state.around;
  const files = [
    ...foldersAbove(at.folder).map((folder) => join(folder, '.git/config')),
    join(home, '.gitconfig'),
    join(home, '.config/git/config'),
  ];
  for (const file of files) {
    const text = at.state.files.get(file) ?? disk.read(file) ?? '';
    const [, value] = gitSettings(text).findLast(([key]) => key === wanted) ?? [];
    if (value !== undefined) return value;
  }
  return undefined;
}

const builtin: ReadonlySet<string> = new Set(
  'add am apply archive bisect blame branch bundle cat-file checkout cherry-pick clean clone commit config describe diff difftool fetch filter-branch filter-repo for-each-ref format-patch fsck gc grep help init log ls-files ls-remote ls-tree merge mergetool mv notes prune pull push range-diff rebase reflog remote repack replace request-pull reset restore rev-list rev-parse revert rm shortlog show show-ref sparse-checkout stash status submodule switch symbolic-ref tag update-index update-ref version whatchanged worktree lfs'.split(
    ' ',
  ),
);

/** What git replaces or removes is in its history, or its own rules speak about it. */
function changesFiles(at: Running, args: readonly string[], folder: string): void {
  for (const text of args)
    if (!/^[-:]|^\.?$/.test(text)) touch(at, 'write', absolute(text, folder));
}

function runsCode(at: Running, command: string, args: readonly string[]): void {
  const run = (code: string): void => void at.apart(() => at.code(code));
  const after = (name: string): string => args.slice(args.indexOf(name) + 1).join(' ');
  if (command === 'submodule' && args.includes('foreach'))
    run(after('foreach').replace(/^--recursive\s+/, ''));
  if (command === 'bisect' && args[0] === 'run') run(args.slice(1).join(' '));
  if (command === 'rebase')
    for (const [index, text] of args.entries()) {
      if (/^(?:-x|--exec)$/.test(text)) run(args[index + 1] ?? '');
      const [, code] = /^(?:--exec=|-x)([^]+)$/.exec(text) ?? [];
      if (code !== undefined) run(code);
    }
  if (command === 'filter-branch')
    for (const [index, text] of args.entries())
      if (/^--[\w-]+-filter$/.test(text)) run(args[index + 1] ?? '');
  if (/^(?:difftool|mergetool)$/.test(command)) {
    const index = args.findIndex((text) => /^(?:-x|--extcmd)$/.test(text));
    if (index !== -1) run(args[index + 1] ?? '');
    for (const text of args) if (text.startsWith('--extcmd=')) run(text.slice(9));
  }
  for (const text of args) {
    const [, code] =
      /^--(?:upload-pack|receive-pack|exec|open-files-in-pager)=([^]+)$/.exec(text) ?? [];
    if (code !== undefined && command !== 'rebase') run(code);
  }
  for (const text of args) {
    const [, code] = /^ext::([^]+)$/.exec(text) ?? [];
    if (code !== undefined) run(code.replaceAll('% ', ' '));
  }
  if (command === 'config') configures(at, args);
  if (/^(?:clone|fetch|pull)$/.test(command) && isSecret(args.join(' ')))
    at.emit({ kind: 'send', to: 'git', text: args.join(' ') });
}

/** A setting that names a program runs it later: it is read as if it ran now. */
function configures(at: Running, args: readonly string[]): void {
  const operands = args.filter((text) => !text.startsWith('-'));
  const [name = '', value = ''] = operands[0] === 'set' ? operands.slice(1) : operands;
  const hooks = name.toLowerCase() === 'core.hookspath' && value !== '';
  if (hooks) at.emit({ kind: 'lost', why: `it lets git run the hooks in ${value}` });
  const setting = programSettings.exec(`${name}=${value}`);
  const [, code] =
    setting ?? (/^alias\./i.test(name) && value.startsWith('!') ? ['', value.slice(1)] : []);
  if (code !== undefined && code !== '' && /\s|\//.test(code))
    at.apart(() => at.code(code.replace(/^!/, '')));
}

/** What git prints: the content of a secret file in any version is a secret. */
function printed(at: Running, command: string, args: readonly string[]): string {
  const { around } = at.state;
  if (command === 'rev-parse' && args.includes('--show-toplevel')) {
    const top = foldersAbove(at.folder).find(
      (folder) => around.disk.kindOf(join(folder, '.git')) !== undefined,
    );
    return `${top ?? around.project}\n`;
  }
  if (/^(?:show|cat-file|diff|log|grep|archive|blame|annotate|stash|restore)$/.test(command)) {
    const isQuiet = args.some((text) =>
      /^--(?:stat|name-only|name-status|oneline|shortstat|numstat)/.test(text),
    );
    const named = args.filter((text) => {
      const path = /^[^:]*:([^]+)$/.exec(text)?.[1] ?? text;
      return !text.startsWith('-') && !text.startsWith(':!') && around.isSecretFile(at.path(path));
    });
    const isShown = command !== 'log' || args.some((text) => /^(?:-p|-u|--patch)$/.test(text));
    if (named.length > 0 && !isQuiet && isShown && command !== 'restore') {
      for (const name of named) touch(at, 'read', /^[^:]*:([^]+)$/.exec(name)?.[1] ?? name);
      return secretMark;
    }
  }
  if (command === 'credential' && args[0] === 'fill') return secretMark;
  return command === 'hash-object' ? unknownMark : blurred('');
}
