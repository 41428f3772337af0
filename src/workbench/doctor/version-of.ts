import { execFile } from 'node:child_process';

const patience = 10_000;

/** Returns the version that a program prints; undefined if it prints none. */
export const versionOf = (program: string): Promise<string | undefined> =>
  new Promise((resolve) => {
    const child = execFile(program, ['--version'], { timeout: patience }, (_, stdout) =>
      resolve(/\d+\.\d+[\w.+-]*/.exec(stdout)?.[0]),
    );
    child.stdin?.end();
  });
