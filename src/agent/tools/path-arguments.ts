import { z } from 'zod';

const optional = (description: string) => z.string().optional().describe(description);

const folder = (what: string) =>
  optional(
    `${what}, relative to the project folder or absolute inside it. Default: the project folder.`,
  );

/** The names under which a tool takes the path of a file. */
export const filePathNames = {
  file_path: optional('The file, relative to the project folder or absolute inside it.'),
  absolute_path: optional('Another name for file_path.'),
  path: optional('Another name for file_path.'),
};

/** The names under which a tool takes the path of a folder to read. */
export const folderPathNames = {
  path: folder('The folder'),
  dir_path: optional('Another name for path.'),
};

/** The names under which a tool takes the folder to work in. */
export const workingFolderNames = {
  directory: folder('The folder to run in'),
  dir_path: optional('Another name for directory.'),
};

type Names = 'file_path' | 'absolute_path' | 'path' | 'directory' | 'dir_path';
type Paths = { readonly [name in Names]?: string | undefined };

/** The path that the arguments give, under any name. */
export function givenPath(input: Paths): string | undefined {
  return allGiven(input)[0];
}

function allGiven(input: Paths): string[] {
  const { file_path, absolute_path, path, directory, dir_path } = input;
  const paths = [file_path, absolute_path, path, directory, dir_path];
  return [...new Set(paths.filter((given): given is string => Boolean(given)))];
}

type Rule = [isMet: (input: Paths) => boolean, params: z.core.$ZodCustomParams];

/** Requires a file path. Two different ones are refused, because a hook may have judged the other one. */
export const needsFilePath = (tool: string): Rule => [
  (input) => allGiven(input).length === 1,
  {
    when,
    path: ['file_path'],
    error: ({ input }) =>
      allGiven(input as Paths).length === 0
        ? `${tool} needs file_path (or absolute_path, path)`
        : several(tool),
  },
];

/** Allows the folder path to be omitted, but not two different ones. */
export const allowsFolderPath = (tool: string): Rule => [
  (input) => allGiven(input).length <= 1,
  { when, path: ['dir_path'], error: several(tool) },
];

const several = (tool: string) => `${tool} got different paths under different names: give one`;

/** Reports a missing path together with any other problem, not one call later. */
const when = ({ value }: { value: unknown }) => typeof value === 'object' && value !== null;
