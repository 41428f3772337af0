import { redacted } from './secrets.ts';

/** Matches the password of an address, even if the address is encoded, and a lone secret before its host. */
const inAddresses: readonly RegExp[] = [
  // A token in the place of the user, with a password that is none.
  /(\bhttps?:\/\/)(?!\[redacted\])[^\s/:@"'`<>]{1,400}(?=:(?:x-oauth-basic)?@)/gi,
  // A lone user of a web address may be a token.
  /(\bhttps?:\/\/)(?!(?:git|user|username|\[redacted\])@)[^\s/:@"'`<>]{1,400}(?=@)/gi,
  /(:\/\/[^\s/:@]*:)[^\s/]+(?=@)/g,
  // No browser accepts a slash in a password, but database drivers do.
  /(?<![\w+.-])((?!https?:|wss?:)[a-z][a-z0-9+.-]{1,30}:\/\/[^\s/:@]{0,100}:)(?!\d+[/?#])[^\s"'`<>@:]{1,300}(?=@)/gi,
  /(%3A%2F%2F(?:(?!%3A|%40|%2F)[^\s&]){0,200}%3A)(?:(?!%40|%2F)[^\s&]){1,300}(?=%40)/gi,
  /(jdbc:oracle:\w{1,10}:[^\s/]{1,100}\/)[^\s@/]{1,200}(?=@)/gi,
  /(:\/\/[^\s?#"'`]{1,300}[?][^\s#"'`]{0,300}\bcode=)(?=[^\s&#"'`]{0,100}\d)[^\s&#"'`]{12,}/g,
  /(:\/\/)(?=[A-Za-z.~%-]{0,100}\d)[\w.~%-]{20,400}(?=@)/g,
];

/** Redacts the passwords of addresses. */
export const redactAddresses = (text: string): string =>
  /@|%40|code=/.test(text)
    ? inAddresses.reduce((shown, address) => shown.replace(address, `$1${redacted}`), text)
    : text;
