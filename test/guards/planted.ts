import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Writes these files below a folder. */
export function plant(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  }
}

/** Makes a repository of a folder, with one commit of these files. */
export function commitIn(folder: string, ...added: readonly string[]): void {
  const as = ['-c', 'user.name=A', '-c', 'user.email=a@b.c', '-c', 'init.defaultBranch=main'];
  for (const args of [['init'], ['add', ...added], ['commit', '-m', 'First']])
    execFileSync('git', [...as, ...args], { cwd: folder, stdio: 'ignore' });
}
