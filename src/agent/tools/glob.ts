import { stat } from 'node:fs/promises';
import { z } from 'zod';
import { errorResult } from '../../core/protocol/tool-result.ts';
import type { Tool } from '../loop/tool.ts';
import { globPattern } from './glob-pattern.ts';
import { inProject } from './in-project.ts';
import { matchingLines } from './matching-lines.ts';
import { allowsFolderPath, folderPathNames, givenPath } from './path-arguments.ts';
import { nameWithin } from './paths.ts';
import { cancelled, notAFolder, tooSlow } from './refusals.ts';
import { skippedFolders, walk } from './walk.ts';

const fileLimit = 1000;

const parameters = z
  .object({
    pattern: z
      .string()
      .min(1)
      .max(1000)
      .describe('The glob pattern, relative to path, for example "**/*.ts" or "docs/*.md".'),
    ...folderPathNames,
    case_sensitive: z
      .boolean()
      .optional()
      .describe('Whether matching is case-sensitive. Default: false.'),
  })
  .refine(...allowsFolderPath('glob'));

/** Finds files of the project by a path pattern. */
export const glob: Tool<z.infer<typeof parameters>> = {
  name: 'glob',
  description: `Finds files of the project whose paths match a glob pattern, in alphabetical order, relative to the project folder. ${skippedFolders} are skipped, links are not followed, and at most ${fileLimit} files are shown.`,
  parameters,
  idempotent: true,
  execute: (input, { cwd, signal }) =>
    inProject(cwd, givenPath(input) ?? '.', async (place) => {
      const { pattern } = input;
      if (pattern.startsWith('/') || pattern.split('/').includes('..')) {
        return errorResult(
          `The pattern ${pattern} would leave the project ${cwd}. Give it relative to path, without a leading slash and without "..".`,
          'path_outside_project',
        );
      }
      if (!(await stat(place.path)).isDirectory()) return notAFolder(place);
      const files = await walk(place.path, signal);
      if (signal.aborted) return cancelled('glob');
      const regex = globPattern(pattern, { caseSensitive: input.case_sensitive ?? false });
      const matching = matchingLines(regex, files);
      if (matching.kind === 'tooSlow') return tooSlow(pattern, `the paths in ${place.name}`);
      const found = matching.indexes.length;
      if (found === 0) {
        return {
          llmContent: `No files found matching pattern "${pattern}" within ${place.name}.`,
          returnDisplay: 'No files found',
        };
      }
      const shown = matching.indexes
        .slice(0, fileLimit)
        .map((index) => nameWithin(place, files[index]!));
      const more =
        found > fileLimit ? `\n[${found - fileLimit} more not shown: narrow it down]` : '';
      return {
        llmContent: `Found ${found} file(s) matching "${pattern}" within ${place.name}:\n${shown.join('\n')}${more}`,
        returnDisplay: `Found ${found} matching file(s)`,
      };
    }),
};
