import { spawn, type ChildProcess } from 'node:child_process';
import { rmSync } from 'node:fs';
import type { Socket } from 'node:net';
import { isProcOurs, killGroups, processExists } from './processes.ts';
import { hostMark, killStrays, type Run } from './strays.ts';

/*
 * Makes sure that no hook outlives the host, however the host ends.
 *
 * A small shell, the watchdog, holds the other end of a pipe. When the host is gone, even by SIGKILL, the
 * pipe ends, and the shell kills the groups it was given, and whatever carries the host's mark, if /proc
 * describes the same processes. A host that ends in an orderly way does that itself, at once.
 */

/** The fields of /proc/PID/stat after the name in parentheses are: state, parent, group, session. */
const script = `
trap '' INT TERM HUP
groups=' ' scratch= spared=
while read -r order what; do
  case $order in
    watch) groups="$groups$what " ;;
    forget) groups="\${groups%%" $what "*} \${groups#*" $what "}" ;;
    spare) spared="$spared$what
" ;;
    scratch) scratch=$what ;;
    make) (cd "$scratch" && exec mkfifo -m 600 $what) ;;
  esac
done
for group in $groups; do kill -KILL "-$group"; done
[ -z "$1" ] || for round in 1 2; do
  for stat in /proc/[0-9]*/stat; do
    read -r line < "$stat" || continue
    set -- \${line##*) }
    case $groups in *" $4 "*) kill -KILL "-$3" ;; esac
  done
  for stray in $(grep -lsF "$0" /proc/[0-9]*/environ); do
    [ -z "$spared" ] || ! printf %s "$spared" | grep -qsF -f - "$stray" || continue
    stray=\${stray#/proc/}
    kill -KILL "\${stray%/environ}"
  done
done
[ -z "$scratch" ] || rm -rf -- "$scratch"
`;

/**
 * The hooks of which something may be alive, those of them whose session may be, and those whose leader is
 * gone.
 */
const runs = new Set<Run>();
const sessions = new Set<Run>();
const leaderless = new WeakSet<Run>();
/** The groups that end with the host; the watchdog knows of them. */
const watched = new Set<number>();
/** The marks of hooks whose daemons stay alive. */
const spared: string[] = [];
let scratch: string | undefined;
let dog: ChildProcess | undefined;
let isArmed = false;
/**
 * What is still to be sent to the watchdog: sending wakes it, so it waits until the host has nothing else to
 * do. Until then the watchdog finds hooks by their mark.
 */
let unsent = '';
let telling: NodeJS.Immediate | undefined;
let tellingLater: NodeJS.Timeout | undefined;

/** Makes this process group end when the host ends. */
export function watch(group: number): void {
  arm();
  if (dog === undefined) start();
  if (watched.has(group)) return;
  watched.add(group);
  tell(`watch ${group}`);
}

/** Makes this hook end when the host ends, including what left its session. */
export function watchRun(run: Run): void {
  runs.add(run);
  sessions.add(run);
  watch(run.leader);
}

/** Whether this group belongs to a hook, or to a process that waits to be one. */
export const isWatched = (group: number): boolean => watched.has(group);

/** Called when the process that led the hook's session is gone and not even a zombie. */
export function loseLeader(run: Run): void {
  leaderless.add(run);
}

/** Whether the hook's session may be alive; if not, its number may belong to a stranger. */
export function hasSession(run: Run): boolean {
  // As long as anything lives in a session, no new process is given its number.
  if (leaderless.has(run) && processExists(run.leader)) leaveSession(run);
  return sessions.has(run);
}

/** Called when the hook's session is gone; what left it may be alive. */
export function leaveSession(run: Run): void {
  if (sessions.delete(run)) forget(run.leader);
}

/** Called when the hook is gone, with everything of its own. */
export function forgetRun(run: Run): void {
  runs.delete(run);
  leaveSession(run);
}

/** What is alive of the hook may outlive the host. */
export function spareRun(run: Run): void {
  forgetRun(run);
  spared.push(run.mark);
  if (dog === undefined) return;
  tell(`spare ${run.mark}`);
  // At once: if the host were killed before this was sent, a daemon that may live would be ended.
  flush();
}

/** Called when the process group is gone. */
export function forget(group: number): void {
  if (!watched.delete(group)) return;
  unsent += `forget ${group}\n`;
  // Sent before its number is given out again; nothing is lost until then.
  tellingLater ??= setTimeout(flush, 50).unref();
}

/** Removes this folder when the host ends. */
export function removeAtExit(folder: string): void {
  scratch = folder;
  arm();
  // Before the first hook, or a hook that has just been started would outlive a host that is killed.
  if (dog === undefined) start();
  else tell(`scratch ${folder}`);
}

/** Has the watchdog make FIFOs with these names in the folder that it will remove. */
export function tellToMake(names: readonly string[]): void {
  tell(`make ${names.join(' ')}`);
  flush();
}

function tell(order: string): void {
  unsent += `${order}\n`;
  // Without marks to find them by, the watchdog must be told of hooks before they do anything.
  if (isProcOurs()) telling ??= setImmediate(flush);
  else flush();
}

function flush(): void {
  clearImmediate(telling);
  clearTimeout(tellingLater);
  telling = tellingLater = undefined;
  dog?.stdin?.write(unsent);
  unsent = '';
}

function arm(): void {
  if (isArmed) return;
  isArmed = true;
  process.once('exit', () => {
    for (const run of sessions) hasSession(run);
    const isClean = watched.size === 0 && runs.size === 0;
    if (!isClean) killGroups(watched);
    for (const run of runs) killStrays(run, 'all');
    flush();
    try {
      if (scratch !== undefined) rmSync(scratch, { recursive: true, force: true });
    } catch {
      // Without a spare file descriptor, this is left to the watchdog.
      return;
    }
    if (isClean) dog?.kill('SIGKILL');
  });
}

function start(): void {
  try {
    dog = startDog();
    unsent = '';
    dog.stdin?.write(scratch === undefined ? '' : `scratch ${scratch}\n`);
    for (const group of watched) tell(`watch ${group}`);
    for (const mark of spared) tell(`spare ${mark}`);
  } catch {
    // Hooks run without the watchdog, and the next hook tries to start it again.
  }
}

function startDog(): ChildProcess {
  const started = spawn('/bin/sh', ['-c', script, hostMark, isProcOurs() ? 'proc' : ''], {
    cwd: '/',
    // It needs the system's `rm` and `mkfifo` whatever the host's PATH says, and none of the host's secrets.
    env: { PATH: `/usr/bin:/bin:${process.env['PATH'] ?? ''}` },
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  const loseIt = (): void => {
    if (dog === started) dog = undefined;
  };
  started.once('error', loseIt).once('exit', loseIt);
  // Without a spare file descriptor, there is no pipe.
  const pipe = started.stdin as Socket | undefined;
  pipe?.on('error', loseIt);
  // Neither the shell nor its pipe may keep the host alive.
  started.unref();
  pipe?.unref();
  return started;
}
