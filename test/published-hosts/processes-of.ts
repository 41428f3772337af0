import { readdirSync, readFileSync } from 'node:fs';

/** A process, as /proc shows it. */
export interface SeenProcess {
  readonly pid: number;
  readonly parent: number;
  /** Its command line. */
  readonly line: string;
}

/** All processes of this machine. */
function processes(): readonly SeenProcess[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const [, parent] = /^\d+ \(.*\) \w (\d+)/s.exec(
          readFileSync(`/proc/${name}/stat`, 'utf8'),
        )!;
        const line = readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ');
        return [{ pid: Number(name), parent: Number(parent), line }];
      } catch {
        return [];
      }
    });
}

/** The descendants of a process that exist now. */
export function descendantsOf(pid: number): readonly SeenProcess[] {
  const all = processes();
  const under = (parent: number): SeenProcess[] =>
    all.filter((one) => one.parent === parent).flatMap((one) => [one, ...under(one.pid)]);
  return under(pid);
}
