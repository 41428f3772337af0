import { realpathSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join, relative, resolve, sep } from 'node:path';
import type { HookDefinition } from '../settings/hook-definition.ts';
import { commandWords } from './command-words.ts';
import { digestFile } from './digest-file.ts';

/** A file that a hook's command names. */
export interface ScriptFile {
  /** As the project sees it, such as `.llxprt/check.sh`. */
  readonly path: string;
  /** Where its links lead. */
  readonly realPath: string;
  readonly size: number;
  /** Of its contents; '' when it cannot be read. */
  readonly sha256: string;
}

/**
 * The script files behind a hook's command.
 *
 * Covered: every word of the command that names an existing file inside the project (`check.sh`,
 * `./check.sh`, `$LLXPRT_PROJECT_DIR/check.sh`, `"$(pwd)/check.sh"`, `node check.mjs`, `bash -e
 * check.sh`, `jq -f check.jq`, `--require=./check.cjs`), or one outside of it by a relative path; also
 * in the words of `bash -c '…'` and `$(…)`, after `cd folder &&`, and through variables that the
 * command itself sets. A link counts with the file it leads to.
 *
 * Not covered: what those files load in their turn, programs from `PATH` and other files outside of
 * the project, whole folders (`run-parts hooks.d`) and patterns (`hooks.d/*.sh`), what a package
 * manager or make looks up (`npm run check`), and files that the command itself writes to
 * (`>> audit.log`, `tee`), which would change with every run. A file that is changed in the instant
 * between this look and the start of the hook is not noticed.
 */
export function scriptFiles(
  { command, args, env }: Pick<HookDefinition, 'command' | 'args' | 'env'>,
  cwd: string,
): ScriptFile[] {
  const project = { cwd, real: realpathSync(cwd) };
  // A program's file is the whole of its command, blanks and all.
  if (args) return [scriptFile(command, false, project)].filter((script) => script !== undefined);
  const folder = Object.fromEntries(projectVariables.map((name) => [name, cwd]));
  const words = commandWords(command, { ...process.env, ...env, ...folder });
  // Relative names go from where the folder really is, as they do for the hook's process.
  const bases = [project.real];
  for (const { text, command: changes } of words)
    if ((changes === 'cd' || changes === 'pushd') && text !== changes && bases.length < mostFolders)
      bases.push(resolve(project.real, text), resolve(bases.at(-1)!, text));
  const scripts = new Map<string, ScriptFile>();
  const written = new Set<string>();
  for (const { text, isWritten } of words)
    for (const [path, isRelative] of pathsOf(text, bases)) {
      const script = scriptFile(path, isRelative, project);
      if (script === undefined) continue;
      if (isWritten) written.add(script.realPath);
      scripts.set(script.path, script);
    }
  return [...scripts.values()]
    .filter(({ realPath }) => !written.has(realPath))
    .toSorted((one, other) => (one.path < other.path ? -1 : 1));
}

const projectVariables = ['LLXPRT_PROJECT_DIR', 'GEMINI_PROJECT_DIR', 'CLAUDE_PROJECT_DIR', 'PWD'];

const mostFolders = 20;

/** Where a file that a word names may be, and whether by a relative path. */
function pathsOf(word: string, bases: readonly string[]): Map<string, boolean> {
  const paths = new Map<string, boolean>();
  if (word.length > longestPath) return paths;
  const names = new Set([word, word.slice(word.indexOf('=') + 1), ...word.split(/[=:,@]/)]);
  // An option and its value in one word, such as `-r./check.cjs`.
  if (/^-\w./.test(word)) names.add(word.slice(2));
  for (const name of names)
    if (name !== '' && !name.includes('\0')) {
      if (isAbsolute(name)) paths.set(resolve(name), false);
      if (name.startsWith('~/')) paths.set(join(homedir(), name.slice(2)), false);
      // An absolute name too: before it may have stood what nobody but a shell can know, such as
      // `$(git rev-parse --show-toplevel)`.
      for (const base of bases) paths.set(join(base, name), !isAbsolute(name));
    }
  return paths;
}

const longestPath = 4_096;

function scriptFile(
  path: string,
  isRelative: boolean,
  project: { readonly cwd: string; readonly real: string },
): ScriptFile | undefined {
  try {
    if (!statSync(path, { throwIfNoEntry: false })?.isFile()) return undefined;
    const realPath = realpathSync(path);
    const root = [project.cwd, project.real].find((folder) => isInside(folder, path));
    if (root === undefined && !isInside(project.real, realPath) && !isRelative) return undefined;
    const shown = relative(root ?? project.real, path);
    try {
      const digest = digestFile(realPath);
      return digest && { path: shown, realPath, size: digest.size, sha256: digest.sha256 };
    } catch {
      return { path: shown, realPath, size: 0, sha256: '' };
    }
  } catch {
    // Nothing is there that could be run, or nobody may look at it.
    return undefined;
  }
}

const isInside = (folder: string, path: string): boolean =>
  path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
