import { type Node, parseTree } from '../../settings/files/jsonc.ts';

/*
 * Changes to a JSON text in one place. Everything else stays as it was written: a number may have more digits
 * than JavaScript keeps, and a hash may have been computed from the text.
 */

/** The text with a member of an object replaced, or added if there is none; the value is JSON. */
export function withMember(text: string, path: readonly string[], value: string): string {
  const node = nodeAt(text, path);
  if (node) return put(text, node, value);
  const [key, parent] = [path.at(-1)!, nodeAt(text, path.slice(0, -1))];
  if (parent?.type !== 'object')
    return withMember(text, path.slice(0, -1), `{${member(key, value)}}`);
  const others = parent.children?.length ? ',' : '';
  const at = parent.offset + 1;
  return `${text.slice(0, at)}${member(key, value)}${others}${text.slice(at)}`;
}

/** The text with one more item at the end of an array, which is created if there is none. */
export function withItem(text: string, path: readonly string[], item: string): string {
  const node = nodeAt(text, path);
  if (node?.type !== 'array') return withMember(text, path, `[${item}]`);
  const items = (node.children ?? []).map((child) => textOf(text, child));
  return put(text, node, `[${[...items, item].join(',')}]`);
}

/** The text with only some of an array's items. */
export function withItems(
  text: string,
  path: readonly string[],
  isKept: (index: number) => boolean,
): string {
  const node = nodeAt(text, path);
  if (node?.type !== 'array') return text;
  const items = (node.children ?? []).filter((_, index) => isKept(index));
  return put(text, node, `[${items.map((child) => textOf(text, child)).join(',')}]`);
}

/** The items of a text that is an array. */
export const itemsOf = (text: string): string[] =>
  (parseTree(text)?.children ?? []).map((child) => textOf(text, child));

/** A member of an object, as it was written. */
export function memberText(text: string, key: string): string | undefined {
  const node = nodeAt(text, [key]);
  return node && textOf(text, node);
}

const member = (key: string, value: string): string => `${JSON.stringify(key)}:${value}`;

const textOf = (text: string, { offset, length }: Node): string =>
  text.slice(offset, offset + length);

const put = (text: string, { offset, length }: Node, value: string): string =>
  text.slice(0, offset) + value + text.slice(offset + length);

/** If several members have the same name, the last one counts, as everywhere. */
function nodeAt(text: string, path: readonly string[]): Node | undefined {
  let node = parseTree(text);
  for (const key of path)
    node =
      node?.type === 'object'
        ? node.children?.findLast(({ children }) => children?.[0]?.value === key)?.children?.[1]
        : undefined;
  return node;
}
