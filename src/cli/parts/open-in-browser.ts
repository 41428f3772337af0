import { messageOf } from '../../base/message-of.ts';
import { findProgram, ownFolders } from '../../base/programs.ts';

/** Opens an address in the user's browser. If that fails, the user is told what to do instead. */
export async function openInBrowser(url: string, tell: (line: string) => void): Promise<void> {
  const program = process.platform === 'darwin' ? 'open' : 'xdg-open';
  const failed = (why: string): void =>
    tell(`--open: ${program} ${why}; open the address above yourself`);
  const file = findProgram(program, ownFolders());
  if (file === undefined) return failed('is not installed');
  const { execa } = await import('execa');
  // The browser may be its child, and must outlive us.
  const opening = execa(file, [url], {
    detached: true,
    cleanup: false,
    stdio: 'ignore',
    reject: false,
  });
  opening.unref();
  const { exitCode, signal, cause } = await opening;
  if (exitCode === undefined && signal === undefined) failed(`cannot be run (${messageOf(cause)})`);
  else if (exitCode !== 0 && exitCode !== undefined) failed(`ended with ${exitCode}`);
}
