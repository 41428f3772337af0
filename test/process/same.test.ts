import type { ChildProcess } from 'node:child_process';
import { subscribe } from 'node:diagnostics_channel';
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { toPromise } from 'xstate';
import { tempFolder } from '../support/temp-folder.ts';
import { hookActor, type Options } from './run-hook.ts';

/* Nothing that a hook or its user can see tells whether its shell was started ahead of it. */

afterEach(() => {
  vi.unstubAllEnvs();
});

/** All shells that were started to wait for a hook. */
const waitingShells = new Set<ChildProcess>();
subscribe('child_process', (message) => {
  const { process: child } = message as { readonly process: ChildProcess };
  // It is told of before it is started.
  queueMicrotask(() => {
    if (child.spawnargs?.some((text) => text.includes('hookmachine_way'))) waitingShells.add(child);
  });
});

/** Whether the process of a hook was such a shell. */
const wasReady = (hook: number): boolean => [...waitingShells].some(({ pid }) => pid === hook);

/** A folder with what the commands below need. */
function makeProject(): string {
  const cwd = join(tempFolder(), 'my project');
  mkdirSync(join(cwd, 'folder'), { recursive: true });
  const scripts: Record<string, [string, number]> = {
    'sh.sh': [`#!/bin/sh\n${facts}\ncat; echo "$#:$*"; echo err >&2; exit 3\n`, 0o755],
    'bash.sh': [`#!/bin/bash\n${facts}\nset | grep -v ^BASH_; cat; exit 2\n`, 0o755],
    'args.sh': ['#!/bin/sh\nfor a; do printf "<%s>" "$a"; done\n', 0o755],
    'bare.sh': ['echo "$0 $# $- ${BASH_VERSION:+bash}"; echo "$1"; nosuch; exit 4\n', 0o755],
    'empty.sh': ['', 0o755],
    'locked.sh': ['#!/bin/sh\necho ran\n', 0o644],
    'lost.sh': ['#!/proc/no-interpreter -x\n', 0o755],
    'dos.sh': ['#!/bin/sh\r\necho ran\r\n', 0o755],
    'binary.sh': ['\x7fELF nonsense', 0o755],
    'signal.sh': ['#!/bin/sh\nkill -KILL $$\n', 0o755],
    'env.py': [
      '#!/usr/bin/env python3\nimport os, signal, resource\nprint(sorted(os.environ.items()))\n' +
        'print(os.getppid() == int(os.environ["HOST"]), os.getpid() == os.getsid(0) == os.getpgid(0))\n' +
        'print(signal.pthread_sigmask(signal.SIG_BLOCK, []), resource.getrlimit(resource.RLIMIT_NOFILE))\n',
      0o755,
    ],
    'a b.sh': ['#!/bin/sh\necho blank\n', 0o755],
    'fd.sh': ['#!/bin/sh\nfor fd in /proc/$$/fd/*; do echo ${fd##*/}; done\n', 0o755],
  };
  for (const [name, [text, mode]] of Object.entries(scripts)) {
    writeFileSync(join(cwd, name), text);
    chmodSync(join(cwd, name), mode);
  }
  symlinkSync('sh.sh', join(cwd, 'link.sh'));
  symlinkSync('nowhere', join(cwd, 'broken.sh'));
  return cwd;
}

/** What a process can find out about itself, but for numbers that the system gives out anew each time. */
const facts = [
  'pid=$$',
  'set -- $(cut -d" " -f1,4-8 /proc/$pid/stat)',
  '[ $1 = $pid ] && [ $2 = $HOST ] && echo "child of the host"',
  '[ $3 = $pid ] && [ $4 = $pid ] && echo "leads its group and session, terminal $5 $6"',
  '[ $PPID = $HOST ] && echo "knows its parent"',
  'for fd in /proc/$pid/fd/*; do t=$(readlink $fd); echo "fd ${fd##*/} ${t%%-*} $(stat -L -c %F $fd)"; done',
  'grep -E "^(pos|flags)" /proc/$pid/fdinfo/[0-9]',
  // The shell reads it itself: while it waits for a child it catches other signals.
  'while read -r line; do case $line in Sig[IC]* | Shd* | Cap* | Umask* | Uid* | Gid* | Groups* | NoNew* | Seccomp* | Cpus*) echo "$line" ;; esac; done < /proc/$pid/status',
  'cat /proc/$pid/limits',
  'tr "\\0" "\\n" < /proc/$pid/environ | sort',
  'tr "\\0" "\\n" < /proc/$pid/cmdline; echo; cat /proc/$pid/comm; readlink /proc/$pid/exe /proc/$pid/cwd /proc/$pid/root',
  'cat /proc/$pid/oom_score_adj /proc/$pid/cgroup; readlink /proc/$pid/ns/*',
  'umask; ulimit -a; pwd; pwd -P; env | sort; cut -d" " -f18,19 /proc/$pid/stat',
  'set --',
].join('\n');

const commands: string[] = [
  // exit codes and signals
  'exit 0',
  'exit 2',
  'exit 255',
  'exit 256',
  'exit -1',
  'exit abc',
  'false',
  'true; (exit 7)',
  'return 3; echo after',
  'kill -TERM $$; echo after',
  'kill -KILL $$',
  'kill -INT $$; sleep 1',
  'kill -HUP $$',
  'kill -QUIT $$; echo survived',
  'kill -PIPE $$',
  "sh -c 'kill -SEGV $$'; echo $?",
  'yes | head -1; echo ${PIPESTATUS[@]}',
  // the shell's idea of itself
  facts,
  'echo "$-|$0|$#|$*|$?|${!-none}|$_|$LINENO|$SHLVL|$BASH_SUBSHELL|$BASH|$PWD|${OLDPWD-none}"',
  'echo $_',
  '[ $$ = $BASHPID ] && echo same; (: $BASHPID; [ $$ != $BASHPID ] && echo other)',
  "[ $PPID = $HOST ] && sh -c '[ $PPID = $HOST ] && echo in place'",
  "sh -c '[ $PPID = $HOST ] && echo no shell between'",
  "true && sh -c '[ $PPID = $HOST ] && echo last of a list'",
  'set',
  'declare -p | grep -vE "RANDOM|EPOCH|SECONDS"',
  'set -o; shopt; trap -p; alias; declare -F; hash; jobs; dirs; enable',
  'echo "$BASH_EXECUTION_STRING"; tr "\\0" "\\n" < /proc/$$/cmdline; ps -o args= -p $$',
  'tr "\\0" "\\n" < /proc/$$/environ | sort',
  'export -p; env | sort',
  '[ $SECONDS -le 60 ] && echo young',
  'caller; echo "${FUNCNAME[*]}|${BASH_SOURCE[*]}|${BASH_LINENO[*]}|${BASH_ARGV[*]}"',
  'f() { caller 0; echo ${FUNCNAME[@]} $LINENO; }; f',
  'compgen -v | grep -i hookmachine; compgen -e | grep -i hookmachine',
  'umask; umask 027; umask; touch x; stat -c %a x; rm x',
  'ulimit -a; ulimit -n 64; ulimit -n',
  'for fd in /proc/$$/fd/*; do echo ${fd##*/}; done',
  'sleep 0.01 3<&0; { true >&3; } 2>&1; { true <&4; } 2>&1; echo done',
  'exec 3>&1; echo three >&3',
  'exec {fd}>&1; echo $fd',
  'tty; [ -t 0 ]; echo $?; (: < /dev/tty) 2>&1',
  // traps, errors, options
  "trap 'echo bye' EXIT; exit 5",
  "trap 'echo term; exit 6' TERM; kill -TERM $$; sleep 1",
  "trap 'echo err $LINENO' ERR; false; true",
  "trap 'echo debug' DEBUG; true; true",
  "trap '' PIPE; yes 2>/dev/null | head -1; echo done",
  'set -e; false; echo never',
  'set -eo pipefail; false | true; echo never',
  'set -u; echo $NO_SUCH; echo never',
  'echo ${NO_SUCH?is missing}; echo never',
  'set -x; echo traced; f() { :; }; f',
  'set -v\necho said\necho twice',
  'set -n; echo never',
  'set -t; echo once; echo never',
  'set -o posix; set -o | grep posix',
  'if true; then',
  'echo one\necho two\nif then\necho three',
  'echo "unclosed',
  'echo $(',
  ')',
  'cat <<EOF\nunclosed',
  'nosuchcommand --flag',
  './nosuch.sh; echo $?',
  'echo one\n\nnosuch\necho ${LINENO}',
  'eval "if"; echo $?',
  'readonly x=1; x=2; echo $?',
  'exec nosuch; echo never',
  'exec sh -c "echo replaced; exit 9"',
  'exec > /dev/null; echo nowhere; echo err >&2',
  'cd nowhere; cd folder && pwd; cd - ; echo $OLDPWD',
  // input, output, redirections
  'cat',
  'read -r line; echo "[$line]"; cat',
  'head -c 3; echo; cat',
  'exec <&-; cat; echo $?',
  'echo x >&-; echo $?',
  'exec >&- 2>&-; echo x; exit 3',
  'echo x > /dev/stderr; echo y > /dev/stdout; cat /dev/stdin; cat < /proc/self/fd/0',
  'cat <<EOF\n$HOME `echo sub` $((1 + 2)) \\$x\nEOF',
  "cat <<'EOF' | tr a-z A-Z\nnothing $HOME `here`\nEOF",
  'cat <<-EOF\n\t\tindented\n\tEOF\necho after',
  'cat <<< "$HOME here"',
  'cat < <(echo process); echo x > >(sleep 0.02; cat)',
  'head -c 300000 /dev/zero | tr "\\0" a',
  'head -c 100000 /dev/zero | tr "\\0" b >&2; exit 2',
  "printf 'a\\0b\\377\\n'",
  // words
  'echo *.sh; echo *.nothing; echo folder/*; echo [ab]*',
  "echo ~ ~root ~nosuch {a,b}{1..3} \"$HOME\" '$HOME' $'a\\tb' a\\ b",
  'A=1 B=2 sh -c \'echo $A $B\'; echo "${A-none}"',
  'A=1 ./env.py | tail -2',
  'a=(1 "2 3"); echo "${#a[@]} ${a[1]}"; declare -A m=([k]=v); echo ${m[k]}',
  'echo $LLXPRT_PROJECT_DIR/x "$LLXPRT_PROJECT_DIR" ${LLXPRT_PROJECT_DIR}',
  'echo \'{"decision":"deny"}\' | python3 -c \'import json,sys; print(json.load(sys.stdin))\'',
  'echo ümläut 日本 🙂',
  // jobs
  'sleep 0.02 & wait; echo $?',
  'sleep 0.02 & wait $!; [ -n "$!" ] && echo job; jobs',
  '(sleep 0.03; echo late) &',
  'set -m; sleep 1 & fg; echo $?',
  'coproc cat; echo x >&${COPROC[1]}; read -r y <&${COPROC[0]}; echo $y; kill $COPROC_PID',
  'suspend; echo $?',
  'times | wc -l',
  'cd folder; rmdir ../folder; pwd; pwd -P; sh -c pwd',
  '',
  ' ',
  ':',
  '# nothing',
  // lines of well-known commands
  `cat >/dev/null; echo '{"decision":"deny"}'`,
  'cat; echo done',
  'head -c 3; printf "<%s>" "$LLXPRT_PROJECT_DIR" a=b; exit 2',
  'grep -q first && echo found >&2 && exit 2; exit 0',
  'jq -r .first | grep -q 1 && echo one; exit 7',
  'cat | tr a-z A-Z | head -c 4; exit',
  'true && false; exit',
  'false || echo or; false',
  ...['^_=', '^SHLVL=', '^PWD=', '^OLDPWD=', '^[^H].*='].map(
    (which) => `cat /proc/self/environ | tr "\\0" "\\n" | grep -c "${which}" >> log; cat log; exit`,
  ),
  ...['_', 'SHLVL', 'PWD', 'OLDPWD'].map(
    (name) => `cat /proc/self/environ | tr "\\0" "\\n" | grep ^${name}=; exit`,
  ),
  'cat /proc/self/status | grep -E "^(Umask|Sig[IC]|Shd|Cap|NoNew|Groups)"; echo',
  'cat /proc/self/limits; echo',
  'cat nosuch; echo $? more',
  'cat < nosuch; echo after',
  'echo one > folder; echo two; exit 3',
  'echo x > /proc/nosuch/file && echo never; exit',
  'echo x >> log; cat log log; echo y 1>>log 2>&1; exit',
  "cat 'a\nb'; exit 2",
  'exit 300',
  'exit -1',
  'exit abc; echo after',
  'exit 1 2; echo after',
  'printf "%d\\n" abc; exit',
  'printf; echo usage',
  'jq nonsense.; exit 2',
  'cut -z; exit 5',
  'tail -n 1; wc -c < log; exit',
  'sleep 0.01; date +%Z; touch made; exit',
  'cat /dev/stdin; echo x > /dev/stderr; echo y > /dev/stdout',
  'head -c 300000 /dev/zero | tr "\\0" a; exit 2',
  'echo -n; echo -e "a\tb"; echo "ümläut 日本 🙂"; exit',
  'cat /proc/self/stat | cut -d" " -f5-8; exit',
  'cat; exit;',
  // programs by their names
  'cat',
  'python3 env.py a',
  'bash bash.sh',
  'sh sh.sh "$LLXPRT_PROJECT_DIR"',
  'sh nosuch.sh',
  "python3 -c 'import sys; sys.exit(5)'",
  'zsh sh.sh',
  'uvx nosuch',
  'jq -r .first nosuch',
  'sleep abc',
  // programs by their paths
  './sh.sh',
  './sh.sh a "b c" \'$d\' e=f',
  '"$LLXPRT_PROJECT_DIR"/sh.sh "$LLXPRT_PROJECT_DIR"',
  '$LLXPRT_PROJECT_DIR/bash.sh',
  './bash.sh',
  './link.sh',
  './broken.sh',
  './args.sh "" \'\' -- -x "a\nb" "*" \'"\' é',
  './bare.sh x',
  './empty.sh',
  './locked.sh',
  './lost.sh a',
  './dos.sh',
  './binary.sh',
  './signal.sh',
  './env.py',
  './fd.sh',
  "'./a b.sh'",
  '~/sh.sh ~/x',
  './args.sh ~/x a~b x=~/y',
  '/bin/echo "$LLXPRT_PROJECT_DIR"',
  '/bin/cat',
  "/bin/sh -c 'echo $0 $@; exit 8' zero one",
  './folder',
  './nosuch.sh',
  "./nosuch.sh 'a\nb'",
  './sh.sh/x',
  'folder/',
  '/',
  './args.sh a; echo $?',
  './args.sh a > /dev/null',
];

/** Commands that show much of what they run in. */
const revealing = [
  'cat | cksum; echo "$_|$SHLVL|$PWD|${OLDPWD-none}|$IFS"; env | sort; type f; sh -c "env | sort"',
  './env.py',
  'python3 env.py',
  'uvx nosuch',
];

const functions = Object.fromEntries(
  ['env', 'python3', 'uvx'].map((name) => [`BASH_FUNC_${name}%%`, '() { echo f; }']),
);

/** Runs a command in one of the two ways; numbers that never repeat are replaced, but for the hook's own. */
async function run(command: string, way: 'ready' | 'plain', options: Options = {}) {
  vi.stubEnv('HOOKMACHINE_PLAIN_START', way === 'plain' ? '1' : '0');
  const cwd = options.cwd ?? makeProject();
  const env = {
    LLXPRT_PROJECT_DIR: cwd,
    HOST: String(process.pid),
    // What the hook sees of it is no difference.
    HOOKMACHINE_PLAIN_START: 'same',
    ...options.env,
  };
  const actor = hookActor(command, {
    stdin: '{"first":1}\nsecond\n',
    drain: 10_000,
    ...options,
    cwd,
    env,
  });
  let pid = -1;
  actor.system.inspect(({ type, ...rest }) => {
    const { event } = rest as { event?: { type: string; pid?: number } };
    if (type === '@xstate.event' && event?.pid !== undefined) pid = event.pid;
  });
  const outcome = toPromise(actor);
  actor.start();
  const told = JSON.stringify(await outcome, (key, value: unknown) =>
    // A busy system may take its time to close what the hook held.
    ['durationMs', 'leftBackground'].includes(key) ? undefined : value,
  );
  const text = told
    .replaceAll(/\b\d+\.[0-9a-z]{10,}\.\d+;/g, 'MARK')
    .replaceAll(cwd, 'PROJECT')
    .replaceAll(cwd.replace(/\/my project$/, ''), 'TEMP')
    .replaceAll(
      /(?<=BASHPID=|SRANDOM=|RANDOM=|EPOCHREALTIME=|EPOCHSECONDS=|SECONDS=)\\*"?[\d.]+/g,
      'N',
    )
    .replaceAll(/(?<=_PID=|\[\d\] |pid |pipe:\[)\d+/g, 'N')
    // A shell fills short numbers up with blanks.
    .replaceAll(/(?<=line \d+:) +\d+/g, ' N');
  return { text, pid };
}

/** Runs a command in both ways, and expects no difference; `isFit` says whether a ready shell may become this hook. */
async function expectSame(command: string, options?: Options, isFit = true): Promise<void> {
  const runs = [await run(command, 'ready', options), await run(command, 'plain', options)];
  expect(
    runs.map(({ pid }) => wasReady(pid)),
    'whether a ready shell became the hook',
  ).toEqual([isFit, false]);
  // What one has for its number may mean something else in both.
  const pids = new RegExp(`\\b(${runs.map(({ pid }) => pid).join('|')})\\b`, 'g');
  const [ready, plain] = runs.map(({ text }) => text.replaceAll(pids, 'PID'));
  expect(ready).toBe(plain);
}

describe('a command in a shell that was ready does what it does under bash -c', () => {
  test.each(commands)('%s', (command) => expectSame(command));

  test('sleep 100 & echo left; exit 2', ({ task }) => expectSame(task.name, { drain: 100 }));

  test.each<[string, Options]>([
    ['an input of megabytes', { stdin: 'äöü🙂'.repeat(300_000) }],
    ['an empty input', { stdin: '' }],
    ['variables that shells set', { env: { PWD: '/', OLDPWD: '/tmp', SHLVL: '7', _: 'last' } }],
    ['variables that make no sense', { env: { PWD: 'x', OLDPWD: 'x', SHLVL: 'x', _: '' } }],
    ['another home', { env: { HOME: '/tmp' } }],
    ['names that no shell can use', { env: { 'a-b': '1', 'x.y': '2', '1': '3' } }],
    [
      'a function for what is missing',
      { env: { 'BASH_FUNC_command_not_found_handle%%': '() { echo "no $1"; }' } },
    ],
    ['functions', { env: { 'BASH_FUNC_f%%': '() { echo f; }' } }],
    ['a time limit for reading', { env: { TMOUT: '1', IFS: ':', REPLY: 'x', CDPATH: '/' } }],
    ['another locale', { env: { LC_ALL: 'C' } }],
  ])('with %s', async (_, options) => {
    for (const text of revealing) await expectSame(text, options);
  });
});

describe('what no ready shell could do alike is not left to one', () => {
  test.each<[string, () => Options]>([
    ['a folder that is missing', () => ({ cwd: join(tempFolder(), 'missing') })],
    [
      'names that our script uses',
      () => ({ env: { hookmachine_way: 'a', hookmachine_text: 'b' } }),
    ],
    ['a file that shells read first', () => ({ env: { BASH_ENV: '/dev/null' } })],
    ['the rules of POSIX', () => ({ env: { POSIXLY_CORRECT: '1' } })],
    ['functions in the place of programs', () => ({ env: functions })],
  ])('with %s', async (_, options) => {
    for (const text of revealing) await expectSame(text, options(), false);
  });

  test('a long command', () => expectSame(`/bin/echo ${'x'.repeat(3000)}`, {}, false));
});
