import { inTable } from './json.ts';

/**
 * Translates a regular expression from Rust's flavour to JavaScript's. Undefined if Rust's library
 * refuses it (look-around, back-references, a repetition of nothing), and for the rare ones that no
 * tool name needs and JavaScript cannot express.
 */
export function fromRustRegex(source: string): string | undefined {
  try {
    const translated = new Translation(source).whole();
    void new RegExp(translated);
    return translated;
  } catch {
    return undefined;
  }
}

interface Flags {
  readonly ignoresCase: boolean;
  readonly dotIsAll: boolean;
  readonly isVerbose: boolean;
}

/** ASCII character classes that Rust knows by name. */
const namedClasses: Readonly<Record<string, string>> = {
  alnum: 'A-Za-z0-9',
  alpha: 'A-Za-z',
  ascii: '\\x00-\\x7F',
  blank: ' \\t',
  digit: '0-9',
  lower: 'a-z',
  punct: '!-\\/:-@\\[-`{-~',
  space: '\\s',
  upper: 'A-Z',
  word: '\\w',
  xdigit: 'A-Fa-f0-9',
};

/** Escapes that mean the same in both, inside and outside of classes. */
const sameEscapes = /[dDsSwWntrfv]/;

class Translation {
  readonly #source: string;
  #at = 0;
  #made = '';
  /** Whether there is something before this point that can be repeated. */
  #hasAtom = false;
  #flags: Flags = { ignoresCase: false, dotIsAll: false, isVerbose: false };
  readonly #outer: Flags[] = [];

  constructor(source: string) {
    this.#source = source;
  }

  whole(): string {
    while (this.#at < this.#source.length) this.#next();
    if (this.#outer.length > 0) throw new SyntaxError('an unterminated group');
    return this.#made;
  }

  #next(): void {
    const character = this.#source[this.#at]!;
    switch (character) {
      case '\\':
        return this.#atom(this.#escape(false));
      case '[':
        return this.#atom(this.#class());
      case '(':
        return this.#open();
      case ')':
        return this.#close();
      case '*':
      case '+':
      case '?':
        return this.#repeat(character);
      case '{':
        return this.#repeat(this.#taken(/\{\s*\d+\s*(?:,\s*\d*\s*)?\}/y).replaceAll(/\s/g, ''), 0);
      case '|':
      case '^':
      case '$':
        this.#at++;
        this.#made += character;
        this.#hasAtom = false;
        return;
      default:
        return this.#literal(character);
    }
  }

  #literal(character: string): void {
    if (this.#flags.isVerbose && /[\s#]/.test(character)) {
      this.#taken(character === '#' ? /#.*/y : /\s+/y);
      return;
    }
    this.#at++;
    if (character === '.') this.#atom(this.#flags.dotIsAll ? '[^]' : '.');
    else if (this.#flags.ignoresCase && isLetter(character))
      this.#atom(`[${bothCases(character)}]`);
    else this.#atom(/[\]}/]/.test(character) ? `\\${character}` : character);
  }

  #atom(made: string): void {
    this.#made += made;
    this.#hasAtom = true;
  }

  #repeat(quantifier: string, length = quantifier.length): void {
    if (!this.#hasAtom) throw new SyntaxError('there is nothing to repeat');
    this.#at += length;
    const isLazy = this.#source[this.#at] === '?';
    if (isLazy) this.#at++;
    this.#made += `${quantifier}${isLazy ? '?' : ''}`;
    this.#hasAtom = false;
  }

  /** Consumes and returns what a pattern matches from here on. */
  #taken(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const [found] = pattern.exec(this.#source) ?? [];
    if (found === undefined) throw new SyntaxError(`unexpected ${this.#source[this.#at] ?? 'end'}`);
    this.#at += found.length;
    return found;
  }

  #open(): void {
    const before = this.#flags;
    if (this.#source[this.#at + 1] !== '?') {
      this.#at++;
      this.#made += '(';
    } else {
      const head = this.#taken(/\(\?(?:P?<[A-Za-z_]\w*>|[imsxuUR]*(?:-[imsxuUR]+)?[:)])/y);
      const [, on = '', off = ''] = /^\(\?(\w*)(?:-(\w+))?[:)]$/.exec(head) ?? [];
      const set = (flag: string, was: boolean): boolean =>
        (was || on.includes(flag)) && !off.includes(flag);
      this.#flags = {
        ignoresCase: set('i', before.ignoresCase),
        dotIsAll: set('s', before.dotIsAll),
        isVerbose: set('x', before.isVerbose),
      };
      // Such a flag holds for the rest of the enclosing group.
      if (head.endsWith(')')) return;
      this.#made += head.endsWith('>') ? '(' : '(?:';
    }
    this.#outer.push(before);
    this.#hasAtom = false;
  }

  #close(): void {
    const before = this.#outer.pop();
    if (before === undefined) throw new SyntaxError('an unmatched )');
    this.#at++;
    this.#flags = before;
    this.#atom(')');
  }

  #escape(inClass: boolean): string {
    this.#at++;
    const character = this.#source[this.#at];
    if (character === 'x' || character === 'u' || character === 'U') {
      const code = this.#taken(/[xuU]\{[\dA-Fa-f]+\}|x[\dA-Fa-f]{2}|u[\dA-Fa-f]{4}/y);
      const value = Number.parseInt(code.replaceAll(/[xuU{}]/g, ''), 16);
      return `\\u${value.toString(16).padStart(4, '0')}`;
    }
    this.#at++;
    if (character === undefined || /[\d]/.test(character))
      throw new SyntaxError('a back-reference');
    if (sameEscapes.test(character)) return `\\${character}`;
    if (character === 'a') return '\\x07';
    if (!inClass && /[bB]/.test(character)) return `\\${character}`;
    if (!inClass && /[<>]/.test(character)) return '\\b';
    if (!inClass && character === 'A') return '^';
    if (!inClass && character === 'z') return '$';
    if (isLetter(character)) throw new SyntaxError('an unknown escape');
    return `\\${character}`;
  }

  #class(): string {
    let made = this.#taken(/\[\^?/y);
    for (let isFirst = true; ; isFirst = false) {
      const character = this.#source[this.#at];
      if (character === undefined) throw new SyntaxError('an unterminated class');
      if (character === ']' && !isFirst) break;
      if (character === '[') {
        const name = this.#taken(/\[:\w+:\]/y).slice(2, -2);
        const named = inTable(namedClasses, name);
        if (named === undefined) throw new SyntaxError('an unknown class');
        made += this.#flags.ignoresCase && /lower|upper/.test(name) ? 'A-Za-z' : named;
      } else if (/&&|--|~~/.test(this.#source.slice(this.#at, this.#at + 2)))
        throw new SyntaxError('JavaScript has no sets of classes');
      else made += this.#member();
    }
    this.#at++;
    return `${made}]`;
  }

  #member(): string {
    const from = this.#classCharacter();
    if (this.#source[this.#at] !== '-' || this.#source[this.#at + 1] === ']')
      return this.#cased(from);
    this.#at++;
    const to = this.#classCharacter();
    const range = `${from}-${to}`;
    if (!this.#flags.ignoresCase || !isLetter(from) || !isLetter(to)) return range;
    return `${range}${swapped(from)}-${swapped(to)}`;
  }

  #classCharacter(): string {
    const character = this.#source[this.#at];
    if (character === undefined) throw new SyntaxError('an unterminated class');
    if (character === '\\') return this.#escape(true);
    this.#at++;
    return /[\]^-]/.test(character) ? `\\${character}` : character;
  }

  #cased(character: string): string {
    return this.#flags.ignoresCase && isLetter(character) ? bothCases(character) : character;
  }
}

const isLetter = (character: string): boolean => /^[A-Za-z]$/.test(character);
const bothCases = (letter: string): string => `${letter}${swapped(letter)}`;
const swapped = (letter: string): string =>
  letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase();
