import { secretArguments } from './redact-commands.ts';
import { isPlain, type IsSecret } from './secrets.ts';

/** Names of lists whose items are names, none of them the value of the one before. */
const listsOfNames =
  /^(?:required|enum|fields?|columns?|keys|names|properties|env|secrets|order|redact)$/i;

const headers = /^(?:(?:proxy-)?authorization|(?:set-)?cookie|x-[\w-]*(?:token|key|auth|secret))$/i;

/**
 * Returns a test for the items of a list that are secrets: the item after an option such as `--password`, the
 * second of a pair such as `["Authorization", "…"]`, and the lines of a private key.
 *
 * @param field the name of the list, if it has one
 */
export function secretItems(
  items: readonly unknown[],
  isSecret: IsSecret,
  field = '',
): (index: number) => boolean {
  const hidden = new Set(secretArguments(items));
  let isInKey = false;
  for (const [index, item] of items.entries()) {
    if (typeof item !== 'string') continue;
    if (isInKey) hidden.add(index);
    if (/-----BEGIN [A-Z0-9 ]*PRIVATE KEY/.test(item)) isInKey = true;
    if (/-----END [A-Z0-9 ]*PRIVATE KEY/.test(item)) isInKey = false;
    const next = items[index + 1];
    if (isPlain(next) || item.length > 200) continue;
    const isPair = items.length === 2 && index === 0 && !listsOfNames.test(field);
    const isNaming =
      /^--?[A-Za-z]/.test(item) && !item.includes('=')
        ? isSecret(item.replace(/^-+/, '')) && !String(next).startsWith('--')
        : headers.test(item) || (isPair && /^[\w.-]+$/.test(item) && isSecret(item));
    if (isNaming && !listsOfNames.test(field)) hidden.add(index + 1);
  }
  return (index) => hidden.has(index);
}
