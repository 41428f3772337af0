import { realpathSync } from 'node:fs';
import { basename, delimiter, isAbsolute, join } from 'node:path';
import type {
  Installation,
  InstallSite,
  RelayCall,
  Scope,
} from '../../core/dialects/installation.ts';
import { isExecutable } from '../../base/programs.ts';
import { shellWord } from '../../base/shell-word.ts';

/** How a host's hooks start our command, as shell text. */
export interface OwnCommand {
  readonly command: string;
  /** A remark for the user. */
  readonly note?: string;
}

/** The command with which hooks of a host call its relay; with `defers`, it defers what hooks ask about. */
export const relayCall =
  ({ command }: OwnCommand, host: string, defers = false): RelayCall =>
  (event) =>
    [
      command,
      'relay',
      host,
      ...(event === undefined ? [] : [event]),
      ...(defers ? ['--defer'] : []),
    ].join(' ');

/** Returns how hosts call the relay of the package that runs now, from what `ownCommand` returns. */
export const ownCalls =
  (site: InstallSite, script: string) =>
  (
    host: string,
    scope: Scope,
    { runsInProject }: Pick<Installation, 'runsInProject'>,
  ): RelayCall | undefined => {
    const own = ownCommand(site, scope, runsInProject === true, script);
    return own && relayCall(own, host);
  };

/**
 * Returns how hooks find the package that runs now: by its name if that is what the user's PATH finds (in the
 * user's own entries, by the path found there), in the project if it is a dependency there and hooks run
 * there, or else by its whole path. Another program of the
 * same name is never named. Undefined for a copy that will not last, such as one that npx has fetched.
 */
export function ownCommand(
  { cwd, env }: InstallSite,
  scope: Scope,
  runsInProject: boolean,
  script: string,
): OwnCommand | undefined {
  const folders = (env['PATH'] ?? '').split(delimiter).filter((folder) => isAbsolute(folder));
  const lasting = folders.filter(
    (folder) => !/[\\/](?:node_modules[\\/]\.bin|_npx)\b/.test(folder),
  );
  // Whichever of them was started, the one without an ending takes events to the warm process.
  const starter = script.replace(/\.cjs$/, '');
  const ours = [script, starter].map(realOf);
  const isOurs = (file: string): boolean => isExecutable(file) && ours.includes(realOf(file));
  const found = lasting.map((folder) => join(folder, name)).find(isExecutable);
  // Where the agent runs, a project may put a program of this name before ours.
  if (found !== undefined && isOurs(found))
    return { command: scope === 'user' ? shellWord(found) : name };
  const inProject = inPackages.find((file) => isOurs(join(cwd, file)));
  if (scope === 'project' && runsInProject && inProject !== undefined)
    return {
      command: inProject,
      note: 'everyone who works in this project needs its dependencies installed (npm install)',
    };
  if (/[\\/]_npx[\\/]/.test(script)) return undefined;
  if (!/^hookmachine(?:\.cjs)?$/.test(basename(script)))
    return { command: name, note: `${name} must be in PATH where the agent runs` };
  const own = isExecutable(starter) ? starter : script;
  return {
    command: shellWord(own),
    ...(scope === 'project' && {
      note: `the entries name ${own}, which others who work in this project may not have: install hookmachine for them too`,
    }),
  };
}

const name = 'hookmachine';

/** Where a dependency of the project is; pnpm's `.bin` holds scripts that lead there, and no links. */
const inPackages = [join('node_modules', '.bin', name), join('node_modules', name, 'dist', name)];

function realOf(file: string): string | undefined {
  try {
    return realpathSync(file);
  } catch {
    return undefined;
  }
}
