import { isRandom, redacted } from './secrets.ts';

/** Whether a word may be a made-up password rather than a word of a language: it has letters and digits. */
const isMixed = (word: string): boolean =>
  word.length >= 6 &&
  /\d/.test(word) &&
  /[a-z]/i.test(word) &&
  !/^(?:[/~$<{([%]|https?:)/i.test(word);

/**
 * What may separate a name from its value if there is no sign: a tab, a column's edge, an arrow, the next
 * line.
 */
const gap = String.raw`(?:[ \t]{0,4}(?:[|,;→⇒–—>-]{1,2}|<-|\\t|\\n|\\r\\n|\r?\n|\t)[ \t]{0,4}|[ \t]{1,4}(?:is[ \t]{1,4})?)["'\`]?`;

const loose: readonly (readonly [expression: RegExp, isSecret: (word: string) => boolean])[] = [
  [/(pass[ _-]?words?|passwd|pass[ _-]?phrase|pass[ _-]?code|passwort)/, isMixed],
  [/(secret|token|api[ _-]?key|(?:access|private|master)[ _-]?key|credentials?|pwd)/, isRandom],
].map(([names, isSecret]) => [
  new RegExp(
    String.raw`((?:${(names as RegExp).source.slice(1, -1)})(?![a-z\d_-])${gap})(?!\[redacted)([^\s"'\`,;|<>()]{6,})(?![\w(])`,
    'gi',
  ),
  isSecret as (word: string) => boolean,
]);

/**
 * Matches a user and a password before a host, without a scheme; a label, a digest or a version that merely
 * looks like one does not count.
 */
const account =
  /(?<![\w/:@.+-])((?!(?:mailto|e-?mail|from|to|b?cc|reply-to|author|by|sips?|xmpp|acct|npm|workspace|patch|contact|user|login|owner|maintainer|id):)[\w.+-]{1,64}:)([^\s:@/"'`<>()[\]]{6,200})(?=@(?!sha\d|npm:|\d+\.\d+\.\d+(?!\.\d))[a-z\d][\w.-]*)/gi;

/** Matches a shell line that passes a password to a program on stdin. */
const takesSecret =
  /--(?:password|passphrase|token|secret)-stdin|--with-token|\|\s*(?:sudo\s+)?(?:ch)?passwd\b|\bpasswd\s+(?:--stdin|[^\n]{0,40}<<<)|\bsudo\s(?:[^|\n]{0,40}\s)?(?:-\w*S|--stdin)\b|--(?:passphrase|pass|password)-fd/;

/** Matches what such a line prints into the program or passes to it as a here-string. */
const given: readonly RegExp[] = [
  /(\b(?:echo|printf)(?:\s+-\w+)*(?:\s+\\*["']%s(?:\\+n)?\\*["'])?\s+\\*["']?)([^\s"'|\\][^"'|\n\\]{0,200}?)(?=\\*["']?\s*\|)/g,
  /(<<<\s*\\*["']?)([^\s"'|;&\\]+)/g,
];

/** Redacts what is passed to a program on its stdin, or follows a secret's name with no sign between them. */
export function redactLoose(text: string): string {
  let shown = text;
  if (takesSecret.test(shown))
    shown = shown
      .split('\n')
      .map((line) =>
        takesSecret.test(line)
          ? given.reduce((whole, one) => whole.replace(one, `$1${redacted}`), line)
          : line,
      )
      .join('\n');
  if (shown.includes('@'))
    shown = shown.replace(account, (whole, user: string, password: string) =>
      isMixed(password) ? `${user}${redacted}` : whole,
    );
  for (const [expression, isSecret] of loose)
    shown = shown.replace(expression, (whole, name: string, word: string, at: number) => {
      // It is the next parameter of a function.
      const isParameter = /,\s*$/.test(name) && shown.charAt(at + whole.length) === ')';
      return isSecret(word) && !isParameter ? `${name}${redacted}` : whole;
    });
  return shown;
}
