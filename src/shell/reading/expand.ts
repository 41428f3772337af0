import {
  forEachChild,
  parse,
  type DoubleQuotedChild,
  type ParameterExpansionPart,
  type Script,
  type SyntaxNode,
  type Word,
  type WordPart,
} from 'unbash';
import { arithmeticOf } from './arithmetic.ts';
import { activated, expandBraces } from './glob.ts';
import { anyMark, blurred, isGlob, isKnown, starMark, unknownMark } from './marks.ts';
import { operated } from './parameters.ts';
import { filesOf } from './paths.ts';
import type { ShellState } from './state.ts';

/** What expanding a word needs from the shell. */
export interface Expanding {
  readonly state: ShellState;
  /** Runs a script and returns what it prints. */
  capture(script: Script): string;
  /** Whether a script has been run before, wherever it stands. */
  hasRun(script: Script): boolean;
  /** Runs a process substitution and returns the name of its file. */
  substitute(script: Script, direction: '<' | '>'): string;
}

const longestText = 65_536;
const mostFields = 512;

/** Expands the words of one command. Where a variable has several values, `choice` selects among them. */
export class Expander {
  readonly #at: Expanding;
  readonly #choice: number;
  /** How many choices there are. */
  width = 1;

  constructor(at: Expanding, choice: number) {
    this.#at = at;
    this.#choice = choice;
  }

  /** The folder that the shell is in. */
  get folder(): string {
    return this.#chosen(this.#at.state.folders) ?? this.#at.state.around.cwd;
  }

  /** Expands a word to the words that the program gets. */
  fields(word: Word): string[] {
    const hasBraces = word.parts?.some(({ type }) => type === 'BraceExpansion');
    const words = hasBraces ? expandBraces(word.text).flatMap(parsed) : [word];
    return words
      .flatMap((one) => this.#fieldsOf(one))
      .flatMap((field) =>
        isGlob(field) && !isWhole(field)
          ? (filesOf(field, this.folder, this.#at.state) ?? [field])
          : [field],
      )
      .slice(0, mostFields);
  }

  /** Expands a word to one text, as in an assignment. */
  text(word: Word): string {
    const meant = this.#fieldsOf(word, false).join(' ');
    return meant.replaceAll(starMark, '*').replaceAll(anyMark, '?');
  }

  /** Expands a word to a pattern. */
  pattern(word: Word): string {
    return this.#fieldsOf(word, false).join(' ');
  }

  /** Expands the parts of a here-document. */
  parts(parts: readonly WordPart[]): string {
    return parts.map((part) => this.#quoted(part as DoubleQuotedChild).join(' ')).join('');
  }

  #fieldsOf(word: Word, splits = true): string[] {
    const fields = new Fields();
    const { parts, value } = word;
    if (parts === undefined) fields.add(value);
    for (const part of parts ?? []) this.#part(part, fields, splits);
    const all = fields.end();
    if (!word.text.startsWith('~')) return all;
    return all.map((text) => this.#withHome(text));
  }

  #withHome(text: string): string {
    const { state } = this.#at;
    const [, who, rest = ''] = /^~([^/]*)([^]*)$/.exec(text) ?? [];
    if (who === '' || who === state.around.variables['USER']) return state.around.home + rest;
    if (who === '+') return this.folder + rest;
    if (who === 'root') return `/root${rest}`;
    return who === undefined ? text : unknownMark + rest;
  }

  #part(part: WordPart, fields: Fields, splits: boolean): void {
    switch (part.type) {
      case 'Literal':
        return fields.add(part.value);
      case 'SingleQuoted':
      case 'AnsiCQuoted':
        return fields.add(part.value, true);
      case 'DoubleQuoted':
      case 'LocaleString': {
        const several = part.parts.length === 1 ? this.#list(part.parts[0]!) : undefined;
        if (several !== undefined) return fields.addAll(several);
        return fields.add(part.parts.map((one) => this.#quoted(one).join(' ')).join(''), true);
      }
      case 'Glob':
        this.#runWhatIsInside(part);
        if (part.kind === 'star') return fields.add(starMark);
        if (part.kind === 'question') return fields.add(anyMark);
        return fields.add(/^\[\w\]$/.test(part.text) ? part.text[1]! : anyMark);
      case 'ExtendedGlob':
        this.#runWhatIsInside(part);
        return fields.add(starMark);
      case 'ProcessSubstitution':
        return fields.add(
          part.script ? this.#at.substitute(part.script, part.operator) : unknownMark,
        );
      case 'BraceExpansion':
        return fields.add(part.text);
      default:
        for (const [index, text] of this.#quoted(part).entries()) {
          if (index > 0) fields.next();
          if (splits) fields.split(activated(text), this.#separators());
          else fields.add(text);
        }
        return undefined;
    }
  }

  #separators(): string {
    return this.#at.state.valuesOf('IFS')[0] ?? ' \t\n';
  }

  /** `"$@"` and `"${a[@]}"` stand for several words even in quotes. */
  #list(part: DoubleQuotedChild): readonly string[] | undefined {
    const { state } = this.#at;
    if (part.type === 'SimpleExpansion') return part.text === '$@' ? state.positional : undefined;
    if (part.type !== 'ParameterExpansion' || part.prefix !== undefined) return undefined;
    if (part.parameter === '@' && part.operation === undefined) return state.positional;
    if (part.index?.text !== '@' || part.operation !== undefined) return undefined;
    return state.arrays.get(part.parameter) ?? state.valuesOf(part.parameter);
  }

  /** Returns the texts that an expansion stands for. */
  #quoted(part: DoubleQuotedChild): readonly string[] {
    switch (part.type) {
      case 'Literal':
        return [part.value];
      case 'SimpleExpansion':
        return this.variable(part.text.slice(1));
      case 'ParameterExpansion': {
        const texts = this.#parameter(part);
        this.#runWhatIsInside(part);
        return texts;
      }
      case 'CommandExpansion':
        return [part.script ? this.#at.capture(part.script).replace(/\n+$/, '') : unknownMark];
      case 'ArithmeticExpansion':
        this.#runWhatIsInside(part);
        return [this.#number(part.expression)];
      default:
        return [unknownMark];
    }
  }

  /** The shell runs substitutions wherever they stand: in an index, in a sum, in a pattern. */
  #runWhatIsInside(node: SyntaxNode): void {
    forEachChild(node, (child) => {
      const script = 'script' in child ? child.script : undefined;
      if (script === undefined) this.#runWhatIsInside(child);
      else if (!this.#at.hasRun(script)) this.#at.capture(script);
    });
  }

  #number(expression: Parameters<typeof arithmeticOf>[0]): string {
    const value = arithmeticOf(expression, (name) => this.variable(name)[0] ?? '');
    return value === undefined ? unknownMark : String(value);
  }

  /** Returns what a variable stands for; a list of words for `$@`. */
  variable(name: string): readonly string[] {
    const { state } = this.#at;
    if (name === '@' || name === '*') return state.positional;
    if (name === '#') return [String(state.positional.length)];
    if (name === '0') return [state.self];
    if (/^\d+$/.test(name)) return [state.positional[Number(name) - 1] ?? ''];
    if (name === 'PWD') return [this.folder];
    return [this.#chosen(state.valuesOf(name)) ?? unknownMark];
  }

  #chosen(values: readonly string[]): string | undefined {
    this.width = Math.max(this.width, values.length);
    return values[this.#choice % values.length];
  }

  #parameter(part: ParameterExpansionPart): readonly string[] {
    const { parameter, prefix, index, operation } = part;
    const { state } = this.#at;
    if (operation?.type === 'Names') return [unknownMark];
    let values = this.#indexed(parameter, index);
    if (prefix === '#')
      return [
        index !== undefined && /^[@*]$/.test(index.text)
          ? String(values.length)
          : isKnown(values.join(''))
            ? String(Array.from(values[0] ?? '').length)
            : unknownMark,
      ];
    if (prefix === '!')
      values = values.flatMap((name) => (isKnown(name) ? this.variable(name) : [unknownMark]));
    if (operation === undefined) return values;
    const isSet = /^[\d@*#]/.test(parameter) ? values.join('') !== '' : state.isSet(parameter);
    return operated(values, operation, this, {
      isSet,
      isUnknown: !isSet && values.includes(unknownMark),
      assign: (text) => state.set(parameter, [text]),
    }).map((text) => (text.length > longestText ? blurred(text) : text));
  }

  #indexed(name: string, index: Word | undefined): readonly string[] {
    if (index === undefined) return this.variable(name);
    const array = this.#at.state.arrays.get(name);
    if (array === undefined) return this.variable(name);
    if (/^[@*]$/.test(index.text)) return array;
    const at = Number(this.text(index));
    return [Number.isInteger(at) ? (array.at(at) ?? '') : unknownMark];
  }
}

/** Whether a word stands for all of a folder: that says more than the names that are there now. */
const isWhole = (word: string): boolean => /(?:^|\/)\uE003+$/.test(word);

/** The words that a word is being expanded to. */
class Fields {
  readonly #done: string[] = [];
  #text: string | undefined;

  add(text: string, isQuoted = false): void {
    if (text === '' && !isQuoted) return;
    this.#text = (this.#text ?? '') + text;
  }

  next(): void {
    if (this.#text !== undefined) this.#done.push(this.#text);
    this.#text = undefined;
  }

  addAll(texts: readonly string[]): void {
    for (const [index, text] of texts.entries()) {
      if (index > 0) this.next();
      this.add(text, true);
    }
  }

  split(text: string, separators: string): void {
    if (separators === '') return this.add(text);
    const set = new Set(separators);
    let part = '';
    for (const letter of text) {
      if (!set.has(letter)) {
        part += letter;
        continue;
      }
      this.add(part);
      if (part !== '' || this.#text !== undefined) this.next();
      part = '';
    }
    return this.add(part);
  }

  end(): string[] {
    this.next();
    return this.#done;
  }
}

/** Reads a word that brace expansion made. */
function parsed(text: string): Word[] {
  const command = parse(`: ${text}`).commands[0]?.command;
  if (command?.type !== 'Command') return [];
  return command.args.flatMap((part) => (part.type === 'Word' ? [part] : []));
}
