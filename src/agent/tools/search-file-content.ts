import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { z } from 'zod';
import { errorResult } from '../../core/protocol/tool-result.ts';
import type { Tool } from '../loop/tool.ts';
import { namePattern } from './glob-pattern.ts';
import { inProject } from './in-project.ts';
import { matchingLines } from './matching-lines.ts';
import { allowsFolderPath, folderPathNames, givenPath } from './path-arguments.ts';
import { folderOf } from './paths.ts';
import { cancelled, tooSlow } from './refusals.ts';
import { matchLimit, searchFiles } from './search-files.ts';
import { tellSearch } from './tell-search.ts';
import { skippedFolders, walk } from './walk.ts';

const parameters = z
  .object({
    pattern: z
      .string()
      .min(1)
      .max(1000)
      .describe('A JavaScript regular expression, tried on each line, without regard to case.'),
    ...folderPathNames,
    include: z
      .string()
      .min(1)
      .max(1000)
      .optional()
      .describe(
        'A glob pattern for the files to search, for example "*.ts" (in any folder) or "src/**".',
      ),
  })
  .refine(...allowsFolderPath('search_file_content'));

/** Finds the lines of the project's files that match a regular expression. */
export const searchFileContent: Tool<z.infer<typeof parameters>> = {
  name: 'search_file_content',
  description: `Finds the lines of the project's text files that match a regular expression. path may be a folder or a single file. Binary files, ${skippedFolders} are skipped, links are not followed, and at most ${matchLimit} lines are shown.`,
  parameters,
  idempotent: true,
  execute: (input, { cwd, signal }) =>
    inProject(cwd, givenPath(input) ?? '.', async (place) => {
      const { pattern, include } = input;
      let regex: RegExp;
      try {
        regex = new RegExp(pattern, 'i');
      } catch (error) {
        return errorResult(
          `The pattern is not a JavaScript regular expression: ${(error as Error).message}.`,
          'invalid_pattern',
        );
      }
      const isFolder = (await stat(place.path)).isDirectory();
      const folder = isFolder ? place : folderOf(place);
      let files = isFolder ? await walk(folder.path, signal) : [basename(place.path)];
      if (include !== undefined) {
        const matching = matchingLines(namePattern(include), files);
        if (matching.kind === 'tooSlow') return tooSlow(include, `the paths in ${place.name}`);
        files = matching.indexes.map((index) => files[index]!);
      }
      const search = await searchFiles(regex, folder.path, files, signal);
      if (signal.aborted) return cancelled('search_file_content');
      return tellSearch(search, input, place, folder);
    }),
};
