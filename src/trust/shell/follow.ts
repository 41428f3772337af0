import type { Disk } from './disk.ts';
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import {
  forEachChild,
  parse,
  type Assignment,
  type Command,
  type HereDoc,
  type Redirect,
  type Redirection,
  type SyntaxNode,
  type Word,
  type WordPart,
} from 'unbash';
import { followNode, followPython, type Interpreter } from './interpreters.ts';
import { meaningOf, type Meaning, type Surroundings } from './meaning.ts';
import {
  harmlessInline,
  programs,
  ruling,
  shells,
  wrappers,
  type Program,
  type Role,
  type Wrapper,
} from './programs.ts';

/** What a command has to do with the files around it. */
export interface Followed {
  /** Names of files that it runs or hands on, as they are written, with the folders they may go from. */
  readonly scripts: ReadonlySet<string>;
  /** Files that it only reads. */
  readonly data: ReadonlySet<string>;
  /** Files that it writes to. */
  readonly written: ReadonlySet<string>;
  /** Folders beyond the project whose files it may run. */
  readonly beyond: ReadonlySet<string>;
  /** What cannot be followed, and why, a sentence each. */
  readonly unfollowed: readonly string[];
}

/** Variables whose values are known. */
export interface KnownVariables {
  /** By the user's own environment, or by us. */
  readonly own: Readonly<Record<string, string>>;
  /** By the settings that the hook stands in. */
  readonly given: Readonly<Record<string, string>>;
}

/** Follows a shell command to the files behind it. Each step that is not literal is said, none is guessed away. */
export function followCommand(
  command: string,
  cwd: string,
  variables: KnownVariables,
  disk: Disk,
): Followed {
  const follower = new Follower(cwd, variables, disk);
  follower.source(command, 0);
  return follower;
}

const deepest = 8;
const mostFolders = 20;
const mostSteps = 20_000;

/** A word, and what it may come to. */
interface Said {
  readonly written: string;
  readonly meant: Meaning;
}

/** Where a command's input comes from. */
type Input =
  | { readonly from: 'pipe'; readonly text?: string; readonly files?: readonly string[] }
  | { readonly from: 'text'; readonly text: string }
  | { readonly from: 'file' }
  | undefined;

class Follower implements Followed, Surroundings, Interpreter {
  readonly scripts = new Set<string>();
  readonly data = new Set<string>();
  readonly written = new Set<string>();
  readonly beyond = new Set<string>();
  readonly #unfollowed = new Set<string>();
  readonly #values = new Map<string, string | undefined>();
  readonly #functions = new Set<string>();
  readonly #folders: string[];
  readonly disk: Disk;
  readonly home: string | undefined = homeOf();
  #steps = 0;
  #depth = 0;
  #input: Input;

  constructor(cwd: string, { own, given }: KnownVariables, disk: Disk) {
    this.#folders = [cwd];
    this.disk = disk;
    for (const [name, value] of Object.entries({ ...given, ...own })) this.#values.set(name, value);
    for (const [name, value] of Object.entries(given)) this.#rules(name, [value], value);
  }

  get folders(): readonly string[] {
    return this.#folders;
  }

  get unfollowed(): readonly string[] {
    return [...this.#unfollowed];
  }

  /** Says that something cannot be followed. */
  lost(what: string): void {
    this.#unfollowed.add(what.length > 200 ? `${what.slice(0, 200)}…` : what);
  }

  valuesOf(name: string): readonly string[] | undefined {
    if (name === 'PWD') return this.#values.get('PWD') === undefined ? undefined : this.#folders;
    const value = this.#values.get(name);
    return value === undefined ? undefined : [value];
  }

  outputOf(part: WordPart): readonly string[] | undefined {
    if (part.type !== 'CommandExpansion') return undefined;
    const words = simpleWords(part.script)?.join(' ');
    if (words === 'pwd' || words === 'pwd -P') return this.#folders;
    if (words !== 'git rev-parse --show-toplevel') return undefined;
    const found = this.#folders.map((folder) => this.disk.repositoryOf(folder));
    return found.every((folder) => folder !== undefined) ? [...new Set(found)] : undefined;
  }

  /** Follows shell code. */
  source(code: string, depth: number): void {
    if (depth > deepest) return this.lost('its commands lie too deep in each other');
    const script = parse(code);
    if (script.errors?.length)
      this.lost(`its shell code is not understood (${script.errors[0]!.message})`);
    const [before, input] = [this.#depth, this.#input];
    this.#depth = depth;
    this.#input = undefined;
    this.#learnNames(script, new Map());
    this.node(script);
    this.#depth = before;
    this.#input = input;
  }

  /** A name that is given a value more than once, or by a loop, has no value that can be relied on. */
  #learnNames(node: SyntaxNode, counts: Map<string, number>): void {
    const give = (name: string, times = 1): void => {
      const count = (counts.get(name) ?? 0) + times;
      counts.set(name, count);
      if (count > 1 || this.#values.has(name)) this.#values.set(name, undefined);
    };
    const look = (child: SyntaxNode, isPrefix: boolean): void => {
      if (++this.#steps > mostSteps) return;
      if (child.type === 'Assignment')
        give(child.name, isPrefix || child.append || child.index ? 2 : 1);
      if (child.type === 'For' || child.type === 'Select') give(child.name.value, 2);
      if (child.type === 'Function') this.#functions.add(child.name.value);
      if (
        child.type === 'ParameterExpansion' &&
        child.operation?.type === 'Default' &&
        child.operation.operator.endsWith('=')
      )
        give(child.parameter, 2);
      if (child.type === 'ArithmeticCommand' || child.type === 'ArithmeticExpansion')
        for (const name of (child.type === 'ArithmeticCommand' ? child.body : child.text).match(
          /[A-Za-z_]\w*(?=\s*(?:[-+*/%&|^]|<<|>>)?=[^=]|\+\+|--)/g,
        ) ?? [])
          give(name, 2);
      if (child.type === 'Command' && settersOfNames.has(child.name?.value ?? ''))
        for (const argument of child.args)
          for (const name of (argument.type === 'Word' ? argument.value : '').match(
            /^[A-Za-z_]\w*$/g,
          ) ?? [])
            give(name, 2);
      const hasPrefix = child.type === 'Command' && child.name !== undefined;
      const prefix = hasPrefix ? new Set<unknown>(child.prefix) : undefined;
      forEachChild(child, (inner) => look(inner, prefix?.has(inner) ?? false));
    };
    look(node, false);
  }

  /** Follows any part of a command. */
  node(node: SyntaxNode): void {
    if (++this.#steps > mostSteps) return this.lost('it is too long');
    switch (node.type) {
      case 'Command':
        return this.#command(node);
      case 'Pipeline': {
        const input = this.#input;
        for (const [index, command] of node.commands.entries()) {
          if (index > 0) this.#input = this.#outputInto(node.commands[index - 1]!);
          this.node(command);
        }
        this.#input = input;
        return undefined;
      }
      case 'Redirected': {
        const input = this.#input;
        this.#input = this.#redirects(node.redirects, true) ?? input;
        this.node(node.command);
        this.#input = input;
        return undefined;
      }
      case 'TestUnary':
        if (/^-[a-hkprstuwxLNOGSe]$/.test(node.operator))
          this.#argument(this.#said(node.operand), 'path');
        return this.#inner(node);
      case 'TestBinary':
        if (/^-(?:nt|ot|ef)$/.test(node.operator))
          for (const side of [node.left, node.right]) this.#argument(this.#said(side), 'path');
        return this.#inner(node);
      case 'CommandExpansion':
      case 'ProcessSubstitution':
      case 'ArithmeticCommandExpansion':
        if (node.script?.errors?.length) this.lost(`${node.text} is not understood`);
        return this.#inner(node);
      default:
        return this.#inner(node);
    }
  }

  #inner(node: SyntaxNode): void {
    forEachChild(node, (child) => this.node(child));
  }

  #said(word: Word): Said {
    return { written: word.text, meant: meaningOf(word, this) };
  }

  #assign({ name, value, append, index }: Assignment, isForOthers: boolean): void {
    if (value.type === 'ArrayValue' || append || index) {
      this.#values.set(name, undefined);
      if (ruling.test(name)) this.lost(`it sets ${name}`);
      return;
    }
    const meant = meaningOf(value, this);
    this.#rules(name, meant.unknown === undefined ? meant.texts : undefined, value.text);
    if (isForOthers) return;
    // Names given a value in several places have been marked as unknown before.
    if (this.#values.has(name) && this.#values.get(name) === undefined) return;
    if (changing.test(name)) return;
    const [only] = meant.texts;
    this.#values.set(
      name,
      meant.unknown === undefined && meant.texts.length === 1 ? only : undefined,
    );
  }

  /** Some variables decide what other programs load. */
  #rules(name: string, values: readonly string[] | undefined, written: string): void {
    if (!ruling.test(name)) {
      for (const value of values ?? []) this.names(value, 'script');
      return;
    }
    const isOutside =
      (name === 'PATH' || name === 'HOME') &&
      values?.every((value) =>
        value.split(':').every((part) => part.startsWith('/') && !this.disk.isInProject(part)),
      );
    if (isOutside || values?.every((value) => value === '')) return;
    this.lost(`it sets ${name} to ${written}`);
  }

  #command(command: Command): void {
    const { name, prefix, args } = command;
    for (const part of [...prefix, ...args]) if (part.type === 'Assignment') this.#inner(part);
    for (const word of args) if (word.type === 'Word') this.#inner(word);
    if (name) this.#inner(name);
    for (const part of prefix)
      if (part.type === 'Assignment') this.#assign(part, name !== undefined);
    const before = this.#input;
    const words = name === undefined ? [] : [name, ...args].map((part) => this.#argumentOf(part));
    const program = words[0]?.meant.texts.length === 1 ? words[0].meant.texts[0]! : '';
    const isPlain = Object.hasOwn(programs, baseName(program));
    const own = this.#redirects(command.redirects, !isPlain);
    this.#input = own ?? before;
    if (words.length > 0) this.#run(words);
    // `exec <file` goes on for all that follows.
    this.#input = program === 'exec' && own ? own : before;
  }

  #argumentOf(part: Word | Assignment): Said {
    if (part.type === 'Word') return this.#said(part);
    // `export X=y` and its like set X for good; to any other program it is a text like any.
    this.#assign(part, false);
    const meant =
      part.value.type === 'Word'
        ? meaningOf(part.value, this)
        : { texts: [], guesses: [], start: '', unknown: part.text };
    const to = (text: string): string => `${part.name}=${text}`;
    return {
      written: part.text,
      meant: {
        ...meant,
        texts: meant.texts.map(to),
        guesses: meant.guesses.map(to),
        start: to(meant.start),
      },
    };
  }

  /** What stands after `<`, `>` and their like; returns where the input comes from, if from there. */
  #redirects(redirects: readonly Redirection[], mayRun: boolean): Input {
    let input: Input;
    for (const redirect of redirects)
      switch (redirect.type) {
        case 'HereDoc':
          input = { from: 'text', text: this.#hereDocument(redirect) };
          break;
        case 'HereString': {
          if (!redirect.target) break;
          this.#inner(redirect.target);
          const { texts, unknown } = meaningOf(redirect.target, this);
          input =
            unknown === undefined && texts.length === 1
              ? { from: 'text', text: texts[0]! }
              : { from: 'pipe' };
          break;
        }
        case 'Redirect':
          input = this.#redirect(redirect, mayRun) ?? input;
      }
    return input;
  }

  #redirect({ operator, target }: Redirect, mayRun: boolean): Input {
    if (!target) return undefined;
    this.#inner(target);
    const said = this.#said(target);
    if (operator.endsWith('&') && /^(?:\d+-?|-)$/.test(target.value)) return undefined;
    if (operator !== '<' && operator !== '<>') {
      for (const text of said.meant.texts) this.names(text, 'written');
      return undefined;
    }
    if (target.parts?.some(({ type }) => type === 'ProcessSubstitution')) return { from: 'pipe' };
    this.#argument(said, mayRun ? 'script' : 'file');
    return { from: 'file' };
  }

  #hereDocument({ body }: HereDoc): string {
    for (const part of body.parts ?? []) this.node(part);
    return body.text;
  }

  /** What a command hands to the next one in a pipeline. */
  #outputInto(node: SyntaxNode): Input {
    if (node.type !== 'Command' || !node.name) return { from: 'pipe' };
    const words = [node.name, ...node.args].map((part) =>
      part.type === 'Word' ? meaningOf(part, this) : undefined,
    );
    if (!words.every((meant) => meant?.unknown === undefined && meant?.texts.length === 1))
      return { from: 'pipe' };
    const [name, ...args] = words.map((meant) => meant!.texts[0]!);
    if (name === 'cat' && args.length > 0 && !args.some((text) => text.startsWith('-')))
      return { from: 'pipe', files: args };
    if (name === 'echo' && !args.some((text) => text.startsWith('-') || text.includes('\\')))
      return { from: 'pipe', text: args.join(' ') };
    if (name === 'printf' && args.length === 1 && !/[%\\]/.test(args[0]!))
      return { from: 'pipe', text: args[0]! };
    return { from: 'pipe' };
  }

  /** A program with its arguments. */
  #run(words: readonly Said[]): void {
    const [first, ...args] = words;
    const { meant, written } = first!;
    if (meant.unknown !== undefined || meant.texts.length !== 1) {
      this.lost(`what ${quote(written)} runs is not literal`);
      for (const text of [...meant.texts, ...meant.guesses]) this.names(text, 'script', true);
      return this.#anything(written, args);
    }
    const name = meant.texts[0]!;
    if (name === '') return undefined;
    if (name.includes('/')) {
      this.names(name, 'script');
      if (
        this.#pathsOf(name).some(
          (path) =>
            this.disk.isFile(path) && (!name.startsWith('/') || this.disk.isInProject(path)),
        )
      )
        return this.#ownScript(name, args);
      if (!/^\/(?:usr\/)?(?:local\/)?s?bin\/[^/]+$/.test(name)) return this.#anything(name, args);
    } else this.#fromPath(name);
    return this.#program(baseName(name), args);
  }

  /** A file of the project: what it reads is its author's to say, but what it is given here counts. */
  #ownScript(name: string, args: readonly Said[]): void {
    this.interpreterOf(name);
    for (const argument of args) {
      if (argument.meant.unknown !== undefined)
        this.lost(`${quote(name)} is given ${quote(argument.written)}, which is not literal`);
      this.#argument(argument, 'script');
    }
  }

  /** What a script's first line says of its interpreter. */
  interpreterOf(name: string): void {
    for (const path of this.#pathsOf(name)) {
      const [, line] = /^#!([^\n]*)/.exec(this.disk.read(path) ?? '') ?? [];
      if (line === undefined) continue;
      const [program = '', ...rest] = line.trim().split(/\s+/);
      this.names(program, 'script');
      for (const text of rest) this.names(text, 'script');
      const words = [program, ...rest].filter((word) => !/(?:^|\/)env$|^-S$/.test(word));
      if (words.slice(1).some((word) => !/^-[A-Za-z]{1,4}$/.test(word)))
        this.lost(
          `the first line of ${quote(name)} gives its interpreter ${quote(words.slice(1).join(' '))}`,
        );
      if (/\bnode\b/.test(line)) followNode(this, [path]);
    }
  }

  /** A folder of the PATH that lies in the project may hold the program. */
  #fromPath(name: string): void {
    const path = this.valuesOf('PATH')?.[0];
    for (const folder of path?.split(':') ?? [])
      if (!folder.startsWith('/') || this.disk.isInProject(folder))
        this.names(`${folder === '' ? '.' : folder}/${name}`, 'script');
  }

  #program(name: string, args: readonly Said[]): void {
    if (this.#functions.has(name)) {
      for (const argument of args) this.#argument(argument, 'script');
      return undefined;
    }
    if (Object.hasOwn(wrappers, name)) return this.#wrapper(name, wrappers[name]!, args);
    if (shells.has(name)) return this.#shell(name, args);
    switch (name) {
      case 'cd':
      case 'pushd':
        return this.#changeFolder(args);
      case 'popd':
        return undefined;
      case '.':
      case 'source':
        return this.#sourced(name, args);
      case 'eval':
        return this.#evaluated(name, args);
      case 'trap':
        return args[0]?.written === '-' ? undefined : this.#evaluated(name, args.slice(0, 1));
      case 'alias':
        for (const argument of args) {
          const [text] = this.#literally(argument) ?? [];
          if (text === undefined) this.lost(`alias ${quote(argument.written)} is not literal`);
          else this.source(text.slice(text.indexOf('=') + 1), this.#depth + 1);
        }
        return undefined;
      case 'export':
      case 'readonly':
      case 'local':
      case 'declare':
      case 'typeset':
        return this.#declared(name, args);
      case 'read':
      case 'mapfile':
      case 'readarray':
        if (args.some(({ written }) => /^-\w*C/.test(written))) this.#anything(name, args);
        return undefined;
      case 'test':
      case '[':
        return this.#test(args);
      case 'git':
        if (args.map(({ written }) => written).join(' ') === 'rev-parse --show-toplevel')
          return undefined;
        return this.#anything(name, args);
      case 'node':
      case 'nodejs':
        return this.#interpreter(name, args, followNode);
      case 'python':
      case 'python3':
      case 'python2':
      case 'perl':
      case 'ruby':
        return this.#interpreter(name, args, followPython);
      case 'xargs':
        if (args.length === 0 || (args.length === 1 && args[0]!.written === 'echo'))
          return undefined;
        return this.#anything(name, args);
    }
    const known = Object.hasOwn(programs, name) ? programs[name] : undefined;
    if (known !== undefined && this.#known(name, known, args)) return undefined;
    this.names(name, 'script');
    return this.#anything(name, args);
  }

  /** A program of which we do not know what it does with its arguments. */
  #anything(name: string, args: readonly Said[]): void {
    this.lost(`${quote(name)} may run or read any file`);
    for (const argument of args) this.#argument(argument, 'script');
  }

  /** Whether the whole command line is one that we know. */
  #known(name: string, program: Program, args: readonly Said[]): boolean {
    const {
      flags,
      options = {},
      longFlags = [],
      longOptions = {},
      operands,
      instead = [],
    } = program;
    const uses: [Said, Role][] = [];
    let position = 0;
    let areOptionsOver = program === programs['echo'] || name === 'printf';
    const rest = [...args];
    for (let argument = rest.shift(); argument; argument = rest.shift()) {
      const [text] = this.#literally(argument) ?? [];
      // What is not literal may be an option, too.
      const start = text ?? argument.meant.start;
      if (jqPairs(name, start, rest, uses)) continue;
      if (!areOptionsOver && start === '--') areOptionsOver = true;
      else if (!areOptionsOver && start.startsWith('--')) {
        const [, option, value] = /^--([\w-]+)(?:=([^]*))?$/.exec(text ?? '') ?? [];
        if (option === undefined) return false;
        if (instead.includes(option)) position = Math.max(position, 1);
        const role = longOptions[option];
        if (role === undefined) {
          if (!longFlags.includes(option)) return false;
          continue;
        }
        const given = value === undefined ? rest.shift() : saidAs(value);
        if (given) uses.push([given, role]);
      } else if (
        !areOptionsOver &&
        /^-./.test(start) &&
        !(operands[0] === 'text' && /^-\d+$/.test(start))
      ) {
        if (text === undefined && start.length < 2) return false;
        for (let at = 1; at < start.length; at++) {
          const letter = start[at]!;
          const role = options[letter];
          if (instead.includes(letter)) position = Math.max(position, 1);
          if (role !== undefined) {
            const attached = start.slice(at + 1);
            const given =
              attached === '' && text !== undefined
                ? rest.shift()
                : text === undefined
                  ? { ...argument, meant: { ...argument.meant } }
                  : saidAs(attached);
            if (given) uses.push([given, role]);
            break;
          }
          if (!flags.includes(letter)) return false;
        }
      } else {
        const role = operands[Math.min(position++, operands.length - 1)];
        if (role === undefined) return false;
        uses.push([argument, role]);
      }
    }
    const isHarmless = ({ meant }: Said): boolean =>
      meant.unknown === undefined &&
      meant.texts.every((code) => code.length < 4_000 && program.harmlessCode?.test(code));
    for (const [argument, role] of uses)
      if (role === 'code') {
        if (!isHarmless(argument))
          this.lost(`the code of ${quote(name)} may read or run other files`);
      } else this.#argument(argument, role, name);
    return true;
  }

  /** What an argument does to the files that it names. */
  #argument({ meant, written }: Said, role: Role, program?: string): void {
    if (role === 'text' || role === 'code') return;
    const isKnown = meant.unknown === undefined;
    if (!isKnown && role !== 'written') {
      this.lost(
        `${program === undefined ? '' : `${program} is given `}${quote(written)}${program === undefined ? ' is not literal' : ', which is not literal'}`,
      );
      this.#noteBeyond(meant.start);
    }
    for (const text of isKnown ? meant.texts : meant.guesses) {
      if (isKnown && role !== 'path' && role !== 'written')
        for (const path of this.#pathsOf(text))
          if (this.disk.isFolder(path)) {
            this.lost(`${quote(written)} is a whole folder`);
            this.#noteBeyond(`${text}/`);
          }
      this.names(text, role === 'path' || role === 'file' ? 'data' : role, !isKnown);
    }
  }

  /** A folder that a relative path leads to, out of the project. */
  #noteBeyond(start: string): void {
    if (start.startsWith('/') || !start.includes('/')) return;
    for (const base of this.#folders) {
      const folder = resolve(base, start.slice(0, start.lastIndexOf('/')));
      if (!this.disk.isInProject(folder) && this.disk.isFolder(folder)) this.beyond.add(folder);
    }
  }

  #pathsOf(name: string): string[] {
    if (name.includes('\0') || name === '') return [];
    return name.startsWith('/') ? [name] : this.#folders.map((folder) => resolve(folder, name));
  }

  /** Notes a file by each name that a word may hold. */
  names(text: string, kind: 'script' | 'data' | 'written', isGuess = false): void {
    const into = { script: this.scripts, data: this.data, written: this.written }[kind];
    if (text.length > 4_096 || text.includes('\0')) return;
    const isFile = this.#pathsOf(text).some((path) => this.disk.isFile(path));
    const parts =
      kind === 'written' || isFile
        ? [text]
        : [
            text,
            text.slice(text.indexOf('=') + 1),
            ...text.split(/[=:,@\s]/),
            text.replace(/^-\w/, ''),
          ];
    for (const part of parts) {
      const name = part.startsWith('~/') && this.home ? this.home + part.slice(1) : part;
      if (name === '' || name === '/') continue;
      if (!name.startsWith('/') || this.disk.isInProject(name))
        for (const path of this.#pathsOf(name)) into.add(path);
      // Before it may have stood what only the shell can know, such as `$(dirname "$0")`.
      if (isGuess && name.startsWith('/')) for (const base of this.#folders) into.add(base + name);
    }
  }

  #literally({ meant }: Said): readonly string[] | undefined {
    return meant.unknown === undefined ? meant.texts : undefined;
  }

  #changeFolder(args: readonly Said[]): void {
    const target = args.find(({ written }) => !/^-[LPe@]+$|^--$/.test(written));
    if (target === undefined) return this.#enter(this.home);
    if (target.written === '-') return undefined;
    const texts = this.#literally(target);
    if (texts === undefined) {
      this.lost(`where it goes by ${quote(`cd ${target.written}`)} is not literal`);
      this.#noteBeyond(target.meant.start);
      return undefined;
    }
    for (const text of texts) for (const path of this.#pathsOf(text)) this.#enter(path);
  }

  #enter(folder: string | undefined): void {
    if (folder === undefined || this.#folders.includes(folder)) return;
    if (this.#folders.length >= mostFolders) this.lost('it goes through too many folders');
    else this.#folders.push(folder);
  }

  #sourced(name: string, args: readonly Said[]): void {
    const [script, ...rest] = args;
    if (script) this.#script(script, name);
    for (const argument of rest) this.#argument(argument, 'script');
    // The file may give any name another value, and what is known of ours is known no more.
    for (const known of this.#values.keys())
      if (!lasting.has(known)) this.#values.set(known, undefined);
  }

  #script(script: Said, runner: string): void {
    // Its own input, by a name.
    if (this.#literally(script)?.some((text) => /^\/(?:dev|proc)\//.test(text))) {
      this.lost(`${quote(`${runner} ${script.written}`)} runs what it reads from its input`);
      this.#standardInput(runner, shells.has(runner) || runner === '.' || runner === 'source');
    }
    if (this.#literally(script) === undefined)
      this.lost(`which script ${quote(`${runner} ${script.written}`)} runs is not literal`);
    this.#argument(script, 'script');
  }

  #evaluated(name: string, args: readonly Said[]): void {
    const texts = args.map((argument) => this.#literally(argument));
    if (texts.every((found) => found?.length === 1))
      return this.source(texts.map((found) => found![0]).join(' '), this.#depth + 1);
    this.lost(`what ${quote(name)} is given is not literal`);
    for (const argument of args) this.#argument(argument, 'script');
    return undefined;
  }

  #declared(name: string, args: readonly Said[]): void {
    for (const { meant, written } of args) {
      if (/^-\w*n/.test(written)) this.lost(`${quote(`${name} ${written}`)} gives names to names`);
      const [, set] = /^(\w+)\+?=/.exec(meant.start) ?? [];
      if (set !== undefined && !/^[A-Za-z_]\w*=/.test(written)) {
        this.#values.set(set, undefined);
        if (ruling.test(set)) this.lost(`it sets ${set}`);
      }
      if (meant.unknown !== undefined && !/^[A-Za-z_]\w*=/.test(written))
        this.lost(`what ${quote(`${name} ${written}`)} sets is not literal`);
    }
  }

  #test(args: readonly Said[]): void {
    for (const [index, argument] of args.entries()) {
      if (/^-[a-hkprstuwxLNOGSe]$/.test(argument.written) && args[index + 1])
        this.#argument(args[index + 1]!, 'path');
      if (/^-(?:nt|ot|ef)$/.test(argument.written))
        for (const side of [args[index - 1], args[index + 1]])
          if (side) this.#argument(side, 'path');
    }
  }

  /** A program that starts another: `env`, `timeout 5`, `nice -n 3`. */
  #wrapper(name: string, wrapper: Wrapper, args: readonly Said[]): void {
    const { flags, options = '', longFlags = [], longOptions = [], operands = 0 } = wrapper;
    const rest = [...args];
    let left = operands;
    for (let argument = rest.shift(); argument; argument = rest.shift()) {
      const [text] = this.#literally(argument) ?? [];
      if (text === undefined) {
        if (left-- > 0) continue;
        return this.#run([argument, ...rest]);
      }
      // `command -v x` only looks.
      if (name === 'command' && /^-[pvV]*[vV]/.test(text)) return undefined;
      const assignment = /^([A-Za-z_]\w*)=([^]*)$/.exec(text);
      if (assignment && (name === 'env' || name === 'sudo')) {
        this.#rules(assignment[1]!, [assignment[2]!], assignment[2]!);
        continue;
      }
      if (text === '--') continue;
      const long = /^--([\w-]+)(?:=([^]*))?$/.exec(text);
      if (long) {
        if (longFlags.includes(long[1]!)) continue;
        if (!longOptions.includes(long[1]!)) return this.#anything(name, [argument, ...rest]);
        const value = long[2] === undefined ? rest.shift() : saidAs(long[2]);
        if (name === 'env' && long[1] === 'chdir' && value) this.#changeFolder([value]);
        if (name === 'env' && long[1] === 'split-string' && value)
          return this.#splitString(value, rest);
        continue;
      }
      if (/^-./.test(text)) {
        for (let at = 1; at < text.length; at++) {
          const letter = text[at]!;
          if (flags.includes(letter)) continue;
          if (!options.includes(letter)) return this.#anything(name, [argument, ...rest]);
          const value = at + 1 < text.length ? saidAs(text.slice(at + 1)) : rest.shift();
          if (name === 'env' && letter === 'C' && value) this.#changeFolder([value]);
          if (name === 'env' && letter === 'S' && value) return this.#splitString(value, rest);
          break;
        }
        continue;
      }
      if (left-- > 0) continue;
      return this.#run([argument, ...rest]);
    }
    return undefined;
  }

  /** `env -S 'sh guard.sh'`: its own language of words, near enough to the shell's to be read as such. */
  #splitString(value: Said, rest: readonly Said[]): void {
    this.#evaluated('env -S', [value]);
    if (rest.length > 0) this.#anything('env -S', rest);
  }

  #shell(name: string, args: readonly Said[]): void {
    const rest = [...args];
    for (let argument = rest.shift(); argument; argument = rest.shift()) {
      const [text] = this.#literally(argument) ?? [];
      if (text === undefined) {
        this.#script(argument, name);
        return rest.forEach((one) => this.#argument(one, 'script'));
      }
      if (text === '--rcfile' || text === '--init-file') {
        const file = rest.shift();
        if (file) this.#script(file, `${name} ${text}`);
      } else if (/^--(?:norc|noprofile|posix|verbose|login|restricted)$/.test(text)) continue;
      else if (text === '-' || text === '--') continue;
      else if (/^[-+][A-Za-z]/.test(text)) {
        const letters = text.slice(1);
        if (/[oO]/.test(letters)) rest.shift();
        if (text.startsWith('-') && letters.includes('c')) return this.#shellCode(name, rest);
        if (text.startsWith('-') && letters.includes('s')) {
          for (const one of rest) this.#argument(one, 'script');
          return this.#standardInput(name, true);
        }
      } else if (text.startsWith('-')) return this.#anything(name, [argument, ...rest]);
      else {
        this.#script(argument, name);
        return rest.forEach((one) => this.#argument(one, 'script'));
      }
    }
    return this.#standardInput(name, true);
  }

  #shellCode(name: string, args: readonly Said[]): void {
    const rest = [...args];
    while (rest[0] && /^[-+][A-Za-z]/.test(rest[0].written)) rest.shift();
    const code = rest.shift();
    if (code) this.#evaluated(`${name} -c`, [code]);
    for (const argument of rest) this.#argument(argument, 'script');
  }

  /** An interpreter without a script runs what it is given to read. */
  #standardInput(name: string, isShell: boolean): void {
    const input = this.#input;
    if (input?.from === 'file') return undefined;
    if (input?.from === 'pipe' && input.files) {
      for (const file of input.files) this.names(file, 'script');
      return undefined;
    }
    const text = input === undefined ? undefined : 'text' in input ? input.text : undefined;
    if (text !== undefined && isShell) return this.source(text, this.#depth + 1);
    if (text !== undefined && harmlessInline.test(text.slice(0, 4_000))) return undefined;
    this.lost(`${quote(name)} runs what it reads from its input`);
    return undefined;
  }

  #interpreter(
    name: string,
    args: readonly Said[],
    follow: (to: Interpreter, scripts: readonly string[]) => void,
  ): void {
    const rest = [...args];
    for (let argument = rest.shift(); argument; argument = rest.shift()) {
      const [text] = this.#literally(argument) ?? [];
      if (text === undefined) return this.#anything(name, [argument, ...rest]);
      if (text === '--') continue;
      if (text === '-') break;
      const isInline = name.startsWith('python')
        ? text === '-c'
        : /^-(?:e|p|pe)$|^--(?:eval|print)$/.test(text);
      if (isInline) {
        const code = rest.shift();
        const [only] = (code && this.#literally(code)) ?? [];
        if (only === undefined || only.length > 4_000 || !harmlessInline.test(only))
          this.lost(`the code of ${quote(`${name} ${text}`)} may load other files`);
        for (const one of [...(code ? [code] : []), ...rest]) this.#argument(one, 'script');
        return undefined;
      }
      if (
        name.startsWith('node') &&
        /^(?:-r|--require|--import|--loader|--experimental-loader)(?:=|$)/.test(text)
      ) {
        const module = text.includes('=')
          ? saidAs(text.slice(text.indexOf('=') + 1))
          : rest.shift();
        const [only] = (module && this.#literally(module)) ?? [];
        if (only === undefined || !/^(?:\.{0,2}\/)/.test(only)) {
          this.lost(
            `where ${quote(`${name} ${text}`)} finds ${quote(module?.written ?? '')} is not literal`,
          );
        }
        if (module) this.#argument(module, 'script');
        if (only !== undefined) follow(this, this.#pathsOf(only));
        continue;
      }
      if (text.startsWith('-')) {
        if (!harmlessOption.test(text)) {
          this.lost(`what ${quote(`${name} ${text}`)} loads is not known`);
          for (const one of [argument, ...rest]) this.#argument(one, 'script');
          for (const one of rest)
            for (const guess of one.meant.texts) follow(this, this.#pathsOf(guess));
          return undefined;
        }
        continue;
      }
      this.#script(argument, name);
      follow(this, this.#pathsOf(text));
      for (const one of rest) this.#argument(one, 'script');
      return undefined;
    }
    if (rest.length === 0 || args.at(-1)?.written === '-') this.#standardInput(name, false);
  }
}

/** Names whose values the user's environment and we set. */
const lasting = new Set([
  'PATH',
  'HOME',
  'PWD',
  'LLXPRT_PROJECT_DIR',
  'GEMINI_PROJECT_DIR',
  'CLAUDE_PROJECT_DIR',
]);

/** Names that the shell itself gives other values. */
const changing =
  /^(?:_|REPLY|OPTARG|OPTIND|MAPFILE|OLDPWD|PWD|DIRSTACK|RANDOM|SRANDOM|SECONDS|LINENO|EPOCH\w*|COPROC\w*|PIPESTATUS|BASH\w*|FUNCNAME|GROUPS)$/;

/** Options of interpreters that load nothing and take no value. */
const harmlessOption =
  /^(?:-[uwBOsEISW]+|-w|--no-warnings|--trace-warnings|--enable-source-maps|--experimental-strip-types|--no-deprecation|--abort-on-uncaught-exception|--max-old-space-size=\d+|--unhandled-rejections=\w+)$/;

const settersOfNames = new Set([
  'read',
  'mapfile',
  'readarray',
  'getopts',
  'printf',
  'local',
  'declare',
  'typeset',
  'unset',
  'let',
  'wait',
]);

const saidAs = (text: string): Said => ({
  written: text,
  meant: { texts: [text], guesses: [text], start: text },
});

/** jq takes names and values in pairs: `--arg name value`, `--slurpfile name file`. */
function jqPairs(name: string, option: string, rest: Said[], uses: [Said, Role][]): boolean {
  if (name !== 'jq') return false;
  const role = { '--arg': 'text', '--argjson': 'text', '--slurpfile': 'file', '--rawfile': 'file' }[
    option
  ] as Role | undefined;
  if (option === '--args' || option === '--jsonargs') {
    for (const one of rest.splice(0)) uses.push([one, 'text']);
    return true;
  }
  if (role === undefined) return false;
  rest.shift();
  const value = rest.shift();
  if (value) uses.push([value, role]);
  return true;
}

function simpleWords(node: SyntaxNode | undefined): string[] | undefined {
  if (node?.type !== 'Script' || node.commands.length !== 1) return undefined;
  const { command } = node.commands[0]!;
  if (command.type !== 'Command' || !command.name || command.prefix.length > 0) return undefined;
  if (command.redirects.some(({ type }) => type !== 'Redirect')) return undefined;
  return [command.name, ...command.args].map((part) => part.text);
}

const baseName = (name: string): string => name.slice(name.lastIndexOf('/') + 1);

const quote = (text: string): string => JSON.stringify(text);

function homeOf(): string | undefined {
  try {
    return homedir();
  } catch {
    return undefined;
  }
}
