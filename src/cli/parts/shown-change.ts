import { createTwoFilesPatch, FILE_HEADERS_ONLY } from 'diff';
import type { InstallSite, Scope } from '../../core/dialects/installation.ts';
import type { FileChange } from '../../hosts/install/change.ts';
import { homeFolder } from '../../settings/files/levels.ts';
import { CommandFailure } from '../../hosts/relay/failure.ts';
import { type Colours, painted } from './paint.ts';
import { printable } from './printable.ts';
import { projectFolder } from './project-folder.ts';

/** Where a host's file is changed. */
export function siteOf({
  cwd,
  scope,
}: {
  readonly cwd: string;
  readonly scope: Scope;
}): InstallSite {
  const home = homeFolder();
  if (home === undefined && scope === 'user')
    throw new CommandFailure("there is no home folder for the user's settings: set HOME");
  return { cwd: projectFolder(cwd), home: home ?? '', env: process.env };
}

/** A change to a file, as a patch. */
export const diffOf = ({
  file,
  before,
  after = '',
}: Pick<FileChange, 'file' | 'before' | 'after'>): string =>
  createTwoFilesPatch(
    before === '' ? '/dev/null' : file,
    after === '' ? '/dev/null' : file,
    before,
    after,
    undefined,
    undefined,
    { context: 3, headerOptions: FILE_HEADERS_ONLY },
  );

/** Prints a line, or several. */
export function say(text: string, colours: Colours = []): void {
  process.stdout.write(`${painted(printable(text.trimEnd()), colours)}\n`);
}
