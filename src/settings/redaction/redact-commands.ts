import { commandsIn, passwordOptions, programName } from '../../shell/passwords.ts';
import { isPlain, isUserAndPassword, redacted } from './secrets.ts';

const word = /\\*(["'])((?:(?!\\*\1)[^\n])*)|[^\s"'`|;&)]+/y;

/** Redacts what well-known programs take as passwords in their arguments. */
export function redactCommands(text: string): string {
  let safe = '';
  let from = 0;
  for (const { program, start, end } of commandsIn(text)) {
    let hidden = text.slice(start, end);
    for (const [wanted, option] of passwordOptions)
      if (wanted.test(program)) hidden = afterOption(hidden, option);
    safe += `${text.slice(from, start)}${hidden}`;
    from = end;
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
  for (const [wanted, option] of passwordOptions) {
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
