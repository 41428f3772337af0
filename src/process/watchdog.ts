import { spawn, type ChildProcess } from 'node:child_process';
import { rmSync } from 'node:fs';
import type { Socket } from 'node:net';
import { killGroups } from './group.ts';
import { hostMark, killStrays, type Run } from './strays.ts';

/*
 * Sees to it that no hook outlives the host, however the host ends.
 *
 * A small shell holds the other end of a pipe. When the host is gone, even by SIGKILL, the pipe
 * ends, and the shell kills the groups it was told of, and whatever carries the host's mark. A host
 * that ends in an orderly way does it itself, at once.
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
for round in 1 2; do
  for stat in /proc/[0-9]*/stat; do
    read -r line < "$stat" || continue
    set -- \${line##*) }
    case $groups in *" $4 "*) kill -KILL "-$3" ;; esac
  done
  for stray in $(grep -lsF "$0" /proc/[0-9]*/environ); do
    stray=\${stray#/proc/}
    kill -KILL "\${stray%/environ}"
  done
done
[ -z "$scratch" ] || rm -rf -- "$scratch"
`;

/** The groups that live, with the runs of those that are hooks'. */
const groups = new Map<number, Run | undefined>();
/** The groups that the dog knows of. */
const told = new Set<number>();
let scratch: string | undefined;
let dog: ChildProcess | undefined;
let isArmed = false;
/** What the dog is still to be told: it wakes by it, so it waits until the host has nothing else to do. Until then it finds hooks by their mark. */
let untold = '';
let telling: NodeJS.Immediate | undefined;
let tellingLater: NodeJS.Timeout | undefined;

/** Ends this process group when the host ends, and what left its session where it is a hook's. */
export function watch(group: number, run?: Run): void {
  groups.set(group, run);
  watchAhead(group);
}

/** Tells of a group that will be of use, and ends by itself as long as it is not. */
export function watchAhead(group: number): void {
  arm();
  if (dog === undefined) start();
  if (told.has(group)) return;
  told.add(group);
  tell(`watch ${group}`);
}

/** Whether this group is one of a hook, or of a shell that waits to be one. */
export const isWatched = (group: number): boolean => told.has(group);

/** The process group is gone. */
export function forget(group: number): void {
  groups.delete(group);
  if (!told.delete(group)) return;
  untold += `forget ${group}\n`;
  // Before its number is given out again; nothing is lost until then.
  tellingLater ??= setTimeout(flush, 50).unref();
}

/** Removes this folder when the host ends. */
export function removeAtExit(folder: string): void {
  scratch = folder;
  arm();
  // Before the first hook, or one that has just been started would outlive a host that is killed.
  if (dog === undefined) start();
  else tell(`scratch ${folder}`);
}

function tell(order: string): void {
  untold += `${order}\n`;
  telling ??= setImmediate(flush);
}

function flush(): void {
  clearImmediate(telling);
  clearTimeout(tellingLater);
  telling = tellingLater = undefined;
  dog?.stdin?.write(untold);
  untold = '';
}

function arm(): void {
  if (isArmed) return;
  isArmed = true;
  process.once('exit', () => {
    if (groups.size > 0) killGroups(new Set(groups.keys()));
    else dog?.kill('SIGKILL');
    killStrays([...groups.values()].filter((run) => run !== undefined));
    if (scratch !== undefined) rmSync(scratch, { recursive: true, force: true });
  });
}

function start(): void {
  const started = spawn('/bin/sh', ['-c', script, hostMark], {
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
  untold = '';
  started.stdin.write(scratch === undefined ? '' : `scratch ${scratch}\n`);
  for (const group of told) tell(`watch ${group}`);
}
