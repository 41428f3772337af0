import { appendFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { Dialect } from '../../src/core/dialects/dialect.ts';
import { knownDialects, presentDialects, presentDialectsWith } from '../../src/hosts/all/known.ts';
import { kodelet, kodeletStrict } from '../../src/hosts/kodelet/index.ts';
import { llxprt } from '../../src/hosts/llxprt/index.ts';
import { trustChecker } from '../../src/settings/trust/project-trust.ts';
import { inProcess } from '../support/in-process.ts';
import { answering, kodeletBox } from '../support/kodelet.ts';
import { inParallel, someFields, startSession } from '../support/session.ts';

const namesWith = (dialect: Dialect): string[] =>
  presentDialectsWith(dialect).map(({ name }) => name);

describe('the dialects of a session', () => {
  test('a chosen dialect replaces the present one that finds the same hooks', () => {
    const present = presentDialects.map(({ name }) => name);
    expect(present.slice(0, 3)).toEqual(['llxprt', 'hookmachine', 'kodelet']);
    for (const dialect of knownDialects)
      expect(namesWith(dialect)).toEqual(
        present.map((name) =>
          name === 'kodelet' && dialect === kodeletStrict ? 'kodelet-strict' : name,
        ),
      );
  });

  test('a dialect that throws while it looks for hooks is reported, and the others still work', async () => {
    const { local, start } = kodeletBox();
    local('guard', answering('before_tool_call', { blocked: true, reason: 'no' }));
    const broken: Dialect = {
      ...llxprt,
      name: 'broken',
      find: () => {
        throw new Error('boom');
      },
    };
    const { fire, warnings } = await start({ dialects: [broken, kodelet] });
    const { finalOutput } = await fire('BeforeTool', someFields.BeforeTool);
    expect(finalOutput?.isBlockingDecision()).toBe(true);
    expect(warnings).toEqual([
      'the hooks of broken cannot be found (boom), so none of them runs; fix what the message names',
    ]);
  });

  test('a dialect that throws on reload keeps the hooks that it found before', async () => {
    let isBroken = false;
    const once: Dialect = {
      ...llxprt,
      find: (site) => {
        if (isBroken) throw new Error('no descriptor is free');
        return llxprt.find(site);
      },
    };
    const session = await startSession({ BeforeTool: inParallel('exit 2') }, { dialects: [once] });
    isBroken = true;
    await session.config.getHookSystem()!.reload();
    const { finalOutput } = await session.fire('BeforeTool', someFields.BeforeTool);
    expect(finalOutput?.isBlockingDecision()).toBe(true);
    expect(session.warnings).toEqual([
      'the hooks of llxprt cannot be found (no descriptor is free), so those found last still count; fix what the message names',
    ]);
  });

  test('only one of the dialects that find the same hooks may be named', async () => {
    const box = kodeletBox();
    const { stderr, exitCode } = await inProcess(box, [
      'list',
      '--dialects',
      `${kodelet.name},${kodeletStrict.name}`,
    ]);
    expect([stderr, exitCode]).toEqual([
      'hookmachine: --dialects kodelet,kodelet-strict: name only one of the kodelet dialects',
      1,
    ]);
  });
});

test("a project's hook that is no longer trusted stops hiding the user's hook", async () => {
  const { local, global, start, project } = kodeletBox();
  const file = local('guard', answering('agent_stop', {}));
  global('guard', answering('before_tool_call', { blocked: true, reason: 'no' }));
  let isTrusted = true;
  const { fire } = await start({
    checkTrust: (hook) => (isTrusted ? { trusted: true } : trustChecker(project, () => {})(hook)),
  });
  const isBlocked = async () =>
    (await fire('BeforeTool', someFields.BeforeTool)).finalOutput?.isBlockingDecision() ?? false;
  expect(await isBlocked()).toBe(false);
  appendFileSync(file, '\n');
  isTrusted = false;
  expect(await isBlocked()).toBe(true);
});
