import { describe, expect, test } from 'vitest';
import type { Dialect } from '../../../src/core/dialects/dialect.ts';
import { llxprt } from '../../../src/hosts/llxprt/index.ts';
import { guardsMost, mergedEntries } from '../../../src/core/plan/duplicates.ts';
import type { RegisteredHook } from '../../../src/core/definitions/hook-definition.ts';
import { definition } from '../../support/definition.ts';

type Field = keyof RegisteredHook;

/** A dialect in which all hooks have one identity: only the fields tell them apart. */
const dialects: ReadonlyMap<string, Dialect> = new Map(
  ['llxprt', 'other'].map((name) => [name, { ...llxprt, identity: () => 'one' }]),
);

const runs = (...hooks: RegisteredHook[]): RegisteredHook[] =>
  mergedEntries(hooks, dialects).map(([{ runs: hook }]) => hook);

const tls = (ca: string) => ({ ca });
const bundle = (name: string) => ({ name, version: '1', signer: 's', fault: () => undefined });

/** Hooks that differ in one of these fields are two hooks: the values of two entries. */
const apart: Partial<Record<Field, readonly [unknown, unknown]>> = {
  dialect: ['llxprt', 'other'],
  event: ['BeforeTool', 'AfterTool'],
  nativeEvent: ['a', 'b'],
  type: ['command', 'live'],
  command: ['a', 'b'],
  args: [['a'], ['b']],
  env: [{ MODE: 'strict' }, {}],
  cwd: ['a', undefined],
  shell: ['sh', 'bash'],
  standsIn: [true, undefined],
  headers: [{ key: 'a' }, { key: 'b' }],
  allowedEnv: [['A'], undefined],
  allowedEnvKey: ['a', 'b'],
  allowedUrls: [['https://a/*'], undefined],
  tokenFile: ['a', 'b'],
  tls: [tls('a'), tls('b')],
  model: ['a', 'b'],
  agent: ['a', 'b'],
  secretFile: ['a', 'b'],
  entities: ['a', 'b'],
  default: ['deny', undefined],
  request: [{ action: 'a' }, { action: 'b' }],
  stream: [{ holdBack: 1 }, { holdBack: 2 }],
};

/** The values of two entries in which the stronger one guards less, and what becomes of them. */
const merged: Partial<Record<Field, readonly [strong: unknown, weak: unknown, guards: unknown]>> = {
  if: ['Bash(rm *)', undefined, undefined],
  once: [true, undefined, undefined],
  async: [true, undefined, undefined],
  wakes: [undefined, true, true],
  sequential: [false, true, true],
  enabled: [true, true, true],
  timeout: [100, 5_000, 5_000],
  retries: [undefined, 2, 2],
  loopLimit: [2, undefined, undefined],
  concurrency: [4, undefined, 1],
  prestart: [true, undefined, undefined],
  idempotent: [true, undefined, undefined],
  onFailure: [undefined, 'block', 'block'],
  failsOpen: [true, undefined, undefined],
  inheritsOnFailure: [true, undefined, undefined],
};

/** The values of the entry that runs, or of the first in plan order. */
const kept: Partial<Record<Field, 'strong' | 'first'>> = {
  matcher: 'strong',
  leftBehind: 'strong',
  source: 'strong',
  file: 'strong',
  place: 'strong',
  bundle: 'strong',
  description: 'strong',
  schema: 'strong',
  name: 'first',
};

/** Two functions are two hooks for the dialect, which alone can tell them apart. */
const ofDialects: readonly Field[] = ['call'];

const withField = (source: 'user' | 'project', field: Field, value: unknown): RegisteredHook =>
  Object.fromEntries(
    Object.entries({ ...definition('BeforeTool', { source }), [field]: value }).filter(
      ([, given]) => given !== undefined,
    ),
  ) as unknown as RegisteredHook;

const ruled = (rule?: string) => withField('project', 'if', rule);

describe('the same hook of a user and of a project (S-35)', () => {
  test('each field of a definition has a rule, and each rule is tested here', () => {
    const tested = [apart, merged, kept].flatMap((table) => Object.keys(table));
    expect([...tested, ...ofDialects].toSorted()).toEqual(Object.keys(guardsMost).toSorted());
  });

  test.each(Object.entries(apart))('both run if they differ in "%s"', (field, [one, other]) => {
    const project = withField('project', field as Field, one);
    const user = withField('user', field as Field, other);
    expect(runs(project, user)).toEqual([project, user]);
    expect(runs(withField('project', field as Field, other), user)).toHaveLength(1);
  });

  test.each(Object.entries(merged))(
    'the user’s runs, with the value of "%s" under which it guards most, whoever wrote it',
    (field, [strong, weak, guards]) => {
      for (const [first, second] of [
        [strong, weak],
        [weak, strong],
      ]) {
        const [hook, ...more] = runs(
          withField('project', field as Field, first),
          withField('user', field as Field, second),
        );
        expect(more).toEqual([]);
        expect(hook?.source).toBe('user');
        expect(hook?.[field as Field]).toEqual(guards);
      }
    },
  );

  const values: Partial<Record<Field, readonly [unknown, unknown]>> = {
    matcher: ['a', 'b'],
    leftBehind: ['leave', 'end'],
    source: ['project', 'user'],
    file: ['/p/settings.json', '/u/settings.json'],
    place: ['hooks.BeforeTool[0].hooks[0]', 'hooks.BeforeTool[1].hooks[0]'],
    bundle: [bundle('p'), bundle('u')],
    description: ['p', 'u'],
    schema: ['p', 'u'],
    name: ['p', 'u'],
  };
  test.each(Object.entries(kept))('the one that runs has its own "%s": %s', (field, whose) => {
    const [ofProject, ofUser] = values[field as Field]!;
    const [hook, ...more] = runs(
      withField('project', field as Field, ofProject),
      withField('user', field as Field, ofUser),
    );
    expect(more).toEqual([]);
    expect(hook?.[field as Field]).toEqual(whose === 'first' ? ofProject : ofUser);
  });

  test('hooks with different rules are two hooks, unless another has no rule at all', () => {
    expect(runs(ruled('Bash(a)'), ruled('Bash(b)'), ruled('Bash(a)'))).toHaveLength(2);
    const [all, ...more] = runs(ruled('Bash(a)'), ruled(), ruled('Bash(b)'));
    expect(more).toEqual([]);
    expect(all).not.toHaveProperty('if');
  });

  test('the strongest level runs, whichever comes first: administrator, user, project, extension', () => {
    const levels = ['extension', 'project', 'user', 'system'] as const;
    const hooks = levels.map((source) => definition('BeforeTool', { source }));
    while (hooks.length > 0) {
      expect(runs(...hooks)).toMatchObject([{ source: levels[hooks.length - 1] }]);
      expect(runs(...hooks.toReversed())).toMatchObject([{ source: levels[hooks.length - 1] }]);
      hooks.pop();
    }
  });
});
