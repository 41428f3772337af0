import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { guards } from '../../examples/guards-dialect.ts';
import { hookmachine } from '../../src/hosts/hookmachine/index.ts';
import { hookAt, sessionIn } from '../support/own-hooks.ts';
import { sandbox } from '../support/sandbox.ts';
import { someFields } from '../support/session.ts';

function guardedBox() {
  const box = sandbox();
  const script = '#!/bin/sh\nif grep -q write_file; then echo no writing >&2; exit 2; fi\n';
  box.write('project/.guards/no-writing', script);
  chmodSync(join(box.project, '.guards', 'no-writing'), 0o755);
  return box;
}

test('the example of a dialect guards tools alongside another dialect', async () => {
  const box = guardedBox();
  box.write(box.own.project, hookAt('tool.before', 'true'));
  const { fire, warnings } = sessionIn(box, { dialects: [guards, hookmachine] });
  const { verdict, results } = await fire('BeforeTool', someFields.BeforeTool);
  expect(results.map(({ hook }) => hook.dialect)).toEqual(['guards', 'hookmachine']);
  expect(verdict).toMatchObject({ decision: 'deny', reason: 'no writing' });
  const { verdict: other } = await fire('BeforeTool', { tool_name: 'glob', tool_input: {} });
  expect(other.decision).toBeUndefined();
  expect(warnings).toEqual([]);
});

test('hooks of the example dialect do not run in an untrusted project', async () => {
  const box = guardedBox();
  box.write(box.own.user, hookAt('tool.before', 'true'));
  const dialects = [guards, hookmachine];
  const { fire } = sessionIn(box, { dialects, isTrustedFolder: () => false });
  const { results } = await fire('BeforeTool', someFields.BeforeTool);
  expect(results.map(({ hook }) => hook.dialect)).toEqual(['hookmachine']);
});
