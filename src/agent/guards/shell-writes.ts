import { homedir } from 'node:os';
import { isAbsolute, resolve } from 'node:path';
import { forEachChild, parse } from 'unbash';
import { settingsPlaces, trustFile } from '../../settings/files/levels.ts';
import type { WrittenPath } from '../../hosts/guarded/find-guarded.ts';

/*
 * The paths that a shell command is about to write, as far as its text names them. What a command computes at
 * run time is not seen; the next start reports guards that are gone.
 *
 * Programs that are known only to read are let through. For any other program, every word that may be a path
 * counts: there are more ways to write a file than a list could hold.
 */

/** Nodes of the parser's tree, reduced to the fields that are read. */
interface Node {
  readonly type: string;
  readonly text?: string;
  readonly value?: unknown;
  readonly parts?: readonly Node[];
  readonly name?: Node | string;
  readonly args?: readonly Node[];
  readonly operator?: string;
  readonly target?: Node;
  readonly body?: { readonly text?: string };
  readonly redirects?: readonly Node[];
  readonly commands?: readonly Node[];
}

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '));

const readers = words(
  'cat tac less more head tail grep egrep fgrep zgrep rg ag ls stat wc file diff cmp comm uniq cut tr nl od hexdump strings jq test [ [[ echo printf cd pushd popd pwd true false : sleep which type command-v readlink realpath basename dirname md5sum sha1sum sha256sum sha512sum cksum du df tree bat id whoami date read source . hookmachine',
);
const gitReaders = words(
  'diff log show status blame ls-files ls-tree grep rev-parse cat-file add commit push describe branch tag shortlog reflog check-ignore',
);
const wrappers = words(
  'sudo doas env nice nohup timeout time command builtin exec stdbuf setsid ionice chrt taskset xargs busybox unbuffer then do else',
);
const shells = words('sh bash zsh dash ksh ash fish');
/** Programs that run code given as an argument or on stdin. */
const interpreters =
  /^(?:python[\d.]*|node|nodejs|deno|bun|perl|ruby|php|lua|tclsh|osascript|[gmn]?awk|ed|ex|vim?|nvim|emacs)$/;
/** Programs that affect everything below a path too. */
const treeWriters = words(
  'rm rmdir mv ln chmod chown chgrp chattr unlink rsync find shred tar git',
);

/** Our own command, by any name; and text that would change guards through it. */
const ourCommand = /(?:^|\/)hookmachine(?:\.c?js)?(?:@[\w.^~-]*)?$/;
const ourCommandIn =
  /hookmachine(?:\.c?js)?["'`,\s[\]]+(?:policy["'`,\s[\]]+(?:add|update|remove)|trust(?!["'`,\s[\]]+--show)|enable|disable)\b|--allow-guard-writes/;

/** How deep nested commands are followed. */
const deepest = 5;
const mostBases = 16;

/** Returns the paths that a command would write when it is run in `cwd`. */
export function shellWrites(command: string, cwd: string): WrittenPath[] {
  const found: WrittenPath[] = [];
  new Commands(cwd, found).read(command, 0);
  return found;
}

class Commands {
  /** Folders that the command may run in. */
  readonly #bases: string[];
  readonly #found: WrittenPath[];
  readonly #variables = new Map<string, string>();

  constructor(cwd: string, found: WrittenPath[]) {
    this.#bases = [cwd];
    this.#found = found;
    this.#variables.set('HOME', process.env['HOME'] ?? homedir()).set('PWD', cwd);
  }

  read(text: string, depth: number): void {
    if (depth > deepest) return this.#scan(text);
    this.#walk(parse(text), depth);
  }

  #walk(node: Node, depth: number): void {
    if (node.type === 'Command') this.#command(node, depth);
    if (node.type === 'Pipeline') this.#pipeline(node.commands ?? [], depth);
    if (node.type === 'Redirect' && /^(?:>|&>|<>)/.test(node.operator ?? '') && node.target)
      this.#write(node.target);
    if (node.type === 'Assignment' && typeof node.name === 'string')
      this.#assign(node.name, node.value as Node | undefined);
    forEachChild(node as never, (child) => this.#walk(child as unknown as Node, depth));
  }

  #assign(name: string, value: Node | undefined): void {
    if (value?.type !== 'Word') return;
    const { text, isLiteral } = this.#textOf(value);
    if (isLiteral) this.#variables.set(name, text);
  }

  #command(node: Node, depth: number): void {
    const all = [...(typeof node.name === 'object' ? [node.name] : []), ...(node.args ?? [])];
    let start = 0;
    const nameAt = (index: number): string =>
      all[index] === undefined ? '' : this.#textOf(all[index]).text.replace(/^.*\//, '');
    // A wrapper runs the first word that is neither an option nor an option's value.
    while (wrappers.has(nameAt(start)))
      do start += /^-[CDIUghknpsu]$/.test(nameAt(start)) ? 2 : 1;
      while (start < all.length && /^-|=|^[\d.]+[smhd]?$/.test(nameAt(start)));
    const name = nameAt(start);
    const args = all.slice(start + 1);
    const texts = args.map((arg) => this.#textOf(arg).text);
    const bodies = (node.redirects ?? []).flatMap(({ type, body, target }) =>
      type === 'HereDoc'
        ? [body?.text ?? '']
        : type === 'HereString' && target
          ? [this.#textOf(target).text]
          : [],
    );
    const line = all.map((word) => this.#textOf(word).text);
    this.#ownCommand(line, name, texts);
    if (line.slice(0, start).some((word) => baseName(word) === 'xargs'))
      this.#readFed(line.slice(start), bodies, depth);
    for (const [index, text] of line.entries()) {
      const folder = /^-C$|^--(?:directory|chdir)$/.test(text)
        ? line[index + 1]
        : /^--(?:directory|chdir)=(.*)/.exec(text)?.[1];
      if (folder !== undefined) this.#enter(folder);
    }
    if (name === 'cd' || name === 'pushd') {
      const folder = texts.find((text) => !text.startsWith('-'));
      if (folder !== undefined) this.#enter(folder);
    }
    if (shells.has(name)) {
      const script = texts.findIndex((text) => /^-\w*c/.test(text));
      if (script >= 0 && texts[script + 1] !== undefined) this.read(texts[script + 1]!, depth + 1);
      for (const body of bodies) this.read(body, depth + 1);
      return;
    }
    if (name === 'eval') return this.read(texts.join(' '), depth + 1);
    if (interpreters.test(name)) {
      for (const text of [...texts, ...bodies]) this.#scan(text);
      return;
    }
    if (reads(name, texts)) return;
    const isTree = treeWriters.has(name);
    for (const arg of writtenArgs(name, args, texts)) {
      this.#write(arg, isTree);
      const { text } = this.#textOf(arg);
      // `--output=FILE`, `of=FILE`, `-oFILE`
      const value = /^-{0,2}[\w-]+=(.+)$/.exec(text)?.[1] ?? /^-[a-zA-Z](.+)$/.exec(text)?.[1];
      if (value !== undefined) this.#add(value, isTree, false);
    }
    if (['cp', 'mv', 'install', 'ln', 'rsync'].includes(name)) this.#intoFolder(args, texts);
    // A substitution in `sed` or a script of any other program may name a file.
    if (name === 'sed') for (const text of texts) if (/\bw\s/.test(text)) this.#scan(text);
  }

  /** `echo x | xargs rm` removes x, and `echo rm x | sh` does too. */
  #pipeline(commands: readonly Node[], depth: number): void {
    const fed: string[] = [];
    for (const node of commands) {
      if (node.type !== 'Command') continue;
      const all = [...(typeof node.name === 'object' ? [node.name] : []), ...(node.args ?? [])];
      const line = all.map((word) => this.#textOf(word).text);
      const names = line.map(baseName);
      const runner = names.findIndex((name) => name === 'xargs' || name === 'parallel');
      const [first = '', ...rest] = names.slice(names.findIndex((name) => !wrappers.has(name)));
      if (runner >= 0) this.#readFed(afterOptions(line.slice(runner + 1)), fed, depth);
      else if (shells.has(first)) for (const text of fed) this.read(text, depth + 1);
      else if (interpreters.test(first)) for (const text of fed) this.#scan(text);
      else if (first === 'echo' || first === 'printf')
        fed.push(
          line
            .slice(-rest.length)
            .filter((word) => !word.startsWith('-'))
            .join(' '),
        );
      for (const { type, body } of node.redirects ?? [])
        if (type === 'HereDoc') fed.push(body?.text ?? '');
    }
  }

  /** Reads a command together with the arguments that it receives from its input. */
  #readFed(command: readonly string[], fed: readonly string[], depth: number): void {
    for (const text of fed) {
      this.read([...command, text.replaceAll('\n', ' ')].join(' '), depth + 1);
      if (shells.has(baseName(command[0] ?? ''))) this.#scan(text);
    }
  }

  /** Our own command changes what is trusted, disabled and installed. */
  #ownCommand(line: readonly string[], name: string, texts: readonly string[]): void {
    const at = line.findIndex((word) => ourCommand.test(word));
    if (at < 0 || (name !== 'hookmachine' && reads(name, texts))) return;
    const rest = line.slice(at + 1);
    const verb = rest.find((word) => !word.startsWith('-'));
    if (verb === 'trust' && !rest.includes('--show')) this.#changeGuards();
    const isPolicy = verb === 'policy' && rest.some((word) => /^(?:add|update|remove)$/.test(word));
    if (
      isPolicy ||
      verb === 'enable' ||
      verb === 'disable' ||
      rest.includes('--allow-guard-writes')
    )
      this.#changeGuards();
  }

  #changeGuards(): void {
    const path = trustFile() ?? settingsPlaces(this.#bases[0]!)[0]!.file;
    this.#found.push({ path });
  }

  /** `cp x/settings.json .claude` writes `.claude/settings.json`. */
  #intoFolder(args: readonly Node[], texts: readonly string[]): void {
    const option = texts.findIndex((text) => /^(?:-t|--target-directory)$/.test(text));
    const folder =
      option >= 0 ? texts[option + 1] : texts.findLast((text) => !text.startsWith('-'));
    if (folder === undefined) return;
    for (const arg of args) {
      const { text, isGlob } = this.#textOf(arg);
      const name = text.replace(/\/+$/, '').replace(/^.*\//, '');
      if (!text.startsWith('-') && text !== folder && name !== '' && name !== '.')
        this.#add(`${folder}/${name}`, true, isGlob);
    }
  }

  #enter(folder: string): void {
    for (const base of this.#bases.slice())
      if (this.#bases.length < mostBases) this.#bases.push(resolve(base, this.#home(folder)));
  }

  #write(word: Node, isTree = false): void {
    const { text, isGlob, isLiteral } = this.#textOf(word);
    // Nothing is known about a word that consists only of variables.
    if (isLiteral || /\.\w/.test(text)) this.#add(text, isTree, isGlob || !isLiteral);
  }

  /** Adds everything that looks like a path in a program's text. */
  #scan(text: string): void {
    if (ourCommandIn.test(text)) this.#changeGuards();
    for (const [token] of text.matchAll(/[\w.~/@+-]*[./][\w.~/@+-]+/g))
      this.#add(token, true, false);
  }

  #add(text: string, isTree: boolean, isGlob: boolean): void {
    if (text === '' || text === '-') return;
    const path = this.#home(text);
    for (const base of isAbsolute(path) ? ['/'] : this.#bases) {
      if (!isGlob) this.#found.push({ path: resolve(base, path), isTree });
      else {
        const escaped = base.replaceAll(/[\\*?[\]{}()!+@]/g, '\\$&');
        const pattern = isAbsolute(path) ? path : `${escaped}/${path.replace(/^(?:\.\/+)+/, '')}`;
        this.#found.push({ path: pattern, isTree, isGlob });
      }
    }
  }

  #home(text: string): string {
    const home = this.#variables.get('HOME')!;
    return /^~(?=\/|$)/.test(text) ? home + text.slice(1) : text;
  }

  /** A word as the shell would expand it, with a star for what only the shell knows. */
  #textOf(word: Node): { text: string; isLiteral: boolean; isGlob: boolean } {
    let [isLiteral, isGlob] = [true, false];
    const textOf = (node: Node): string => {
      switch (node.type) {
        case 'Literal':
        case 'SingleQuoted':
        case 'AnsiCQuoted':
          return plain(node);
        case 'DoubleQuoted':
        case 'LocaleString':
          return (node.parts ?? []).map(textOf).join('');
        case 'Glob':
        case 'ExtendedGlob':
        case 'BraceExpansion':
          isGlob = true;
          return node.text ?? '*';
        case 'SimpleExpansion':
        case 'ParameterExpansion': {
          const name = /^\$\{?(\w+)\}?$/.exec(node.text ?? '')?.[1];
          const value = name === undefined ? undefined : this.#variables.get(name);
          if (value !== undefined) return value;
          isLiteral = false;
          return '*';
        }
        default:
          isLiteral = false;
          return '*';
      }
    };
    const text = word.parts ? word.parts.map(textOf).join('') : plain(word);
    return { text, isLiteral, isGlob };
  }
}

const baseName = (word: string): string => word.replace(/^.*\//, '');

const afterOptions = (line: readonly string[]): readonly string[] => {
  const start = line.findIndex(
    (word, index) => !word.startsWith('-') && !/^-[adEIiLnPs]$/.test(line[index - 1] ?? ''),
  );
  return start < 0 ? [] : line.slice(start);
};

const plain = ({ value, text = '' }: Node): string => (typeof value === 'string' ? value : text);

/** Whether a program only reads, judged by its name and options. */
function reads(name: string, args: readonly string[]): boolean {
  if (readers.has(name)) return true;
  const has = (option: RegExp): boolean => args.some((arg) => option.test(arg));
  switch (name) {
    case 'sed':
      return !has(/^-\w*i|^--in-place/) && !has(/\bw\s/);
    case 'sort':
      return !has(/^-\w*o|^--output/);
    case 'yq':
      return !has(/^-\w*i|^--inplace/);
    case 'find':
    case 'fd':
      return !has(/^-(?:delete|exec|ok|fprint|fls|x|X)|^--exec/);
    case 'tar':
      return !has(/^-?\w*[xcru]|^--(?:extract|create|get|remove-files)/);
    case 'git': {
      const command = args.find(
        (arg, index) => !arg.startsWith('-') && !/^-[Cc]$/.test(args[index - 1] ?? ''),
      );
      return command === undefined || gitReaders.has(command);
    }
    default:
      return false;
  }
}

/** The arguments that a program writes to: a copy does not change its source. */
function writtenArgs(
  name: string,
  args: readonly Node[],
  texts: readonly string[],
): readonly Node[] {
  if (name === 'cp' || name === 'install' || name === 'rsync' || name === 'scp') {
    const linksOrMoves = texts.some((text) =>
      /^-\w*[ls]\w*$|^--(?:link|symbolic-link|remove-source-files)$/.test(text),
    );
    if (linksOrMoves && name === 'cp') return args;
    const option = texts.findIndex((text) => /^(?:-t|--target-directory)$/.test(text));
    return option >= 0 ? args.slice(option + 1, option + 2) : args.slice(-1);
  }
  return args;
}
