/** What stands in the place of what must not be told. */
export const redacted = '[redacted]';

/** Words of key names whose values are secrets wherever they stand. */
const secretNames = [
  ['password'],
  ['passwd'],
  ['passphrase'],
  ['token'],
  ['access', 'token'],
  ['refresh', 'token'],
  ['id', 'token'],
  ['auth', 'token'],
  ['session', 'token'],
  ['secret'],
  ['client', 'secret'],
  ['secret', 'key'],
  ['secret', 'access', 'key'],
  ['api', 'key'],
  ['x', 'api', 'key'],
  ['x', 'goog', 'api', 'key'],
  ['private', 'key'],
  ['authorization'],
  ['proxy', 'authorization'],
  ['cookie'],
  ['set', 'cookie'],
] as const;

/** `api_key`, `apiKey` and `API-KEY` are one name. */
const bare = (name: string): string => name.toLowerCase().replaceAll(/[_-]/g, '');

/** Whether the value of a key of this name is a secret. */
export function secretKeys(names: readonly string[]): (name: string) => boolean {
  const known = new Set([...secretNames.map((words) => words.join('')), ...names.map(bare)]);
  return (name) => known.has(bare(name));
}

/**
 * Finds the values of such keys in running text: JSON, also as a text within JSON, assignments,
 * headers and options of commands; and the password of an address. A default name may end a longer
 * one, as in GITHUB_TOKEN.
 */
export function hideSecrets(names: readonly string[]): (text: string) => string {
  const ours = secretNames.map((words) => words.join('[_-]?')).join('|');
  const own = names.map((name) => escaped(name)).join('|');
  const key = `(?:(?<![a-z0-9])(?:${ours})${own && `|(?<![\\w-])(?:${own})`})`;
  const quoted = String.raw`\\+"[^"\\]*\\+"|"(?:[^"\\]|\\.)*(?:"|$)|'[^'\n]*(?:'|$)`;
  const bareWord = String.raw`(?:(?:Bearer|Basic|Token)\s+)?[^\s"',;&|)}\]\\[{]+`;
  const value = `(?:${quoted}|${bareWord})`;
  const assigned = new RegExp(String.raw`(${key}\\*["']?\s*[:=]\s*)(${value})`, 'gi');
  const option = new RegExp(String.raw`(--?${key}\s+)(${value})`, 'gi');
  const address = /(?<=:\/\/[^\s/:@]*:)[^\s/:@]+(?=@)/g;
  return (text) =>
    text.replace(assigned, hidden).replace(option, hidden).replace(address, redacted);
}

/** The quotes stay, so that JSON stays JSON. */
function hidden(_: string, before: string, value: string): string {
  const [quote = ''] = /^\\*["']/.exec(value) ?? [];
  return `${before}${quote}${redacted}${quote}`;
}

const escaped = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);
