import { spawn, type ChildProcess } from 'node:child_process';
import { rmSync } from 'node:fs';
import { signalGroup } from './group.ts';

/**
 * Sees to it that no hook outlives the host, however the host ends.
 *
 * A small shell holds the other end of a pipe. When the host is gone, even by SIGKILL, the pipe
 * ends, and the shell kills the groups it was told of. A host that ends in an orderly way does it
 * itself, at once.
 */

const script = `
trap '' INT TERM HUP
groups=' ' scratch=
while read -r order what; do
  case $order in
    watch) groups="$groups$what " ;;
    forget) groups="\${groups%%" $what "*} \${groups#*" $what "}" ;;
    scratch) scratch=$what ;;
  esac
done
for group in $groups; do kill -KILL "-$group" 2>/dev/null; done
[ -z "$scratch" ] || rm -rf -- "$scratch"
`;

const groups = new Set<number>();
let scratch: string | undefined;
let dog: ChildProcess | undefined;

function tell(order: string): void {
  dog?.stdin?.write(`${order}\n`);
}

function start(): void {
  dog = spawn('/bin/sh', ['-c', script], {
    cwd: '/',
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  const loseIt = (): void => {
    dog = undefined;
  };
  dog.once('error', loseIt);
  dog.once('exit', loseIt);
  dog.stdin?.on('error', loseIt);
  // Neither the shell nor its pipe may keep the host alive.
  dog.unref();
  (dog.stdin as unknown as { unref?(): void } | null)?.unref?.();
  if (scratch !== undefined) tell(`scratch ${scratch}`);
  for (const group of groups) tell(`watch ${group}`);
}

let armed = false;
function arm(): void {
  if (!armed) {
    armed = true;
    process.once('exit', () => {
      for (const group of groups) signalGroup(group, 'SIGKILL');
      if (scratch !== undefined) rmSync(scratch, { recursive: true, force: true });
    });
  }
  if (dog === undefined) start();
}

/** Ends this process group when the host ends. */
export function watch(group: number): void {
  arm();
  groups.add(group);
  tell(`watch ${group}`);
}

/** The process group is gone. */
export function forget(group: number): void {
  if (groups.delete(group)) tell(`forget ${group}`);
}

/** Removes this folder when the host ends. */
export function removeAtExit(folder: string): void {
  scratch = folder;
  arm();
  tell(`scratch ${folder}`);
}
