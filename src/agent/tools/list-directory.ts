import type { Dirent } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { z } from 'zod';
import type { ToolResult } from '../../core/protocol/tool-result.ts';
import type { Tool } from '../loop/tool.ts';
import { namePattern } from './glob-pattern.ts';
import { inProject } from './in-project.ts';
import { matchingLines } from './matching-lines.ts';
import { allowsFolderPath, folderPathNames, givenPath } from './path-arguments.ts';
import type { Place } from './paths.ts';
import { notAFolder, tooSlow } from './refusals.ts';

const entryLimit = 1000;

const parameters = z
  .object({
    ...folderPathNames,
    ignore: z
      .array(z.string().min(1).max(1000))
      .optional()
      .describe('Glob patterns of names to leave out, for example ["*.log"].'),
  })
  .refine(...allowsFolderPath('list_directory'));

/** Lists the direct entries of a folder of the project. */
export const listDirectory: Tool<z.infer<typeof parameters>> = {
  name: 'list_directory',
  description: `Lists the names directly in a folder of the project: folders first, marked [DIR]; links marked [LINK]. At most ${entryLimit} names are shown.`,
  parameters,
  idempotent: true,
  execute: (input, { cwd }) =>
    inProject(cwd, givenPath(input) ?? '.', async (place) => {
      if (!(await stat(place.path)).isDirectory()) return notAFolder(place);
      const entries = await readdir(place.path, { withFileTypes: true });
      const names = entries.map((entry) => entry.name);
      const ignored = new Set<number>();
      for (const pattern of input.ignore ?? []) {
        const matching = matchingLines(namePattern(pattern), names);
        if (matching.kind === 'tooSlow') return tooSlow(pattern, `the names in ${place.name}`);
        for (const index of matching.indexes) ignored.add(index);
      }
      const kept = entries.filter((_, index) => !ignored.has(index));
      return show(kept, ignored.size, place);
    }),
};

function show(entries: readonly Dirent[], ignored: number, { name }: Place): ToolResult {
  const note = ignored === 0 ? '' : ` (${ignored} ignored)`;
  if (entries.length === 0) {
    return {
      llmContent: `Directory ${name} is empty${note}.`,
      returnDisplay: `Directory is empty${note}.`,
    };
  }
  const lines = entries.toSorted(foldersFirst).map((entry) => `${mark(entry)}${entry.name}`);
  const more = lines.length > entryLimit ? `\n[${lines.length - entryLimit} more not shown]` : '';
  return {
    llmContent: `Directory listing for ${name}${note}:\n${lines.slice(0, entryLimit).join('\n')}${more}`,
    returnDisplay: `Listed ${lines.length} item(s)${note}.`,
  };
}

const foldersFirst = (a: Dirent, b: Dirent): number =>
  Number(b.isDirectory()) - Number(a.isDirectory()) || (a.name < b.name ? -1 : 1);

function mark(entry: Dirent): string {
  if (entry.isDirectory()) return '[DIR] ';
  return entry.isSymbolicLink() ? '[LINK] ' : '';
}
