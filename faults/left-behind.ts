import { deny, denyByCode, type Fault } from './fault.ts';

/** A textbook daemon: forked twice, in its own session, without streams. */
const daemon = `
import os, sys, time
if os.fork(): os.wait(); os._exit(0)
os.setsid()
if os.fork(): os._exit(0)
if len(sys.argv) == 1:
    null = os.open(os.devnull, os.O_RDWR)
    for fd in (0, 1, 2): os.dup2(null, fd)
open('left', 'w').write('x')
time.sleep(100)
`;

const untilLeft = 'while [ ! -s left ]; do sleep 0.01; done';

/** Faults of hooks that answer and leave something behind. */
export const leftFaults: readonly Fault[] = [
  {
    name: 'exits with a denial while a child holds the pipe',
    expected: 'denial',
    leaves: 'group',
    command: `sleep 100 & ${deny}`,
  },
  {
    name: 'the same by exit code',
    expected: 'denial',
    leaves: 'group',
    command: `sleep 100 & ${denyByCode}`,
  },
  {
    name: 'leaves a child without streams',
    expected: 'denial',
    leaves: 'group',
    command: `sleep 100 > /dev/null 2>&1 < /dev/null & ${deny}`,
  },
  {
    name: 'leaves a child with nohup',
    expected: 'denial',
    leaves: 'group',
    command: `nohup sleep 100 & ${deny}`,
  },
  {
    name: 'leaves a disowned child',
    expected: 'denial',
    leaves: 'group',
    command: `sleep 100 & disown -a; ${deny}`,
  },
  {
    name: 'leaves a child deaf to SIGTERM',
    expected: 'denial',
    leaves: 'group',
    command: `(trap '' TERM; sleep 100) & ${deny}`,
  },
  {
    name: 'leaves a stopped child',
    expected: 'denial',
    leaves: 'group',
    command: `sleep 100 & kill -STOP $!; ${deny}`,
  },
  {
    name: 'leaves a child that keeps writing',
    expected: 'denial',
    leaves: 'group',
    command: `yes >&2 & ${deny}`,
  },
  {
    name: 'leaves a process group of its own',
    expected: 'denial',
    leaves: 'group',
    command: `set -m; sleep 100 & ${deny}`,
  },
  {
    name: 'leaves a child that starts it again',
    expected: 'denial',
    leaves: 'group',
    command: `(while :; do sleep 100; done) & ${deny}`,
  },
  {
    name: 'leaves a session of its own',
    expected: 'denial',
    leaves: 'daemon',
    command: `setsid sh -c 'echo x > left; exec sleep 100' > /dev/null 2>&1 & ${untilLeft}; ${deny}`,
    needs: 'setsid',
  },
  {
    name: 'leaves a session that holds the pipe',
    expected: 'denial',
    leaves: 'daemon',
    command: `setsid sh -c 'echo x > left; exec sleep 100' & ${untilLeft}; ${deny}`,
    needs: 'setsid',
  },
  {
    name: 'forks a daemon',
    expected: 'denial',
    leaves: 'daemon',
    command: `python3 daemon.py; ${untilLeft}; ${deny}`,
    files: { 'daemon.py': daemon },
    needs: 'python3',
  },
  {
    name: 'forks a daemon that holds the pipe',
    expected: 'denial',
    leaves: 'daemon',
    command: `python3 daemon.py hold; ${untilLeft}; ${deny}`,
    files: { 'daemon.py': daemon },
    needs: 'python3',
  },
  {
    name: 'forks a daemon and hangs',
    expected: 'failure',
    command: `python3 daemon.py; ${untilLeft}; sleep 100`,
    files: { 'daemon.py': daemon },
    timeout: 600,
    needs: 'python3',
  },
  {
    name: 'leaves a session deaf to SIGTERM',
    expected: 'denial',
    leaves: 'daemon',
    command: `setsid bash -c "trap : TERM; echo x > left; while :; do sleep 100; done" & ${untilLeft}; ${deny}`,
    needs: 'setsid',
  },
  {
    name: 'leaves sessions that start sessions',
    expected: 'denial',
    leaves: 'daemon',
    command: `setsid bash -c "echo x > left; while :; do setsid sleep 100 & sleep 0.05; done" & ${untilLeft}; ${deny}`,
    needs: 'setsid',
  },
];
