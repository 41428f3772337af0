import { isPlain, redacted, type IsSecret } from './secrets.ts';

/** Redacts the content of elements that are named after a secret or name one: XML, property lists. */
export function redactMarkup(text: string, isSecret: IsSecret): string {
  const tags =
    /<(?:key|name)>\s*([\w.-]{1,200})\s*<\/(?:key|name)>\s*<(?:string|value|data)>|<([\w:.-]{1,200})(?:\s[^<>]{0,1000}?)?(?<!\/)>/gi;
  const unclosed = new Set<string>();
  let shown = '';
  let from = 0;
  for (let found; (found = tags.exec(text));) {
    const [whole, named, tag = ''] = found;
    const naming = /\s(?:name|key|id)\s*=\s*["']([^"']{1,200})["']/i.exec(whole)?.[1];
    const names = [localName(tag), named, naming].filter((name) => name !== undefined);
    if (!names.some((name) => isSecret(name))) continue;
    const start = tags.lastIndex;
    const closing = named === undefined ? `</${tag}` : '</';
    const end = unclosed.has(closing) ? -1 : text.indexOf(closing, start);
    if (end === -1) unclosed.add(closing);
    // An element such as <input> has no content.
    if (end === -1 && !isSecret(localName(tag))) continue;
    const line = text.indexOf('\n', start);
    const until = end !== -1 ? end : line !== -1 ? line : text.length;
    const value = text.slice(start, until).trim();
    if (isPlain(value) || !names.some((name) => isSecret(name, value))) continue;
    shown += `${text.slice(from, start)}${redacted}`;
    from = until;
    tags.lastIndex = until;
  }
  return `${shown}${text.slice(from)}`.replace(
    valued,
    (whole, before: string, tag: string, value: string) =>
      isSecret(localName(tag), value) && !isPlain(value) ? `${before}${redacted}` : whole,
  );
}

/** Matches an element whose value is an attribute. */
const valued = /(<([\w:.-]{1,200})\s(?:[^<>]{0,400}?\s)?(?:value|content)\s*=\s*["'])([^"'<>]+)/gi;

const localName = (tag: string): string => tag.slice(tag.indexOf(':') + 1);
