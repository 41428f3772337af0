import { chmodSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { guards } from '../../examples/guards-dialect.ts';
import { otter } from '../../examples/new-host/index.ts';
import { emptyVerdict } from '../../src/core/answers/merge-effects.ts';
import { hookmachine } from '../../src/hosts/hookmachine/index.ts';
import { AllWishes } from '../../src/hosts/parts/wishes.ts';
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

/** What is asked of hooks in the file of the agent in examples/new-host. */
async function otterIn(command: string) {
  const box = sandbox();
  box.write('project/.otter/hooks.json', {
    hooks: { before_tool: [{ matcher: '^shell$', command: `cat > given.json; ${command}` }] },
  });
  const { fire, warnings } = sessionIn(box, { dialects: [otter] });
  const call = { tool_name: 'run_shell_command', tool_input: { command: 'ls' } };
  const { verdict } = await fire('BeforeTool', call);
  const given: unknown = JSON.parse(readFileSync(join(box.project, 'given.json'), 'utf8'));
  return { verdict, given, warnings };
}

test('the example of a new host has its hooks run as its table says', async () => {
  const { verdict, given, warnings } = await otterIn('echo not here >&2; exit 3');
  expect(verdict).toMatchObject({ decision: 'deny', reason: 'not here' });
  expect(given).toMatchObject({
    event: 'before_tool',
    tool_name: 'shell',
    tool_input: { script: 'ls' },
  });
  expect(warnings).toEqual([]);
  const { verdict: other } = await otterIn(`echo '{"script":"pwd"}'`);
  expect(other.changes.tool_input).toEqual({ patch: { command: 'pwd' } });
});

test('the example of a new host is answered in its own words, and installed in its own file', async () => {
  const speaker = await otter.speak();
  const { kind, programs } = await otter.install();
  expect([speaker.title, kind, programs]).toEqual(['Otter', 'entries', ['otter']]);
  const verdict = { ...emptyVerdict, decision: 'deny' as const, reason: 'not here' };
  const outcome = { given: {}, project: '', verdict, native: {} };
  const wishes = new AllWishes('BeforeTool', outcome);
  expect(speaker.write('before_tool', outcome, wishes)).toEqual({
    stdout: { verdict: 'no', why: 'not here' },
  });
  expect(wishes.lost()).toEqual([]);
});
