import { isPlain, isUserAndPassword, redacted } from './secrets.ts';

/** Options that take a password although their names do not say so, such as `-p` of mysql. */
const options: readonly (readonly [programs: RegExp, option: RegExp])[] = [
  [/^(?:mysql|mariadb)\w*$/, /\s-p(?=\S)/g],
  [/^sshpass$/, /\s-p\s*/g],
  [/^mongo\w*$/, /\s-p\s*/g],
  [/^(?:docker|podman|nerdctl|buildah|skopeo|helm|oras|crane|az)$/, /(?:\slogin\b[^\n]*?\s)-p\s+/g],
  [/^redis-cli$/, /\s-a\s+/g],
  [/^(?:7z\w?|7za|rar|unrar)$/, /\s-p(?=\S)/g],
  [/^(?:zip|unzip|sqlcmd|bcp|osql)$/, /\s-P\s*/g],
  [/^ldap\w+$/, /\s-w\s*/g],
  [/^(?:openssl)$/, /\s(?:-passin|-passout|-pass|-passwd)\s+(?:pass:)?|\s-k\s+/g],
  [/^(?:curl|http|https|xh)$/, /\s-b\s*/g],
  [/^(?:ncftp\w*|lftp|ipmitool)$/, /\s-[pP]\s*/g],
  [/^htpasswd$/, /\s-\w*b\w*\s+\S+\s+\S+\s+/g],
  [/^ssh-keygen$/, /\s-[NP]\s*/g],
  [/^(?:kubectl|oc)$/, /\s--from-literal[\s=]+[\w.-]+=/g],
  [/^smbclient$/, /\s-U\s+[^\s%]+%/g],
  [/^gh$/, /\s(?:--body|-b)[\s=]+/g],
  [/^security$/, /\s-w\s+/g],
];

const programs =
  /(?<![\w.-])(?:mysql\w*|mariadb\w*|sshpass|mongo\w*|docker|podman|nerdctl|buildah|skopeo|helm|oras|crane|az|redis-cli|7z\w?|7za|rar|unrar|zip|unzip|sqlcmd|bcp|osql|ldap\w+|openssl|curl|https?|xh|ncftp\w*|lftp|ipmitool|htpasswd|smbclient|ssh-keygen|kubectl|oc|gh|security)(?=\s)/g;

const programName = new RegExp(
  String.raw`^(?:.{0,200}\/)?(?:${programs.source.replaceAll(/\(\?<![^)]*\)|\(\?=\\s\)/g, '')})$`,
);

const word = /\\*(["'])((?:(?!\\*\1)[^\n])*)|[^\s"'`|;&)]+/y;

/** Redacts what well-known programs take as passwords in their arguments. */
export function redactCommands(text: string): string {
  let safe = '';
  let from = 0;
  programs.lastIndex = 0;
  for (let found; (found = programs.exec(text));) {
    const program = found[0];
    const start = programs.lastIndex;
    const length = text.slice(start).search(/[\n|;&]/);
    const end = length === -1 ? text.length : start + length;
    const command = text.slice(start, end);
    let hidden = command;
    for (const [wanted, option] of options)
      if (wanted.test(program)) hidden = afterOption(hidden, option);
    safe += `${text.slice(from, start)}${hidden}`;
    from = end;
    programs.lastIndex = end;
  }
  return redactUsers(`${safe}${text.slice(from)}`);
}

/** Returns the indexes of passwords in a list of arguments, such as the one after `-p` of sshpass. */
export function secretArguments(items: readonly unknown[]): ReadonlySet<number> {
  const hidden = new Set<number>();
  const at = items.findIndex((item) => typeof item === 'string' && programName.test(item));
  if (at === -1) return hidden;
  const program = String(items[at]).replace(/^.*\//, '');
  const rest = items.slice(at + 1, at + 200).map((item) => (typeof item === 'string' ? item : ''));
  for (const [wanted, option] of options) {
    if (!wanted.test(program)) continue;
    for (const [index, item] of rest.entries()) {
      const before = ` ${rest.slice(0, index).join(' ')} `;
      // The item as part of a command: once followed by the next item, and once on its own.
      for (const [command, which] of [
        [`${before}${item} `, index + 1],
        [before + item, index],
      ] as const) {
        option.lastIndex = 0;
        for (let found; (found = option.exec(command));) {
          const end = option.lastIndex;
          const isBehind = which > index && end === command.length;
          const isWithin =
            which === index && end > before.length && end < command.length && !/\s$/.test(found[0]);
          if (isBehind || isWithin) hidden.add(at + 1 + which);
        }
      }
    }
  }
  return hidden;
}

function afterOption(command: string, option: RegExp): string {
  let safe = '';
  let from = 0;
  option.lastIndex = 0;
  while (option.exec(command)) {
    const at = option.lastIndex;
    word.lastIndex = at;
    const [whole = '', quote, inner] = word.exec(command) ?? [];
    if (whole === '' || isPlain(inner ?? whole)) continue;
    const shown = quote === undefined ? '' : whole.slice(0, whole.length - inner!.length);
    safe += `${command.slice(from, at)}${shown}${redacted}`;
    from = at + whole.length;
    option.lastIndex = from;
  }
  return `${safe}${command.slice(from)}`;
}

/** Matches `-u name:password` of curl and many others; the numeric ids of a user and a group do not count. */
const users =
  /((?:^|[\s"'`[,])(?:-u|-U|--user|--proxy-user|--login|--creds|--auth|-a)(?:["'`]\s{0,4},)?[\s=]{0,4}\\{0,8}(["'`]?)[^\s:"'`=\\/]{1,200}:)(?!\d+(?!\S))(?!\/\/)([^\s"'`\\]+)([^"'`\n]*)/g;

/** Matches what a header of basic or bearer authentication sends, wherever it occurs. */
const schemes = /\b(Bearer|Basic|Token|ApiKey|JWT|Negotiate|OAuth)(\s+|%20|\+)([\w.~+/=:-]{8,})/gi;

/** Matches values that follow words instead of a sign. */
const phrases =
  /\b((?:requirepass|masterauth|identified by)\s{1,4}["']?|(?:password|passphrase|passcode|token|secret|key) (?:is|was)(?: now)?(?:: {0,4}| {1,4})["'`]?)([^\s"'`;]{4,})/gi;

const redactUsers = (text: string): string =>
  text
    .replace(
      users,
      // A quoted password may contain spaces.
      (_, option: string, quote: string, _password: string, rest: string) =>
        `${option}${redacted}${quote ? '' : rest}`,
    )
    .replace(phrases, (whole, words: string, said: string) =>
      /:/.test(words) || !/ (?:is|was)/.test(words) || (/\d/.test(said) && said.length >= 6)
        ? `${words}${redacted}`
        : whole,
    )
    .replace(schemes, (whole, scheme: string, space: string, sent: string) => {
      const isSent = /^basic$/i.test(scheme)
        ? isUserAndPassword(sent)
        : /\d/.test(sent) || sent.length >= 24;
      return isSent ? `${scheme}${space}${redacted}` : whole;
    });
