import { expect, test } from 'vitest';
import { allFaults } from '../../faults/faults.ts';
import { endless, kinds, stop } from '../../load/kinds.ts';
import { readyWay } from '../../src/process/ahead/ready-way.ts';

const env = { LLXPRT_PROJECT_DIR: '/my project' };

test.each([
  './check.sh',
  ' .llxprt/hooks/check.sh  --fast a=b\n',
  '"$LLXPRT_PROJECT_DIR"/check.sh "${LLXPRT_PROJECT_DIR}/x y"',
  `'/my project/check.sh' 'a "b" $\\' "it's # * ~ ! ;"`,
  '/usr/bin/env node',
  'cat',
  'python3 "$LLXPRT_PROJECT_DIR/check.py" --fast',
  'bash ~/hooks/check.sh',
  '~/check.sh ~/x',
])('is the call of a program: %j', (command) => {
  expect(readyWay(command, env)).toBe('program');
});

test.each([
  'exit 2',
  'echo',
  `cat >/dev/null; echo '{"decision":"deny"}'`,
  ' cat > /dev/null ;\techo a=b >&2; exit 2;\n',
  'echo "no, ${LLXPRT_PROJECT_DIR}" >&2 && exit 2',
  `jq -r .tool_input.command | grep -q 'rm -rf' && echo no >&2 && exit 2; exit 0`,
  'grep -q x || echo "$LLXPRT_PROJECT_DIR"',
  'printf %s x 1>>log 2>&1; true',
])('is a line that the waiting shell may run: %j', (command) => {
  expect(readyWay(command, env)).toBe('line');
});

test.each([
  '',
  ' ',
  'check.sh',
  'test -e x',
  'time cat',
  'command cat',
  "'cat'",
  'echo a; cat',
  'cat | echo a',
  'cat |echo a',
  'cat || | echo a',
  'cat & echo a',
  'cat;; echo a',
  'python3 -c 1; echo a',
  './check.sh; echo a',
  'cat\necho a',
  'echo $x',
  "echo '$x'",
  'echo "$?"',
  'echo *',
  'echo a > $x',
  'echo >(cat)',
  'echo 3>&1',
  'echo >&-',
  'cat <<EOF; echo a',
  'cat <<< x; echo a',
  'A=1 echo a',
  'exec echo a',
  'set -e; echo a',
  'echo a && exec cat; exit',
  'printf -v x y | read; exit',
  'echo "a',
  'echo a;\necho b',
  "echo 'a\nb'",
  "./check.sh 'a\nb'",
  'printf "%(%s)T" -2; exit',
  'a=b/c',
  'a=b ./check.sh',
  './check.sh; true',
  './check.sh &',
  './check.sh && true',
  './check.sh | cat',
  './check.sh > out',
  './check.sh 2>&1',
  './check.sh <<< x',
  './check.sh\ntrue',
  './check.sh *',
  './check.sh [a]',
  './check.sh ?',
  './check.sh {a,b}',
  '~root/check.sh',
  './check.sh ~',
  './check.sh # comment',
  './check.sh $(true)',
  './check.sh "$(true)"',
  './check.sh `true`',
  './check.sh "`true`"',
  './check.sh $x',
  './check.sh "$HOME"',
  './check.sh "${HOME:-x}"',
  './check.sh "$1"',
  './check.sh a\\ b',
  './check.sh "a\\"b"',
  "./check.sh $'a'",
  './check.sh "a',
  "./check.sh 'a",
  '! ./check.sh',
  '(./check.sh)',
  '{ ./check.sh; }',
  'exec ./check.sh',
  '$LLXPRT_PROJECT_DIR/check.sh',
])('is for a shell of its own: %j', (command) => {
  expect(readyWay(command, env)).toBe('text');
});

test('finds out in no time that a long command is no such line', () => {
  for (const piece of ['"$LLXPRT_PROJECT_DIR', 'echo a ', '1', " 'a'", '; ', '"$a$a$a" '])
    expect(readyWay(`cat ${piece.repeat(20_000)} (`, env)).toBe('text');
});

test.each<[string, () => string[]]>([
  [
    'faults',
    () => allFaults.flatMap((fault) => (fault.readyShell === undefined ? [fault.command] : [])),
  ],
  [
    'load',
    () =>
      [...kinds, stop, endless]
        .flatMap(({ hooks = {} }) => [...(hooks.BeforeTool ?? []), ...(hooks.AfterTool ?? [])])
        .flatMap((group) => ('hooks' in group ? group.hooks : []))
        .map((hook) => ('command' in hook ? String(hook.command) : '')),
  ],
])('each way to tell a waiting shell what to run meets %s', (_, commands) => {
  const ways = commands().map((command) => readyWay(command, {}));
  for (const way of ['program', 'line', 'text'])
    expect(ways.filter((one) => one === way).length).toBeGreaterThan(4);
});
