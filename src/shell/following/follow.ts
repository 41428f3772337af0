import { forEachChild, type AndOr, type Command, type SyntaxNode, type Word } from 'unbash';
import { parseShell } from '../parse-shell.ts';
import { followArgument } from './arguments.ts';
import { argumentOf, followAssignment, followValue } from './assignments.ts';
import { comparesFiles, testsFile } from './builtins.ts';
import type { Disk } from './disk.ts';
import { Findings } from './findings.ts';
import type { Followed } from './followed.ts';
import type { Following, Input } from './following.ts';
import { givenNames } from './given-names.ts';
import { meaningOf, type Meaning } from './meaning.ts';
import { followPipeline } from './pipelines.ts';
import { Places } from './places.ts';
import { programs } from './known-programs.ts';
import { followRedirections } from './redirections.ts';
import { baseName, followProgram, followRun } from './follow-run.ts';
import type { ExpandedWord } from './expanded-word.ts';
import { Variables, type KnownVariables } from './variables.ts';

/**
 * Follows a shell command to the files behind it. Each step that is not literal is reported; nothing is
 * glossed over by a guess.
 */
export function followCommand(
  command: string,
  cwd: string,
  variables: KnownVariables,
  disk: Disk,
): Followed {
  const follower = new Follower(cwd, variables, disk);
  for (const [name, value] of Object.entries(variables.given))
    followValue(follower, name, [value], value);
  follower.code(command);
  return follower.findings;
}

/** Whether a condition is about the system that it runs on. */
function asksForSystem(node: SyntaxNode): boolean {
  if (node.type === 'Word' && /\buname\b|\bOSTYPE\b/.test(node.text)) return true;
  let does = false;
  forEachChild(node, (child) => {
    does ||= asksForSystem(child);
  });
  return does;
}

const deepest = 8;
const mostSteps = 20_000;

/** Walks through a command. The handling of each kind of part is in that part's own file. */
class Follower implements Following {
  readonly places: Places;
  readonly findings: Findings;
  readonly variables: Variables;
  readonly functions = new Set<string>();
  input: Input;
  readonly #scripts = new Set<string>();
  #steps = 0;
  #depth = -1;

  constructor(cwd: string, variables: KnownVariables, disk: Disk) {
    this.places = new Places(cwd, disk);
    this.findings = new Findings(this.places);
    this.variables = new Variables(variables, this.places);
  }

  means(word: Word): Meaning {
    const { folders, home } = this.places;
    return meaningOf(word, {
      folders,
      home,
      valuesOf: (name) => this.variables.valuesOf(name),
      patternsOf: (name) => this.variables.patternsOf(name),
      outputOf: (part) => this.places.outputOf(part),
    });
  }

  code(code: string): void {
    if (this.#depth === deepest) return this.findings.lost('its commands are nested too deeply');
    const script = parseShell(code);
    if (script === undefined) return this.findings.lost('its commands are nested too deeply');
    if (script.errors?.length)
      this.findings.lost(`its shell code is not understood (${script.errors[0]!.message})`);
    const names = givenNames(script, () => ++this.#steps <= mostSteps);
    this.variables.expect(names.variables);
    for (const name of names.functions) this.functions.add(name);
    const before = this.input;
    this.#depth++;
    this.input = undefined;
    const { runsUnknown } = this.findings;
    this.findings.runsUnknown = false;
    this.node(script);
    if (this.findings.runsUnknown) this.#mayRunAny(script);
    this.findings.runsUnknown ||= runsUnknown;
    this.#depth--;
    this.input = before;
    return undefined;
  }

  script(name: string, isSourced = false): boolean {
    const { disk } = this.places;
    let isRead = false;
    for (const path of this.places.pathsOf(name)) {
      if (this.#scripts.has(path)) isRead = true;
      const text = disk.isFile(path) && !this.#scripts.has(path) ? disk.read(path) : undefined;
      if (text === undefined || text.includes('\0')) continue;
      this.#scripts.add(path);
      isRead = true;
      this.#inScript(path, text, isSourced);
    }
    return isRead;
  }

  /** A script only reads its data: unlike on the hook's own line, it is not part of what was agreed to. */
  #inScript(path: string, text: string, isSourced: boolean): void {
    const { script: before } = this.places;
    const data = new Set(this.findings.data);
    const functions = new Set(this.functions);
    this.places.script = path;
    if (isSourced) this.code(text);
    else this.variables.apart(() => this.code(text));
    this.places.script = before;
    for (const one of this.findings.data) if (!data.has(one)) this.findings.data.delete(one);
    if (isSourced) return;
    for (const one of this.functions) if (!functions.has(one)) this.functions.delete(one);
  }

  /** Where something that is run is not literal, any file that a word names may be that. */
  #mayRunAny(node: SyntaxNode): void {
    if (node.type === 'Word') this.findings.names(node.value, 'maybe');
    forEachChild(node, (child) => this.#mayRunAny(child));
  }

  node(node: SyntaxNode): void {
    if (++this.#steps > mostSteps) return this.findings.lost('it is too long');
    switch (node.type) {
      case 'Command':
        return this.#command(node);
      case 'Pipeline':
        return followPipeline(this, node);
      case 'Redirected': {
        const before = this.input;
        this.input = followRedirections(this, node.redirects, true) ?? before;
        this.node(node.command);
        this.input = before;
        return undefined;
      }
      case 'AndOr':
        return this.#andOr(node);
      case 'If':
      case 'Case':
        return asksForSystem(node.type === 'If' ? node.clause : node.word)
          ? this.findings.optionally(() => this.inner(node))
          : this.inner(node);
      case 'For':
      case 'Select':
        for (const word of node.wordlist ?? [])
          this.variables.mayBe(node.name.value, this.means(word).patterns);
        return this.inner(node);
      case 'TestUnary':
        if (testsFile.test(node.operator)) this.#looksAt(node.operand);
        return this.inner(node);
      case 'TestBinary':
        if (comparesFiles.test(node.operator))
          for (const side of [node.left, node.right]) this.#looksAt(side);
        return this.inner(node);
      case 'CommandExpansion':
      case 'ProcessSubstitution':
      case 'ArithmeticCommandExpansion':
        if (node.script?.errors?.length) this.findings.lost(`${node.text} is not understood`);
        return this.inner(node);
      default:
        return this.inner(node);
    }
  }

  inner(node: SyntaxNode): void {
    forEachChild(node, (child) => this.node(child));
  }

  run(words: readonly ExpandedWord[]): void {
    followRun(this, words);
  }

  program(name: string, args: readonly ExpandedWord[]): void {
    followProgram(this, name, args);
  }

  /** What stands before `||` may fail. */
  #andOr({ commands, operators }: AndOr): void {
    for (const [index, command] of commands.entries())
      if (operators.slice(index).includes('||')) this.findings.optionally(() => this.node(command));
      else this.node(command);
  }

  #looksAt(word: Word): void {
    const argument = argumentOf(this, word);
    this.findings.looksFor([argument]);
    followArgument(this, argument, 'path');
  }

  #command({ name, prefix, args, redirects }: Command): void {
    for (const part of [...prefix, ...args]) if (part.type === 'Assignment') this.inner(part);
    for (const word of args) if (word.type === 'Word') this.inner(word);
    if (name) this.inner(name);
    for (const part of prefix)
      if (part.type === 'Assignment') followAssignment(this, part, name !== undefined);
    const words = name === undefined ? [] : [name, ...args].map((part) => argumentOf(this, part));
    const program = words[0]?.meant.texts.length === 1 ? words[0].meant.texts[0]! : '';
    const isKnown = Object.hasOwn(programs, baseName(program));
    const before = this.input;
    const own = followRedirections(this, redirects, !isKnown);
    this.input = own ?? before;
    if (words.length > 0) this.run(words);
    // `exec <file` applies to everything that follows.
    if (program !== 'exec' || !own) this.input = before;
  }
}
