import { z } from 'zod';
import { errorResult, type ToolResult } from '../../core/protocol/tool-result.ts';
import { wholePath } from '../../base/folders.ts';
import { guardedTool } from '../guards/guarded-tool.ts';
import type { Tool } from '../loop/tool.ts';
import { inProject } from './in-project.ts';
import { filePathNames, givenPath, needsFilePath } from './path-arguments.ts';
import type { Place } from './paths.ts';
import { noText, readTextFile, type TextFile, writeTextFile } from './text-file.ts';
import { counted } from '../../base/counted.ts';

const parameters = z
  .object({
    ...filePathNames,
    old_string: z
      .string()
      .describe(
        'The exact text to replace, with enough around it to be unique. Empty: create the file.',
      ),
    new_string: z.string().describe('The exact text to put in its place.'),
    expected_replacements: z
      .int()
      .min(1)
      .optional()
      .describe('How often old_string occurs; all are replaced. Default: 1.'),
  })
  .refine(...needsFilePath('replace'));

type Input = z.infer<typeof parameters>;

/** Replaces text in a file of the project. */
export const replace: Tool<Input> = guardedTool({
  name: 'replace',
  description:
    'Replaces text in a file of the project. old_string must occur exactly expected_replacements times, or nothing is changed. With an empty old_string a new file is created.',
  parameters,
  writes: (input, cwd) => [{ path: wholePath(givenPath(input)!, cwd) }],
  execute: (input, { cwd }) =>
    inProject(cwd, givenPath(input)!, async (place) => {
      const file = await readIfThere(place.path);
      if (input.old_string === '') return create(file, place, input.new_string);
      if (file === undefined) {
        return errorResult(
          `${place.name} does not exist. Check the path, or give an empty old_string to create it.`,
          'file_not_found',
        );
      }
      if (file.kind !== 'text') return noText(file.kind, place);
      if (!file.exact) {
        return errorResult(
          `${place.name} is not UTF-8, so editing it as text would spoil it. Use run_shell_command with a program that keeps its encoding.`,
          'not_utf8',
        );
      }
      return edit(file.text, place, input);
    }),
});

async function readIfThere(path: string): Promise<TextFile | undefined> {
  try {
    return await readTextFile(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

async function create(
  file: TextFile | undefined,
  place: Place,
  content: string,
): Promise<ToolResult> {
  if (file !== undefined) {
    return errorResult(
      `${place.name} already exists, and an empty old_string creates a new file. Give the text to replace, or use write_file.`,
      'attempt_to_create_existing_file',
    );
  }
  const written = await writeTextFile(place, content);
  if (written.kind === 'refused') return written.result;
  const message = `Created new file: ${place.name} with provided content.`;
  return { llmContent: message, returnDisplay: message };
}

async function edit(text: string, place: Place, input: Input): Promise<ToolResult> {
  const oldText = inEndingsOf(text, input.old_string);
  const newText = inEndingsOf(text, input.new_string);
  if (oldText === newText) {
    return errorResult(
      `Nothing to change in ${place.name}: old_string and new_string are the same.`,
      'edit_no_change',
    );
  }
  const parts = text.split(oldText);
  const found = parts.length - 1;
  const { expected_replacements: expected = 1 } = input;
  if (found === 0) {
    return errorResult(
      `Failed to edit ${place.name}: old_string was not found in it. Read the file and give the text exactly, including whitespace and indentation.`,
      'edit_no_occurrence_found',
    );
  }
  if (found !== expected) {
    return errorResult(
      `Failed to edit ${place.name}: expected ${times(expected)} of old_string but found ${found}. Give more of the text around it, or set expected_replacements to ${found}.`,
      'edit_expected_occurrence_mismatch',
    );
  }
  const written = await writeTextFile(place, parts.join(newText));
  if (written.kind === 'refused') return written.result;
  const message = `Successfully modified file: ${place.name} (${counted(found, 'replacement')}).`;
  return { llmContent: message, returnDisplay: message };
}

const times = (count: number) => counted(count, 'occurrence');

/**
 * Models write `\n`; in a file with only `\r\n` line ends, the text must still match and the ends must not
 * mix.
 */
function inEndingsOf(text: string, snippet: string): string {
  const isWindows = text.includes('\r\n') && !/(?<!\r)\n/.test(text);
  return isWindows ? snippet.replaceAll(/\r?\n/g, '\r\n') : snippet;
}
