import { z } from 'zod';
import { wholePath } from '../../base/folders.ts';
import { guardedTool } from '../guards/guarded-tool.ts';
import type { Tool } from '../loop/tool.ts';
import { inProject } from './in-project.ts';
import { filePathNames, givenPath, needsFilePath } from './path-arguments.ts';
import { writeTextFile } from './text-file.ts';

const parameters = z
  .object({ ...filePathNames, content: z.string().describe('The whole content of the file.') })
  .refine(...needsFilePath('write_file'));

/** Writes a whole file of the project. */
export const writeFile: Tool<z.infer<typeof parameters>> = guardedTool({
  name: 'write_file',
  description:
    'Writes a file of the project, replacing all of it if it exists. Folders that are missing are created.',
  parameters,
  writes: (input, cwd) => [{ path: wholePath(givenPath(input)!, cwd) }],
  execute: (input, { cwd }) =>
    inProject(cwd, givenPath(input)!, async (place) => {
      const written = await writeTextFile(place, input.content);
      if (written.kind === 'refused') return written.result;
      const message =
        written.kind === 'created'
          ? `Successfully created and wrote to new file: ${place.name}.`
          : `Successfully overwrote file: ${place.name}.`;
      return { llmContent: message, returnDisplay: message };
    }),
});
