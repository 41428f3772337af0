import { createRequire } from 'node:module';
import { expect, test } from 'vitest';
import { debugChannel } from '../../src/base/log.ts';
import { debugLines } from '../support/debug-lines.ts';

test.each([
  ['llxprt:core:hooks:runner', 1],
  ['llxprt:*', 1],
  ['*', 1],
  ['*:runner', 1],
  ['other, llxprt:core:hooks:run*', 1],
  ['other llxprt:core:hooks:runner', 1],
  ['*,-llxprt:core:hooks:runner', 0],
  ['-llxprt:*,*', 0],
  ['llxprt:core:hooks', 0],
  ['llxprt:core:hooks:runners', 0],
  ['llxprt.core.hooks.runner', 0],
  ['llxprt:core:hooks:(runner', 0],
  ['-other', 0],
  ['', 0],
])('DEBUG=%s selects the same lines as in other programs (C-102)', (wanted, count) => {
  const lines = debugLines(wanted);
  debugChannel('runner')('a line');
  expect(lines).toHaveLength(count);
});

test('a debug line holds the time, the name and the values, those of %o on one line', () => {
  const lines = debugLines('*');
  debugChannel('runner')('%s ends %d: %o, %o', 'a "b"', 3, 'x\ny', { a: [1, { b: 2 }] });
  expect(lines.join('')).toMatch(
    /^\d{4}-\d\d-\d\dT[\d:.]+Z llxprt:core:hooks:runner a "b" ends 3: x\\ny, \{ a: \[ 1, \{ b: 2 \} \] \}\n$/,
  );
});

test('a host that enables the log with its own copy of the package gets the lines', () => {
  const lines = debugLines('');
  const require = createRequire(import.meta.url);
  // Another copy, as a host with another version of the package has it.
  for (const file of Object.keys(require.cache)) delete require.cache[file];
  const host = require('debug') as { enable(namespaces: string): void; disable(): void };
  const channel = debugChannel('planner');
  channel('before');
  host.enable('llxprt:core:hooks:*');
  channel('enabled');
  host.enable('other');
  channel('for others');
  host.disable();
  channel('disabled');
  expect(lines.map((line) => line.replace(/^\S+ /, ''))).toEqual([
    'llxprt:core:hooks:planner enabled\n',
  ]);
});
