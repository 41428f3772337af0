import type { Tool } from '../loop/tool.ts';
import { glob } from './glob.ts';
import { listDirectory } from './list-directory.ts';
import { readFile } from './read-file.ts';
import { replace } from './replace.ts';
import { runShellCommand } from './run-shell-command.ts';
import { searchFileContent } from './search-file-content.ts';
import { writeFile } from './write-file.ts';

/** The tools that every agent has, by name, with LLxprt's and Gemini CLI's names and arguments. */
export function builtInTools(): ReadonlyMap<string, Tool> {
  const tools: readonly Tool[] = [
    readFile,
    writeFile,
    replace,
    listDirectory,
    glob,
    searchFileContent,
    runShellCommand,
  ];
  return new Map(tools.map((tool) => [tool.name, tool]));
}
