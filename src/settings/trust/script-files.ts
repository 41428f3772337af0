import { readFileSync, realpathSync, statSync } from 'node:fs';
import { join, relative, resolve, sep } from 'node:path';
import { foldersAbove } from '../../base/folders-above.ts';
import type { HookDefinition } from '../../core/definitions/hook-definition.ts';
import { homeFolder, trustFile } from '../files/levels.ts';
import { filesOf } from '../files/policy-files.ts';
import { modulePath } from '../../core/definitions/module-path.ts';
import { isFoundProgram } from './definition.ts';
import { selection, type Selection, tooMany } from './selection.ts';
import { isThere, realOf, scriptFile, type KeepText, type ScriptFile } from './script-file.ts';
import { followCommand } from '../../shell/following/follow.ts';
import { each } from './once.ts';
import type { Followed, Started } from '../../shell/following/followed.ts';
import type { Disk } from '../../shell/following/disk.ts';
import { environment } from '../../base/surroundings.ts';

/** Everything behind a hook's command. */
export interface FoundFiles {
  readonly scripts: readonly ScriptFile[];
  /** Files that the command would use if they existed, by their paths in the project. */
  readonly absent: readonly string[];
  /** Patterns of files that it runs, each with those that match. */
  readonly selected: readonly Selection[];
  /** What cannot be followed. */
  readonly unfollowed: readonly string[];
}

/** The part of a hook that determines which files are behind it. */
type HookOnDisk = Pick<HookDefinition, 'command' | 'args' | 'env'> &
  Partial<Pick<HookDefinition, 'type' | 'place' | 'cwd' | 'entities'>>;

const mostFiles = 1_000;

/**
 * Finds the files behind a hook's command by reading the command as a shell would.
 *
 * Covered: every file that the command runs, passes to an interpreter or reads, if it names the file
 * literally or through variables that are set literally; also files that do not exist now and would be used
 * if they did. Shell scripts are followed in the same way. A link counts together with the file it leads to.
 * Of programs that other files tell what to run (`npm`, `make`, `git`), those files count. What is not literal,
 * or belongs to a program that we do not know, is reported.
 *
 * Not covered: what files in other languages load, the sources that a program checks or compiles, packages,
 * programs from the user's `PATH`, other files outside the project, files that a script only reads, and files
 * that the command itself writes to and does not run (`>> audit.log`), which would change with every run.
 */
export async function scriptFiles(
  hook: HookOnDisk,
  cwd: string,
  keep?: KeepText,
  once = each,
): Promise<FoundFiles> {
  const project = { cwd, real: realpathSync.native(cwd) };
  const followed = followHook(hook, project);
  const found = new Map<string, ScriptFile>();
  const absent = new Set<string>();
  const unfollowed = [...followed.unfollowed];
  const written = new Set([...followed.written].flatMap((path) => realOf(path) ?? []));
  const looked = await Promise.all(
    [...followed.patterns].map((pattern) => selection(project.real, shownPath(pattern, project))),
  );
  const selected = looked.map(({ isPartial: _, ...one }) => one);
  unfollowed.push(...looked.filter(({ isPartial }) => isPartial).map(tooMany));
  const wanted = new Set([
    ...followed.scripts,
    ...selected.flatMap(({ files }) => files.map((file) => join(project.real, file))),
    ...[...followed.data].filter((path) => !written.has(realOf(path) ?? path)),
    ...followed.manifests,
  ]);
  if (wanted.size > mostFiles) unfollowed.push(`it names more than ${mostFiles} files`);
  for (const path of [...wanted].slice(0, mostFiles)) {
    const shown = shownPath(path, project);
    const script = await scriptFile(path, shown, keep, once);
    const isManifest = followed.manifests.has(path) && !followed.scripts.has(path);
    if (script !== undefined) found.set(shown, isManifest ? { ...script, isManifest } : script);
    else if (!isThere(path) && isName.test(shown) && !followed.written.has(path)) absent.add(shown);
  }
  return {
    scripts: [...found.values()].toSorted((one, other) => (one.path < other.path ? -1 : 1)),
    absent: [...absent].toSorted(),
    selected,
    unfollowed,
  };
}

/**
 * Returns the paths of the files that a hook's command runs or reads, as far as its command tells, and for a
 * project's hook also that of the user's trust file: a process started before one of them changed is out of
 * date.
 */
export function filesBehind(
  hook: HookOnDisk & Pick<HookDefinition, 'source'>,
  cwd: string,
): readonly string[] {
  const { scripts, data, written, manifests } = followHook(hook, {
    cwd,
    real: realpathSync.native(cwd),
  });
  const record = hook.source === 'project' ? trustFile() : undefined;
  return [
    ...scripts,
    ...manifests,
    ...[...data].filter((path) => !written.has(path)),
    ...(record === undefined ? [] : [record]),
  ];
}

export type { Started };

/**
 * Returns the programs and scripts that a hook's command and its shell scripts start by a literal name and
 * need: without those that they look for first, or can do without.
 */
export function neededBy(hook: HookOnDisk, cwd: string): readonly Started[] {
  const { started, lookedFor, definesUnknown } = followHook(hook, {
    cwd,
    real: realpathSync.native(cwd),
  });
  return started.filter(
    ({ name, paths, isOptional }) =>
      !isOptional && !lookedFor.has(name) && !(definesUnknown && paths.length === 0),
  );
}

/**
 * Returns the files that say what a hook runs and that are edited for other reasons, too, by their paths in
 * the project.
 */
export const manifestsOf = (hook: HookOnDisk, cwd: string): readonly string[] => {
  const project = { cwd, real: realpathSync.native(cwd) };
  const { manifests, scripts } = followHook(hook, project);
  return [...manifests]
    .filter((path) => kindOf(path) === 'file' && !scripts.has(path) && !path.includes('/.git/'))
    .map((path) => shownPath(path, project));
};

/** Follows a hook to its files, depending on its type. */
function followHook(hook: HookOnDisk, project: Project): Followed {
  const { type = 'command', command, args, env, place = '', cwd = '', entities } = hook;
  switch (type) {
    case 'http':
    case 'acs':
    case 'prompt':
    case 'function':
      return named();
    case 'cedar': {
      const paths = filesOf({ command, entities }, project.real);
      const at = resolve(project.real, command);
      // A policy that goes away matters as much as one that comes.
      const patterns = kindOf(at) === 'folder' ? [join(at, '**', '*.cedar')] : [];
      return { ...named({ name: command, paths }), patterns: new Set(patterns) };
    }
    case 'module':
      return named({
        name: command,
        paths: [modulePath({ command, cwd: project.real, env: { ...foldersOf(project), ...env } })],
        by: 'node',
      });
    case 'command':
    case 'live':
    case 'plugin':
      // A found program's command is just its file, spaces and all.
      if (args && isFoundProgram({ args, place }))
        return named({ name: command, paths: [command] });
      return follow(
        { text: args ? [command, ...args].map(quoted).join(' ') : command, cwd },
        env,
        project,
      );
  }
}

const quoted = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;

const named = (...started: Started[]): Followed => ({
  started,
  scripts: new Set(started.flatMap(({ paths }) => paths)),
  data: new Set(),
  written: new Set(),
  manifests: new Set(),
  patterns: new Set(),
  lookedFor: new Set(),
  definesUnknown: false,
  unfollowed: [],
});

interface Project {
  readonly cwd: string;
  readonly real: string;
}

function follow(
  { text, cwd: folderIn }: { readonly text: string; readonly cwd: string },
  env: Readonly<Record<string, string>>,
  { cwd, real }: Project,
): Followed {
  const folder = foldersOf({ cwd });
  const { PATH } = environment();
  const home = homeFolder();
  const own = {
    ...folder,
    ...(PATH !== undefined && { PATH }),
    ...(home !== undefined && { HOME: home }),
  };
  // Relative names start from the folder's real path, as they do for the hook's process.
  return followCommand(text, resolve(real, folderIn), { own, given: env }, disk({ cwd, real }));
}

/** The variables that name the project's folder. */
const foldersOf = ({ cwd }: Pick<Project, 'cwd'>): Readonly<Record<string, string>> =>
  Object.fromEntries(projectVariables.map((name) => [name, cwd]));

const projectVariables = [
  'HOOKMACHINE_PROJECT_DIR',
  'LLXPRT_PROJECT_DIR',
  'GEMINI_PROJECT_DIR',
  'GEMINI_CWD',
  'QWEN_PROJECT_DIR',
  'CLAUDE_PROJECT_DIR',
  'COPILOT_PROJECT_DIR',
  'PWD',
];

/** Matches a word that could be the name of a file. */
const isName = /^[^\n{}()$`"'|;<>*?\\]{1,255}$/;

const disk = (project: Project): Disk => ({
  isFolder: (path) => kindOf(path) === 'folder',
  isFile: (path) => kindOf(path) === 'file',
  read: (path) => {
    try {
      return kindOf(path) === 'file' && statSync(path).size < 1_000_000
        ? readFileSync(path, 'utf8')
        : undefined;
    } catch {
      return undefined;
    }
  },
  repositoryOf: (folder) => foldersAbove(folder).find((at) => isThere(join(at, '.git'))),
  isInProject: (path) =>
    [project.cwd, project.real].some((folder) => isInside(folder, path)) ||
    isInside(project.real, realOf(path) ?? ''),
});

function kindOf(path: string): 'file' | 'folder' | undefined {
  try {
    const stats = statSync(path, { throwIfNoEntry: false });
    return stats?.isFile() ? 'file' : stats?.isDirectory() ? 'folder' : undefined;
  } catch {
    return undefined;
  }
}

function shownPath(path: string, { cwd, real }: Project): string {
  const root = [cwd, real].find((folder) => isInside(folder, path));
  return relative(root ?? real, path);
}

const isInside = (folder: string, path: string): boolean =>
  path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
