import { spawn, type ChildProcess } from 'node:child_process';
import { rmSync } from 'node:fs';
import type { Socket } from 'node:net';
import { killGroups } from './group.ts';

/*
 * Sees to it that no hook outlives the host, however the host ends.
 *
 * A small shell holds the other end of a pipe. When the host is gone, even by SIGKILL, the pipe
 * ends, and the shell kills the groups it was told of. A host that ends in an orderly way does it
 * itself, at once.
 */

/** Of /proc/PID/stat, what follows the name in parentheses is: state, parent, group, session. */
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
for group in $groups; do kill -KILL "-$group"; done
[ "$groups" = ' ' ] || for round in 1 2; do
  for stat in /proc/[0-9]*/stat; do
    read -r line < "$stat" || continue
    set -- \${line##*) }
    case $groups in *" $4 "*) kill -KILL "-$3" ;; esac
  done
done
[ -z "$scratch" ] || rm -rf -- "$scratch"
`;

const groups = new Set<number>();
let scratch: string | undefined;
let dog: ChildProcess | undefined;
let isArmed = false;

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

function tell(order: string): void {
  dog?.stdin?.write(`${order}\n`);
}

function arm(): void {
  if (!isArmed) {
    isArmed = true;
    process.once('exit', () => {
      if (groups.size > 0) killGroups(groups);
      if (scratch !== undefined) rmSync(scratch, { recursive: true, force: true });
    });
  }
  if (dog === undefined) start();
}

function start(): void {
  const started = spawn('/bin/sh', ['-c', script], {
    cwd: '/',
    // It needs `rm` whatever the host's PATH leaves out, and none of the host's secrets.
    env: { PATH: `${process.env['PATH'] ?? ''}:/usr/bin:/bin` },
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  const loseIt = (): void => {
    if (dog === started) dog = undefined;
  };
  started.once('error', loseIt).once('exit', loseIt);
  started.stdin.on('error', loseIt);
  // Neither the shell nor its pipe may keep the host alive.
  started.unref();
  (started.stdin as Socket).unref();
  dog = started;
  if (scratch !== undefined) tell(`scratch ${scratch}`);
  for (const group of groups) tell(`watch ${group}`);
}
