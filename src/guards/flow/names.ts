/*
 * Names of places and people: where data could go. Whoever plants instructions in a text must name the place
 * that he wants data to be sent to.
 */

/** How many names of one text are looked at, and how much of the text. */
const mostNames = 300;
const mostText = 200_000;

// All repetitions are bounded: an outsider chose the text.
const urls = /\b[a-z][a-z\d+.-]{1,15}:\/\/[^\s"'`<>()[\]{}\\]{1,4000}/gi;
const emails = /[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}/g;
const hosts =
  /\b(?:[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?\.){1,8}[a-z]{2,24}\b|\b\d{1,3}(?:\.\d{1,3}){3}\b/gi;
/** Numbers of accounts, wallets and phones. */
const accounts = /\b(?:[A-Z]{2}\d{2}[A-Z\d]{10,30}|0x[\da-f]{40}|\+?\d{9,16})\b/gi;

/** Endings of file names, which look like those of hosts. */
const fileEndings =
  /\.(?:[cm]?[jt]sx?|json|md|py|rb|go|rs|java|kt|c|h|cpp|hpp|cs|php|sh|ya?ml|toml|txt|log|lock|html?|s?css|xml|csv|sql|env|ini|cfg|conf|png|jpe?g|svg|gif|pdf|zip|gz|tar|map|vue|svelte|swift|ipynb|local|test|spec|d)$/i;

const hostOf = (url: string): string | undefined =>
  URL.canParse(url) ? new URL(url).hostname.toLowerCase() : undefined;

/** Returns the names in a text, in lower case. */
export function namesIn(text: string): string[] {
  const found = new Set<string>();
  const part = text.slice(0, mostText);
  const all = (shape: RegExp): string[] => [...part.matchAll(shape)].map(([name]) => name);
  for (const url of all(urls)) {
    found.add(url.replace(/[.,;:!?]+$/, '').toLowerCase());
    const host = hostOf(url);
    if (host !== undefined && host !== '') found.add(host);
  }
  for (const email of all(emails)) {
    found.add(email.toLowerCase());
    found.add(email.slice(email.indexOf('@') + 1).toLowerCase());
  }
  for (const host of all(hosts)) if (!fileEndings.test(host)) found.add(host.toLowerCase());
  for (const account of all(accounts)) found.add(account.toLowerCase());
  return [...found].slice(0, mostNames);
}
