import { secretItems } from './secret-items.ts';
import { redacted, secretFields, type IsSecret } from './secrets.ts';

/**
 * Redacts the JSON in a plain text: a hook's stdout or a tool's arguments, line by line if the text as a
 * whole is not JSON. A part that holds no secret stays as it was written.
 *
 * @param hide redacts the strings in the JSON, which may be JSON again
 */
export function redactJson(
  text: string,
  isSecret: IsSecret,
  hide: (text: string) => string,
): string {
  const hideIn = (value: unknown, field?: string): unknown => {
    if (typeof value === 'string') return hide(value);
    if (Array.isArray(value)) {
      const isSecretItem = secretItems(value, isSecret, field);
      return value.map((item, index) => (isSecretItem(index) ? redacted : hideIn(item)));
    }
    if (typeof value !== 'object' || value === null) return value;
    const isSecretField = secretFields(value, isSecret);
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => [
        hide(key),
        isSecretField(key, inner) ? redacted : hideIn(inner, key),
      ]),
    );
  };

  /** Undefined if it contains no JSON. */
  const redactedIn = (part: string): string | undefined => {
    const from = part.search(/^\s*"|[[{]/);
    const to = Math.max(...['"', ']', '}'].map((mark) => part.lastIndexOf(mark))) + 1;
    if (from === -1 || to <= from) return undefined;
    try {
      const value: unknown = JSON.parse(part.slice(from, to));
      const shown = JSON.stringify(hideIn(value));
      return shown === JSON.stringify(value)
        ? part
        : `${part.slice(0, from)}${shown}${part.slice(to)}`;
    } catch {
      return undefined;
    }
  };

  return (
    redactedIn(text) ??
    text
      .split('\n')
      .map((line) => redactedIn(line) ?? line)
      .join('\n')
  );
}
