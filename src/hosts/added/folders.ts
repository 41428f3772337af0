import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { agentsFolders } from '../../settings/files/levels.ts';

/*
 * Agents that are not ours: each is a folder in `~/.hookmachine/agents`, or the administrator's folder of that
 * name, and has a module `index` that exports the agent.
 */

/** Returns the folders of the agents that count; usually there are none. */
export const agentFolders = (): string[] => foldersIn(agentsFolders().counts);

/** Returns the folders of the user's agents that do not count because there are administrator's settings. */
export const ignoredAgentFolders = (): string[] => foldersIn(agentsFolders().ignored);

function foldersIn(folder: string | undefined): string[] {
  try {
    return namesIn(folder)
      .map((name) => join(folder!, name))
      .filter((path) => statSync(path, { throwIfNoEntry: false })?.isDirectory());
  } catch {
    return [];
  }
}

const namesIn = (folder: string | undefined): string[] =>
  folder === undefined
    ? []
    : readdirSync(folder)
        .filter((name) => !name.startsWith('.') && name !== 'node_modules')
        .toSorted();

/** Returns what changes whenever a file of these agents does, as far as their folders show. */
export const stateOfAgents = (): string =>
  JSON.stringify(
    agentFolders().map((folder) => [
      folder,
      ...namesIn(folder).map((name) => {
        const stats = statSync(join(folder, name), { throwIfNoEntry: false });
        return [name, stats?.mtimeMs, stats?.size];
      }),
    ]),
  );
