/** Where in the shell's grammar the scanner is. */
type Place = 'text' | 'double' | 'group' | 'arithmetic' | 'braces' | 'quoted braces' | 'backticks';

/** A here-document whose text is still to come. */
interface HereDocument {
  readonly delimiter: string;
  readonly isIndented: boolean;
}

const anyOf = (...patterns: RegExp[]): RegExp =>
  new RegExp(patterns.map(({ source }) => source).join('|'), 'y');

/** What has a meaning outside of quotes; anything else is text. */
const unquotedToken = anyOf(
  /\\[^]/,
  /'[^']*'/,
  /\$'(?:\\[^]|[^'\\])*'/,
  /(?<=^|[\s;&|()<>])#.*/,
  /<<</,
  /<<(?<indented>-?)[ \t]*(?<delimiter>(?:\\.|'[^'\n]*'|"[^"\n]*"|[^\s;&|()<>'"\\])+)/,
  /\$(?:(?<name>\w+)|\{(?<braced>\w+)\})/,
  /\$\{/,
  /\$?\({1,2}/,
  /\bcase\b/,
  /[\n"`)}]/,
);

/** What has a meaning inside double quotes. Backticks are one token there, for in them a backslash may mean two things. */
const quotedToken = anyOf(/\\[^]/, /`(?:\\[^]|[^\\`])*`/, /\$\{/, /\$\({1,2}/, /["}]/);

/**
 * Makes a hook's command safe for a project folder with blanks in its name (HOOK-188, C-14).
 *
 * The shell itself expands `$LLXPRT_PROJECT_DIR`, `${extensionPath}` and whatever else we add to the
 * environment. Where it would split the value, outside of quotes, the reference is put into double
 * quotes. The value never becomes part of the command, so no name of a folder can run anything.
 *
 * @example
 * expandCommand('$LLXPRT_PROJECT_DIR/check.sh', { LLXPRT_PROJECT_DIR: '/my project' })
 * // '"$LLXPRT_PROJECT_DIR"/check.sh'
 */
export function expandCommand(command: string, env: Readonly<Record<string, string>>): string {
  if (!command.includes('$')) return command;
  const places: Place[] = ['text'];
  const documents: HereDocument[] = [];
  let expanded = '';
  for (let index = 0; index < command.length;) {
    const place = places.at(-1)!;
    const quoted = isQuoted(place);
    const pattern = quoted ? quotedToken : unquotedToken;
    pattern.lastIndex = index;
    const found = pattern.exec(command);
    let token = found?.[0] ?? command[index]!;
    const { name, braced, delimiter, indented } = found?.groups ?? {};
    const variable = name ?? braced;
    // The pattern of a case ends with a lone parenthesis, and nothing short of a parser tells it
    // from the end of the substitution: what follows stays as it is.
    if (token === 'case' && places.some(isQuoted)) token = command.slice(index);
    else if (variable !== undefined && Object.hasOwn(env, variable)) token = `"${token}"`;
    else if (delimiter !== undefined && place !== 'arithmetic')
      documents.push({
        delimiter: delimiter.replaceAll(/["'\\]/g, ''),
        isIndented: indented === '-',
      });
    else if (token === '\n')
      token = command.slice(index, afterDocuments(command, index + 1, documents));
    else if (token === '"') toggle(places, 'double');
    else if (token === '`') toggle(places, 'backticks');
    else if (token.startsWith('#') && place !== 'text' && place !== 'group') token = '#';
    else if (token === '}' && place.endsWith('braces')) places.pop();
    else if (token === ')' && (place === 'group' || place === 'arithmetic')) places.pop();
    else if (token === '${') places.push(quoted ? 'quoted braces' : 'braces');
    else if (token.endsWith('((')) places.push('arithmetic', 'arithmetic');
    else if (token.endsWith('(')) places.push('group');
    expanded += token;
    index += variable === undefined ? token.length : found![0].length;
  }
  return expanded;
}

/** The shell splits nothing in such a place. */
const isQuoted = (place: Place): boolean => place === 'double' || place === 'quoted braces';

/** Leaves the innermost place if it is such a one, else enters one. */
function toggle(places: Place[], place: Place): void {
  if (places.at(-1) === place) places.pop();
  else places.push(place);
}

/** The place behind the here-documents that begin at `start`; the shell splits nothing in them. */
function afterDocuments(command: string, start: number, documents: HereDocument[]): number {
  for (const { delimiter, isIndented } of documents.splice(0)) {
    for (let line: string | undefined; line !== delimiter && start < command.length;) {
      const end = command.indexOf('\n', start);
      line = command.slice(start, end === -1 ? undefined : end);
      if (isIndented) line = line.replace(/^\t+/, '');
      start = end === -1 ? command.length : end + 1;
    }
  }
  return start;
}
