/** A word of a command. */
export interface CommandWord {
  readonly text: string;
  /** The word that its simple command began with, such as `cd`. */
  readonly command: string;
  /** The command writes to the file of this name. */
  readonly isWritten: boolean;
}

const token =
  /\\\n|\\[^]|'[^']*'|"(?:\\[^]|[^"\\])*"|\$(?:\w+|\{[^}]{1,400}\})|&>>?|<>|>>|>[|&]?|<+|[\s;&|()`]|#|[^\\'"$&<>\s;|()`#]+|[^]/y;

const reference = /\$(?:(\w+)|\{(\w+)(?::?[-=]([^}]*))?[^}]*\})/g;

/** What may stand before a command. */
const prefix =
  /^(?:[{!]|if|then|elif|else|while|until|do|time|exec|command|env|sudo|nohup|\w+=.*)$/s;

/** A word that may be a command of its own, such as that of `bash -c`. */
const nested = /[\s;&|()<>`'"$]/;
const deepest = 4;

/** So much may come out of variables; a command that doubles them over and over gets no further. */
const longestExpansion = 1_000_000;

/**
 * The words of a shell command, with `variables` and those that it sets itself in their places. It
 * is no shell: it finds too many words rather than too few, those inside of quotes and of
 * substitutions too.
 */
export function commandWords(
  command: string,
  variables: Readonly<Record<string, string | undefined>>,
): CommandWord[] {
  const known = new Map(Object.entries(variables));
  const words: CommandWord[] = [];
  let left = longestExpansion;

  const expand = (text: string): string =>
    text.replace(reference, (_, plain?: string, braced?: string, otherwise = '') => {
      const value = known.get(plain ?? braced ?? '') || otherwise;
      left -= value.length;
      return left < 0 ? '' : value;
    });

  const scan = (source: string, depth: number): void => {
    // The only substitution whose outcome is known.
    const text = source.replaceAll(/\$\(\s*pwd\s*\)|`\s*pwd\s*`/g, () => '$PWD');
    let word: string | undefined;
    let first: string | undefined;
    let isWritten = false;
    const end = (): void => {
      if (word === undefined) return;
      const ended = word;
      word = undefined;
      const [, name, value] = /^(\w+)=([^]*)$/.exec(ended) ?? [];
      if (name !== undefined) known.set(name, value);
      if (!prefix.test(ended)) first ??= ended;
      words.push({
        text: ended,
        command: first ?? '',
        isWritten: isWritten || (first === 'tee' && ended !== first),
      });
      isWritten = false;
      const inner = value ?? ended;
      if (depth < deepest && nested.test(inner)) scan(inner, depth + 1);
    };
    for (let index = 0; index < text.length;) {
      token.lastIndex = index;
      const [found] = token.exec(text)!;
      index += found.length;
      if (/^[\s;&|()`]$/.test(found)) {
        end();
        if (found !== ' ' && found !== '\t') first = undefined;
      } else if (/^(?:[<>]|&>)/.test(found)) {
        end();
        isWritten = found.includes('>');
      } else if (found === '#' && word === undefined) {
        const newline = text.indexOf('\n', index);
        index = newline === -1 ? text.length : newline;
      } else if (found !== '\\\n') word = (word ?? '') + meant(found, expand);
    }
    end();
  };

  scan(command, 0);
  return words;
}

/** What a token adds to its word. */
function meant(found: string, expand: (text: string) => string): string {
  // A lone quote or dollar sign.
  if (found.length === 1) return found === '$' ? found : found.replace(/['"\\]/, '');
  switch (found[0]) {
    case '\\':
      return found.slice(1);
    case "'":
      return found.slice(1, -1);
    case '"':
      return expand(found.slice(1, -1)).replaceAll(/\\(["\\$`])/g, '$1');
    case '$':
      return expand(found);
    default:
      return found;
  }
}
