import { isUtf8 } from 'node:buffer';
import { isRecord } from '../../base/json.ts';
import { itemsOf, memberText } from './json-text.ts';

type Fields = Readonly<Record<string, unknown>>;

/** A JSON-RPC message, as it came and as it was parsed. */
export interface Message {
  /** Including the line feed at its end. */
  readonly bytes: Buffer;
  readonly text: string;
  readonly value: Fields;
}

/** What a line contains. */
export interface ReadLine {
  /** Empty if the line is not JSON-RPC. */
  readonly messages: readonly Message[];
  /** Whether they came as one array, which older clients and servers may send. */
  readonly isBatch: boolean;
}

/** Reads a line; one that cannot be read has no messages. */
export function readLine(line: Buffer): ReadLine {
  const text = line.toString();
  const read = parse(text.replace(/^\uFEFF/, ''));
  // Others may read other characters where the bytes are not UTF-8: they get what was read here.
  const bytes = isUtf8(line) ? line : Buffer.from(text);
  if (isRecord(read?.value))
    return { messages: [{ bytes, text: read.text, value: read.value }], isBatch: false };
  if (!Array.isArray(read?.value)) return { messages: [], isBatch: false };
  const values: readonly unknown[] = read.value;
  const texts = itemsOf(read.text);
  const messages = values.flatMap((value, index) => {
    const item = `${texts[index]!.replaceAll(/[\r\n]/g, ' ')}\n`;
    return isRecord(value) ? [{ bytes: Buffer.from(item), text: item, value }] : [];
  });
  return { messages, isBatch: true };
}

/** A message of our own. */
export function messageWith(fields: object): Buffer {
  return Buffer.from(`${JSON.stringify({ jsonrpc: '2.0', ...fields })}\n`);
}

/** Numbers that JSON does not have, outside of strings. */
const odd = /"(?:[^"\\]|\\.)*"|-?\b(?:NaN|Infinity)\b/g;

/**
 * Servers in some languages read more numbers than JSON has, so a call with one is read too: otherwise it
 * would pass unseen.
 */
function parse(text: string): { readonly text: string; readonly value: unknown } | undefined {
  try {
    return { text, value: JSON.parse(text) };
  } catch {
    if (!/NaN|Infinity/.test(text)) return undefined;
  }
  try {
    const plain = text.replaceAll(odd, (found) => (found.startsWith('"') ? found : 'null'));
    return { text: plain, value: JSON.parse(plain) };
  } catch {
    return undefined;
  }
}

/** Whether a message wants an answer. */
export const isRequest = ({ value }: Message): boolean =>
  typeof value['method'] === 'string' && isId(value['id']);

/** Whether a message answers a request, for a reader who does not mind what else it contains. */
export const isAnswer = ({ value }: Message): boolean =>
  isId(value['id']) && ('result' in value || 'error' in value);

const isId = (id: unknown): boolean => typeof id === 'string' || typeof id === 'number';

/** The id of a message as JSON; as it was written if JavaScript cannot hold it. */
export function idOf({ text, value }: Message): string {
  const { id } = value;
  const isHeld = typeof id === 'string' || Number.isSafeInteger(id);
  return isHeld ? JSON.stringify(id) : (memberText(text, 'id') ?? 'null');
}

/** What tells requests apart: some clients take "1" for an answer to 1, so here they are the same. */
export const keyOf = (id: unknown): string => String(id);

/** A member of a message that is an object; an empty object if there is none. */
export const objectIn = (value: Fields, key: string): Fields => {
  const member = value[key];
  return isRecord(member) ? member : {};
};
