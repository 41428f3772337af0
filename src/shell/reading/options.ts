import { isKnown } from './marks.ts';

/** How a program's command line is read. */
export interface OptionShape {
  /** Letters of options that take a value. */
  readonly valued?: string;
  /** Long options, without dashes, that take a value. */
  readonly longValued?: readonly string[];
  /** Options end at the first operand. */
  readonly isStrict?: boolean;
  /** Long options have one dash, as in `terraform destroy -target=x`. */
  readonly hasSingleDash?: boolean;
}

/** A command line, taken apart. */
export class CommandLine {
  /** Options without a value, and those with one: letters and long names. */
  readonly flags = new Set<string>();
  readonly values = new Map<string, string[]>();
  readonly operands: string[] = [];

  constructor(args: readonly string[], shape: OptionShape = {}) {
    const rest = [...args];
    for (let text = rest.shift(); text !== undefined; text = rest.shift()) {
      if (text === '--') {
        this.operands.push(...rest);
        return;
      }
      if (text.startsWith('--') || (shape.hasSingleDash && /^-\w/.test(text)))
        this.#long(text, rest, shape);
      else if (/^-./.test(text)) this.#short(text, rest, shape);
      else {
        this.operands.push(text);
        if (!shape.isStrict) continue;
        this.operands.push(...rest);
        return;
      }
    }
  }

  /** Whether one of these options is given. */
  has(...names: readonly string[]): boolean {
    return names.some((name) => this.flags.has(name));
  }

  /** Returns the value that one of these options was last given. */
  value(...names: readonly string[]): string | undefined {
    return this.all(...names).at(-1);
  }

  /** Returns all values of these options. */
  all(...names: readonly string[]): readonly string[] {
    return names.flatMap((name) => this.values.get(name) ?? []);
  }

  #long(text: string, rest: string[], { longValued = [] }: OptionShape): void {
    const [, name = '', value] = /^--?([^=]*)(?:=([^]*))?$/.exec(text) ?? [];
    this.flags.add(name);
    const given = value ?? (longValued.includes(name) ? rest.shift() : undefined);
    if (given !== undefined) this.#give(name, given);
  }

  #short(text: string, rest: string[], { valued = '' }: OptionShape): void {
    if (!isKnown(text) && !/^-\w/.test(text)) this.operands.push(text);
    for (let index = 1; index < text.length; index++) {
      const letter = text[index]!;
      this.flags.add(letter);
      if (!valued.includes(letter)) continue;
      const attached = text.slice(index + 1);
      const given = attached === '' ? rest.shift() : attached;
      if (given !== undefined) this.#give(letter, given);
      return;
    }
  }

  #give(name: string, value: string): void {
    this.values.set(name, [...(this.values.get(name) ?? []), value]);
  }
}
