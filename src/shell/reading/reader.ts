import type { Assignment, Command, Redirection, Script, SyntaxNode } from 'unbash';
import { parseShell } from '../parse-shell.ts';
import { absolute, followed } from './paths.ts';
import type { Effect, Reading } from './effects.ts';
import { Expander } from './expand.ts';
import { blurred, isKnown, secretMark, shown, unknownMark } from './marks.ts';
import { walk } from './nodes.ts';
import { runProgram } from './programs.ts';
import { redirected, type Redirected } from './redirections.ts';
import type { OwnEffect, RunOptions } from './running.ts';
import { ShellState, type Surroundings } from './state.ts';
import type { Walking } from './walking.ts';

const readsFile = (redirect: Redirection): boolean => redirect.operator === '<';

const mostSteps = 6_000;
const mostEffects = 4_000;
const deepest = 48;
const longestOutput = 65_536;
const longestCommand = 2_000_000;

/**
 * Works out what a shell command would do, without running anything: the programs that would be started, the
 * files that would be read and changed, what would be sent, printed and executed.
 */
export function readCommand(command: string, around: Surroundings): Reading {
  const reader = new Reader(around);
  const output = reader.code(command);
  if (output !== '') reader.emit({ kind: 'print', text: output });
  return { effects: reader.effects, output };
}

/** Works out what a program with these arguments would do. */
export function readProgram(words: readonly string[], around: Surroundings): Reading {
  const reader = new Reader(around);
  const output = reader.run(words);
  if (output !== '') reader.emit({ kind: 'print', text: output });
  return { effects: reader.effects, output };
}

/** Walks through a command as a shell would, with what is known instead of what is there. */
export class Reader implements Walking {
  state: ShellState;
  stdin = '';
  folder: string;
  env: Readonly<Record<string, string>> = {};
  words: readonly string[] = [];
  readonly effects: Effect[] = [];
  readonly #scripts = new Set<string>();
  readonly #run = new WeakSet<Script>();
  #steps = 0;
  #depth = 0;
  #isLost = false;
  #substitutions = 0;

  constructor(around: Surroundings) {
    this.state = new ShellState(around);
    this.folder = around.cwd;
  }

  emit(effect: OwnEffect): void {
    if (this.effects.length >= mostEffects) return this.#lose('it does more than can be followed');
    const by = shown(this.words.join(' ')).slice(0, 160);
    this.effects.push({ ...effect, by, where: this.state.where });
  }

  /** Gives up on the rest, once: what cannot be followed is asked about, never let through. */
  #lose(why: string): void {
    if (this.#isLost) return;
    this.#isLost = true;
    this.effects.push({ kind: 'lost', why, by: '', where: 'here' });
  }

  get isLost(): boolean {
    return this.#isLost;
  }

  code(text: string, { stdin }: { readonly stdin?: string } = {}): string {
    if (!isKnown(text)) this.emit({ kind: 'code', text, language: 'sh' });
    if (text.length > longestCommand) {
      this.#lose('it is longer than two million characters');
      return unknownMark;
    }
    return this.#deeper(() => {
      const script = parseShell(text);
      if (script === undefined) {
        this.#lose('it is nested too deeply');
        return unknownMark;
      }
      return this.#withStdin(stdin ?? this.stdin, () => this.node(script));
    });
  }

  node(node: SyntaxNode): string {
    if (++this.#steps > mostSteps) this.#lose('it has more steps than can be followed');
    if (this.#isLost || this.state.hasEnded) return '';
    const output = this.#deeper(() => walk(this, node));
    return output.length > longestOutput ? blurred(output) : output;
  }

  #deeper(inner: () => string): string {
    if (this.#depth >= deepest) {
      this.#lose('it is nested too deeply');
      return unknownMark;
    }
    this.#depth++;
    try {
      return inner();
    } finally {
      this.#depth--;
    }
  }

  /** Runs something with this on stdin. */
  withStdin(stdin: string, inner: () => string): string {
    return this.#withStdin(stdin, inner);
  }

  #withStdin(stdin: string, inner: () => string): string {
    const before = this.stdin;
    this.stdin = stdin;
    const output = inner();
    this.stdin = before;
    return output;
  }

  hasRun(script: Script): boolean {
    return this.#run.has(script);
  }

  capture(script: Script): string {
    this.#run.add(script);
    return this.apart(() => this.node(script));
  }

  substitute(script: Script, direction: '<' | '>'): string {
    const path = `/dev/fd/${63 + this.#substitutions++}`;
    if (direction === '<') this.state.files.set(path, this.capture(script));
    else this.apart(() => this.#withStdin(blurred(this.stdin), () => this.node(script)));
    return path;
  }

  apart<Result>(inner: (state: ShellState) => Result): Result {
    const before = this.state;
    this.state = before.apart();
    try {
      return inner(this.state);
    } finally {
      this.state = before;
    }
  }

  path(text: string): string {
    return absolute(text, this.folder);
  }

  contentOf(path: string): string {
    const { files, around } = this.state;
    const target = followed(path, this.state, true);
    const written = files.get(path) ?? files.get(target);
    if (written !== undefined) return written;
    if (/^\/dev\/(?:stdin|fd\/0)$|^\/proc\/(?:self|\$\$)\/fd\/0$/.test(path)) return this.stdin;
    if (around.isSecretFile(path) || around.isSecretFile(target)) return secretMark;
    if (!isKnown(target)) return unknownMark;
    return around.disk.read(target) ?? unknownMark;
  }

  write(path: string, text: string, isAppended: boolean): void {
    const { files } = this.state;
    const before = isAppended ? this.contentOf(path) : '';
    const whole = before === unknownMark ? text : before + text;
    files.set(path, whole.length > longestOutput ? blurred(whole) : whole);
  }

  enters(path: string): boolean {
    if (this.#scripts.has(path)) return true;
    this.#scripts.add(path);
    return false;
  }

  run(words: readonly string[], { stdin, via, env, folder }: RunOptions = {}): string {
    if (++this.#steps > mostSteps) this.#lose('it has more steps than can be followed');
    if (this.#isLost || words.length === 0) return '';
    const before = { words: this.words, env: this.env, folder: this.folder };
    const { state } = this;
    const { folders, via: viaBefore } = state;
    this.words = words;
    if (folder !== undefined) {
      this.folder = folder;
      state.folders = [folder];
    }
    if (env !== undefined) this.env = { ...this.env, ...env };
    if (via !== undefined) state.via = [...viaBefore, via];
    const output = this.#deeper(() =>
      this.#withStdin(stdin ?? this.stdin, () => runProgram(this, words)),
    );
    this.words = before.words;
    this.env = before.env;
    this.folder = before.folder;
    state.via = viaBefore;
    if (folder !== undefined) state.folders = folders;
    return output;
  }

  /** Runs a simple command, once for each way in which its variables may stand. */
  command(command: Command): string {
    let output = '';
    for (let choice = 0, width = 1; choice < width; choice++) {
      const expander = new Expander(this, choice);
      const printed = this.#command(command, expander);
      output = choice === 0 ? printed : output === printed ? output : output + printed;
      width = expander.width;
    }
    return output;
  }

  #command({ name, prefix, args, redirects }: Command, expander: Expander): string {
    this.folder = expander.folder;
    const env: Record<string, string> = {};
    for (const part of prefix)
      if (part.type === 'Assignment') {
        if (name === undefined) this.assign(part, expander);
        else if (part.value.type === 'Word') env[part.name] = expander.text(part.value);
      }
    const words = name === undefined ? [] : expander.fields(name);
    for (const part of args)
      if (part.type === 'Word') words.push(...expander.fields(part));
      else words.push(this.#declared(part, expander));
    const before = this.words;
    this.words = words.length > 0 ? words : ['>'];
    const output = this.redirect(redirects, expander, () => {
      this.folder = expander.folder;
      // `$(<file)` stands for what is in the file.
      if (words.length === 0) return redirects.some(readsFile) ? this.stdin : '';
      return this.run(words, { env });
    });
    this.words = before;
    return output;
  }

  #declared(part: Assignment, expander: Expander): string {
    this.assign(part, expander);
    return `${part.name}=${part.value.type === 'Word' ? expander.text(part.value) : ''}`;
  }

  assign({ name, value, append, index }: Assignment, expander: Expander): void {
    const { state } = this;
    if (value.type === 'ArrayValue') {
      const items = value.elements.flatMap((word) => expander.fields(word));
      state.arrays.set(name, append ? [...(state.arrays.get(name) ?? []), ...items] : items);
      return;
    }
    const text = expander.text(value);
    if (index !== undefined) {
      const array = [...(state.arrays.get(name) ?? [])];
      const at = Number(expander.text(index));
      if (Number.isInteger(at) && at >= 0 && at < 1_000) array[at] = text;
      state.arrays.set(
        name,
        Array.from(array, (item) => item ?? ''),
      );
      return;
    }
    state.set(name, append ? state.valuesOf(name).map((before) => before + text) : [text]);
  }

  /** Runs something with these redirections. */
  redirect(redirects: readonly Redirection[], expander: Expander, inner: () => string): string {
    if (redirects.length === 0) return inner();
    const to: Redirected = redirected(this, redirects, expander);
    const output = this.#withStdin(to.stdin ?? this.stdin, inner);
    for (const { path, isAppended } of to.files) {
      this.write(path, output, isAppended);
      this.emit({
        kind: 'file',
        action: isAppended ? 'append' : 'write',
        path: followed(path, this.state, true),
        isTree: false,
        text: output,
      });
    }
    return to.files.length > 0 || to.isClosed ? '' : output;
  }
}
