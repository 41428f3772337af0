import { counted } from '../../counted.ts';

/** Cuts a line that is too long, never inside a character, and notes the cut. */
export function shorten(line: string, limit: number): string {
  if (line.length <= limit) return line;
  const last = line.charCodeAt(limit - 1);
  const end = last >= 0xd800 && last < 0xdc00 ? limit - 1 : limit;
  const more = line.length - end;
  return `${line.slice(0, end)}… [${counted(more, 'more character')}]`;
}
