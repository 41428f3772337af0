import { expect, test } from 'vitest';
import { isProgramCall } from '../../src/process/program-call.ts';

const env = { LLXPRT_PROJECT_DIR: '/my project' };

test.each([
  './check.sh',
  ' .llxprt/hooks/check.sh  --fast a=b\n',
  '"$LLXPRT_PROJECT_DIR"/check.sh "${LLXPRT_PROJECT_DIR}/x y"',
  `'/my project/check.sh' 'a "b" $\\' "it's # * ~ ! ;"`,
  '/usr/bin/env node',
])('is the call of a program: %j', (command) => {
  expect(isProgramCall(command, env)).toBe(true);
});

test.each([
  '',
  ' ',
  'check.sh',
  'exit 2',
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
  './check.sh ~/x',
  '~/check.sh',
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
])('is more than that, or less: %j', (command) => {
  expect(isProgramCall(command, env)).toBe(false);
});
