import { spawn } from 'node:child_process';
import { findProgram, ownFolders } from '../../base/programs.ts';

/** Opens an address in the user's browser. If that fails, the user is told what to do instead. */
export function openInBrowser(url: string, tell: (line: string) => void): void {
  const program = process.platform === 'darwin' ? 'open' : 'xdg-open';
  const failed = (why: string): void =>
    tell(`--open: ${program} ${why}; open the address above yourself`);
  const file = findProgram(program, ownFolders());
  if (file === undefined) return failed('is not installed');
  const child = spawn(file, [url], { detached: true, stdio: 'ignore' });
  child.once('error', ({ message }) => failed(`cannot be run (${message})`));
  child.once('exit', (code) => {
    if (code !== 0 && code !== null) failed(`ended with ${code}`);
  });
  // The browser may be its child, and must outlive us.
  child.unref();
  return undefined;
}
