import { isRecord } from '../../base/json.ts';
import { counted } from '../../base/counted.ts';

/** How much of a payload is shown: the most lines, and the longest line in characters. */
const mostLines = 20;
const longestLine = 300;

/**
 * Formats a payload under its label. Each of its lines is marked, so that it cannot pass for one of ours. An
 * empty payload has no lines.
 */
export function payloadLines(label: string, value: unknown, indent = ''): string[] {
  const text = textOf(value)?.trimEnd();
  if (text === undefined || text === '') return [];
  const lines = text.split(/\r\n|[\n\r]/);
  const shown = lines.slice(0, mostLines).map((line) => `${indent}  | ${cut(line)}`);
  const more = lines.length - shown.length;
  return [
    `${indent}${label}:`,
    ...shown,
    ...(more > 0 ? [`${indent}  … ${counted(more, 'more line')}: --json shows all of it`] : []),
  ];
}

function cut(line: string): string {
  const more = line.length - longestLine;
  return more > 0 ? `${line.slice(0, longestLine)}… (${counted(more, 'more character')})` : line;
}

/** Puts one field per line, and keeps the line breaks of texts. */
function textOf(value: unknown): string | undefined {
  if (value === undefined || typeof value === 'string') return value;
  if (!isRecord(value)) return JSON.stringify(value);
  return Object.entries(value)
    .map(([name, field]) => {
      if (typeof field !== 'string') return `${name}: ${JSON.stringify(field)}`;
      return /[\n\r]/.test(field)
        ? `${name}:\n${field.replaceAll(/^/gm, '  ')}`
        : `${name}: ${field}`;
    })
    .join('\n');
}

/** Returns a model's last message, asked or answered, as text if its format is known. */
export function messageText(value: unknown): string | undefined {
  if (!isRecord(value)) return textOf(value);
  const { contents, messages, candidates, text } = value;
  const [candidate] = Array.isArray(candidates) ? (candidates as unknown[]) : [];
  const last = [contents, messages].find(Array.isArray)?.at(-1) as unknown;
  const message = last ?? (isRecord(candidate) ? candidate['content'] : undefined);
  if (!isRecord(message)) return typeof text === 'string' ? text : JSON.stringify(value);
  const parts = message['parts'] ?? message['content'];
  return Array.isArray(parts) ? parts.map(partText).join('\n') : textOf(parts);
}

function partText(part: unknown): string {
  if (typeof part === 'string') return part;
  if (!isRecord(part)) return JSON.stringify(part);
  const { text, functionCall: call, functionResponse: response } = part;
  if (typeof text === 'string') return text;
  if (isRecord(call)) return `calls ${String(call['name'])} ${JSON.stringify(call['args'])}`;
  if (isRecord(response)) {
    const { name, response: given } = response;
    return `result of ${String(name)}${given === undefined ? '' : `: ${JSON.stringify(given)}`}`;
  }
  return JSON.stringify(part);
}

/** Returns the value of a field such as `tool_input.command` in a hook's output. */
export function valueOf(field: string, output: unknown): unknown {
  if (!isRecord(output)) return undefined;
  const specific = output['hookSpecificOutput'];
  const inside = isRecord(specific) ? specific : {};
  if (Object.hasOwn(inside, field)) return inside[field];
  const dot = field.indexOf('.');
  const spread = inside[field.slice(0, dot)];
  if (dot > 0 && isRecord(spread)) return spread[field.slice(dot + 1)];
  return output[field];
}
