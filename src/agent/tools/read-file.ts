import { z } from 'zod';
import { errorResult, type ToolResult } from '../../core/protocol/tool-result.ts';
import type { Tool } from '../loop/tool.ts';
import { inProject } from './in-project.ts';
import { filePathNames, givenPath, needsFilePath } from './path-arguments.ts';
import type { Place } from './paths.ts';
import { shorten } from './tell-search.ts';
import { noText, readTextFile } from './text-file.ts';
import { counted } from '../../base/counted.ts';

const lineLimit = 2000;
const lineLengthLimit = 2000;

const parameters = z
  .object({
    ...filePathNames,
    offset: z.int().min(0).optional().describe('The line to start at; the first line is 0.'),
    limit: z.int().min(1).optional().describe(`How many lines to read. Default: ${lineLimit}.`),
  })
  .refine(...needsFilePath('read_file'));

/** Reads all or part of a text file of the project. */
export const readFile: Tool<z.infer<typeof parameters>> = {
  name: 'read_file',
  description: `Reads a text file of the project. Without a limit, at most ${lineLimit} lines are shown; offset and limit page through a longer file. What was left out is stated.`,
  parameters,
  idempotent: true,
  execute: (input, { cwd }) =>
    inProject(cwd, givenPath(input)!, async (place) => {
      const file = await readTextFile(place.path);
      return file.kind === 'text' ? show(file.text, place, input) : noText(file.kind, place);
    }),
};

function show(
  text: string,
  { name }: Place,
  { offset = 0, limit = lineLimit }: z.infer<typeof parameters>,
): ToolResult {
  const lines = linesOf(text);
  if (offset > 0 && offset >= lines.length) {
    return errorResult(
      `${name} has ${counted(lines.length, 'line')}, so there is nothing at offset ${offset}. Give a smaller offset.`,
      'invalid_tool_params',
    );
  }
  const end = Math.min(offset + limit, lines.length);
  const part = lines.slice(offset, end);
  const isWhole = part.length === lines.length;
  if (isWhole && part.every((line) => line.length <= lineLengthLimit)) {
    return { llmContent: text, returnDisplay: `Read ${name} (${counted(lines.length, 'line')}).` };
  }
  const notes = [
    `Lines ${offset + 1} to ${end} of the ${counted(lines.length, 'line')} of ${name}.`,
    end < lines.length ? `Read on with offset ${end}.` : '',
    part.some((line) => line.length > lineLengthLimit)
      ? `Lines longer than ${lineLengthLimit} characters are cut.`
      : '',
  ].filter(Boolean);
  const shown = part.map((line) => shorten(line, lineLengthLimit));
  return {
    llmContent: `[${notes.join(' ')}]\n${shown.join('\n')}`,
    returnDisplay: `Read lines ${offset + 1} to ${end} of ${lines.length} of ${name}.`,
  };
}

/** A newline ends a line; it does not start an empty one after it. */
function linesOf(text: string): string[] {
  const lines = text.split(/\r?\n/);
  if (lines.at(-1) === '') lines.pop();
  return lines;
}
