import { chmodSync, mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { missingGuards } from '../../../src/hosts/relay/missing-guards.ts';
import type { HookDefinition } from '../../../src/core/definitions/hook-definition.ts';
import { fingerprint } from '../../../src/settings/trust/fingerprint.ts';
import { rememberAll, type Once } from '../../../src/settings/trust/once.ts';
import {
  definedAs,
  formerly,
  type HookFingerprint,
} from '../../../src/settings/trust/trusted-hook.ts';
import { changeBehind } from '../../../src/settings/trust/change-behind.ts';
import { tempFolder } from '../../support/temp-folder.ts';

const many = 500;

const hookOf = (command: string): HookDefinition => ({
  event: 'BeforeTool',
  type: 'command',
  command,
  name: command,
  timeout: 60_000,
  sequential: false,
  source: 'project',
  place: '',
  env: {},
});

/** Hooks that count how often their definitions are read. */
function counted(): { hooks: HookFingerprint[]; reads: () => number } {
  let reads = 0;
  const hooks = Array.from({ length: many }, (_, index) => ({
    event: 'BeforeTool',
    name: `guard ${index}`,
    place: `hooks.BeforeTool[${index}].hooks[0]`,
    get definition() {
      reads++;
      return `definition ${index}`;
    },
    text: '',
    scripts: [],
    absent: [],
    selected: [],
    unfollowed: [],
  }));
  return { hooks, reads: () => reads };
}

test('looking up many hooks among many trusted ones scans the trusted ones once', () => {
  const { hooks, reads } = counted();
  for (let index = 0; index < many; index++) {
    const same = { event: 'BeforeTool', name: 'x', place: '', definition: `definition ${index}` };
    expect(definedAs(same, hooks)).toBe(hooks[index]);
    const changed = { ...same, name: `guard ${index}`, definition: 'another' };
    expect(definedAs(changed, hooks)).toBe('its definition has changed since you trusted it');
    expect(formerly(changed, hooks)).toBe(hooks[index]);
    const moved = { ...changed, name: 'x', place: `hooks.BeforeTool[${index}].hooks[0]` };
    expect(formerly(moved, hooks)).toBe(hooks[index]);
  }
  expect(definedAs({ event: '', name: '', place: '', definition: '' }, hooks)).toMatch('is new');
  expect(reads()).toBeLessThanOrEqual(many);
});

test('searching for missing ones among many trusted hooks scans them only a few times', () => {
  const { hooks, reads } = counted();
  const same = Array.from({ length: many }, () => ({ ...hookOf('true'), enabled: true }));
  const missing = missingGuards(
    hooks,
    { getEnableHooks: () => true, getWorkingDir: () => '/' },
    { getAllHooks: () => same as never, problems: [], unasked: [], dialects: new Map() as never },
  );
  expect(missing).toHaveLength(many);
  expect(reads()).toBeLessThanOrEqual(3 * many);
});

test('the files behind many hooks are read once when all are checked together', async () => {
  const cwd = mkdtempSync(join(tempFolder(), 'many-'));
  writeFileSync(join(cwd, 'guard.sh'), 'exit 0\n');
  writeFileSync(join(cwd, 'tool'), '#!/bin/sh\n');
  chmodSync(join(cwd, 'tool'), 0o755);
  const worked = new Map<string, number>();
  const remember = rememberAll();
  const once: Once = (key, work) =>
    remember(key, () => {
      worked.set(key, (worked.get(key) ?? 0) + 1);
      return work();
    });
  for (let index = 0; index < 50; index++) {
    const hook = hookOf(`sh guard.sh ${index}; unknown-tool "$X"`);
    const found = await fingerprint(hook, cwd, 'allow', undefined, once);
    expect(found.scripts.map(({ path }) => path)).toContain('guard.sh');
    expect(await changeBehind(found, cwd, once)).toBeUndefined();
  }
  const kinds = [...worked.keys()].map((key) => key.split(' ')[0]);
  expect(kinds).toEqual(['file']);
  expect([...worked.values()]).toEqual([1]);
});
