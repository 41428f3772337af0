import type { ToolResult } from '../../core/protocol/tool-result.ts';
import { nameWithin, type Place } from './paths.ts';
import { tooSlow } from './refusals.ts';
import { matchLimit, type Search } from './search-files.ts';
import { counted } from '../../base/counted.ts';

const lineLengthLimit = 500;

/** The result of a search for the model, in the layout that LLxprt and Gemini CLI use. */
export function tellSearch(
  search: Search,
  { pattern, include }: { pattern: string; include?: string | undefined },
  place: Place,
  folder: Place,
): ToolResult {
  const { files, slow, large, stopped } = search;
  const names = (paths: readonly string[]) =>
    paths.map((path) => nameWithin(folder, path)).join(', ');
  if (files.length === 0 && slow.length > 0) return tooSlow(pattern, names(slow));
  const count = files.reduce((sum, file) => sum + file.lines.length, 0);
  const where = `for pattern "${pattern}" in path "${place.name}"${include === undefined ? '' : ` (filter: "${include}")`}`;
  const notes = [
    stopped === 'matches' ? `Stopped after ${matchLimit} matches: narrow the search.` : '',
    slow.length > 0 ? `The pattern took too long on ${names(slow)}.` : '',
    stopped === 'slow' ? 'The search stopped there: simplify the pattern.' : '',
    large.length > 0 ? `Too large to search: ${names(large)}.` : '',
  ].filter(Boolean);
  const note = notes.length > 0 ? `\n[${notes.join(' ')}]` : '';
  if (count === 0) {
    return { llmContent: `No matches found ${where}.${note}`, returnDisplay: 'No matches found' };
  }
  const found = counted(count, 'match', 'matches');
  const blocks = files.map(({ path, lines }) =>
    [
      `File: ${nameWithin(folder, path)}`,
      ...lines.map(({ number, text }) => `L${number}: ${shorten(text, lineLengthLimit)}`),
    ].join('\n'),
  );
  return {
    llmContent: `Found ${found} ${where}:\n---\n${blocks.join('\n---\n')}\n---${note}`,
    returnDisplay: `Found ${found}`,
  };
}

/** Cuts a line that is too long, never inside a character, and notes the cut. */
export function shorten(line: string, limit: number): string {
  if (line.length <= limit) return line;
  const last = line.charCodeAt(limit - 1);
  const end = last >= 0xd800 && last < 0xdc00 ? limit - 1 : limit;
  const more = line.length - end;
  return `${line.slice(0, end)}… [${counted(more, 'more character')}]`;
}
