import { dirname, join, resolve } from 'node:path';
import type { SyntaxNode, WordPart } from 'unbash';
import type { Disk } from './disk.ts';
import { userHome } from '../../base/surroundings.ts';

const mostFolders = 20;

/** Matches the usual ways in which a script finds its own folder. */
const ownFolder = (() => {
  const self = String.raw`"?\$(?:0|\{0\}|BASH_SOURCE|\{BASH_SOURCE(?:\[0\])?\})"?`;
  const folder = String.raw`dirname (?:-- )?${self}`;
  const up = String.raw`((?:\/\.\.)*)`;
  return new RegExp(
    String.raw`^\$\(\s*(?:${folder}|cd (?:-P |-- )*"?\$\(${folder}\)${up}"?${up}(?: *&?>\s*\/dev\/null(?: 2>&1)?)? *&& *pwd(?: -P)?)\s*\)$`,
  );
})();

/** The folders that a command may be in, from which relative names are resolved. */
export class Places {
  readonly disk: Disk;
  readonly home: string | undefined = homeOf();
  readonly #folders: string[];
  /** Folders that the command itself adds to those that programs are looked up in. */
  readonly searched = new Set<string>();
  /** The script whose code is being followed. */
  script: string | undefined;
  /** It has gone to a folder that is not known. */
  isLost = false;

  constructor(cwd: string, disk: Disk) {
    this.#folders = [cwd];
    this.disk = disk;
  }

  get folders(): readonly string[] {
    return this.#folders;
  }

  /** Adds a folder that the command may be in; returns false if there are too many. */
  enter(folder: string): boolean {
    if (this.#folders.includes(folder)) return true;
    if (this.#folders.length >= mostFolders) return false;
    this.#folders.push(folder);
    return true;
  }

  /** Adds folders of the project in which programs or modules are looked up. */
  search(folders: readonly string[]): void {
    for (const folder of folders)
      if (!folder.startsWith('/') || this.disk.isInProject(folder))
        this.searched.add(folder === '' ? '.' : folder);
  }

  /** Returns each path that a name may refer to. */
  pathsOf(name: string): string[] {
    if (name.includes('\0') || name === '') return [];
    return name.startsWith('/') ? [name] : this.#folders.map((folder) => resolve(folder, name));
  }

  /** Returns what a command in `$(…)` prints, if that is a known folder. */
  outputOf(part: WordPart): readonly string[] | undefined {
    if (part.type !== 'CommandExpansion') return undefined;
    const own = this.script === undefined ? null : ownFolder.exec(part.text);
    if (own) return [join(dirname(this.script!), own[1] ?? own[2] ?? '')];
    const words = simpleWords(part.script)?.join(' ');
    if (words === 'pwd' || words === 'pwd -P') return this.#folders;
    if (words !== 'git rev-parse --show-toplevel') return undefined;
    const found = this.#folders.map((folder) => this.disk.repositoryOf(folder));
    return found.every((folder) => folder !== undefined) ? [...new Set(found)] : undefined;
  }
}

function simpleWords(node: SyntaxNode | undefined): string[] | undefined {
  if (node?.type !== 'Script' || node.commands.length !== 1) return undefined;
  const { command } = node.commands[0]!;
  if (command.type !== 'Command' || !command.name || command.prefix.length > 0) return undefined;
  if (command.redirects.some(({ type }) => type !== 'Redirect')) return undefined;
  return [command.name, ...command.args].map((part) => part.text);
}

function homeOf(): string | undefined {
  try {
    return userHome();
  } catch {
    return undefined;
  }
}
