import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { group, project } from './project.ts';

type Args = Readonly<Record<string, unknown>>;

/** One call of a tool by an agent. */
export interface AttackCall {
  readonly id: string;
  readonly name: string;
  readonly args: Args;
}

/** What a tool was run with. */
export interface AttackRan {
  readonly name: string;
  readonly args: Args;
}

/** Has an agent of a framework make these calls in one step, guarded by the hooks of a project. */
export type Attack = (
  cwd: string,
  calls: readonly AttackCall[],
  run: (ran: AttackRan) => unknown,
) => Promise<unknown>;

/** A hook that denies what it can see to be wanted, and writes down what it saw. */
const guard = `input=$(cat); printf '%s\\n' "$input" >> judged; case "$input" in *forbidden*) echo 'not that' >&2; exit 2;; esac`;

const nested = (depth: number): unknown => {
  let value: unknown = 'forbidden';
  for (let level = 0; level < depth; level++) value = [value];
  return value;
};

/** Arguments that a model may write, in which something is forbidden. */
const forbidden: readonly (readonly [string, string])[] = [
  ['at the top', '{"path":"forbidden"}'],
  ['in a large text', JSON.stringify({ path: 'a', text: `${'x'.repeat(300_000)}forbidden` })],
  ['600 levels down', JSON.stringify({ path: 'a', deep: nested(600) })],
  ['in __proto__', '{"__proto__":{"path":"forbidden"}}'],
  ['in a constructor', '{"path":"a","constructor":{"prototype":{"path":"forbidden"}}}'],
  ['in toString and toJSON', '{"path":"a","toString":"x","toJSON":"forbidden"}'],
  ['in a key', '{"path":"a","forbidden":null}'],
  ['behind a null byte', '{"path":"a\\u0000forbidden"}'],
  ['behind half a character', '{"path":"\\ud800forbidden"}'],
];

/** Names that a model may be offered, all of which frameworks and providers accept. */
const names = ['write', 'write-file', 'constructor', 'toString', '__proto__x', 'hasOwnProperty'];

const guarded = (): string =>
  project({ '.hookmachine/settings.json': { hooks: { 'tool.before': [group(guard)] } } });

/** The arguments that the guard of a project saw. */
const judgedIn = (cwd: string): unknown[] =>
  readFileSync(join(cwd, 'judged'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as { tool_input: unknown }).tool_input);

/**
 * What a model may try against hooks, for the adapter of each framework.
 *
 * @param names of tools that the framework does not accept
 */
export function argumentAttacks(attack: Attack, refused: readonly string[] = []): void {
  test('what a guard forbids does not run, wherever a model hides it', async () => {
    const cwd = guarded();
    const ran: AttackRan[] = [];
    const calls = forbidden.map(([, json], n) => ({
      id: `call_${n}`,
      name: 'write',
      args: JSON.parse(json) as Args,
    }));
    await attack(cwd, [...calls, { id: 'call_z', name: 'write', args: { path: 'z' } }], (call) => {
      ran.push(call);
      return 'done';
    });
    // Some frameworks leave out what names a prototype: the rest of such a call may run.
    const got = ran.map(({ args }) => `${String(args['path'])} ${JSON.stringify(args)}`);
    expect(got).toContain('z {"path":"z"}');
    expect(got.filter((text) => text.includes('forbidden'))).toEqual([]);
    // Some frameworks refuse some of them by themselves.
    expect(judgedIn(cwd)).toContainEqual({ path: 'z' });
  });

  test('what a guard forbids does not run, whatever the tool is called', async () => {
    const ran: AttackRan[] = [];
    const offered = names.filter((name) => !refused.includes(name));
    const calls = offered.flatMap((name, n) => [
      { id: `no_${n}`, name, args: { path: 'forbidden' } },
      { id: `yes_${n}`, name, args: { path: 'allowed' } },
    ]);
    await attack(guarded(), calls, (call) => {
      ran.push(call);
      return 'done';
    });
    expect(ran.map(({ name }) => name).toSorted()).toEqual([...offered].toSorted());
    expect(ran.every(({ args }) => args['path'] === 'allowed')).toBe(true);
  });

  test('calls with the same id are each judged by their own arguments', async () => {
    const ran: AttackRan[] = [];
    const paths = ['a', 'forbidden', 'b', 'forbidden'];
    const calls = paths.map((path) => ({ id: 'same', name: 'write', args: { path } }));
    const made = attack(guarded(), calls, (call) => {
      ran.push(call);
      return 'done';
    });
    // A framework may refuse them.
    await made.catch(() => undefined);
    expect(ran.map(({ args }) => args['path']).filter((path) => path === 'forbidden')).toEqual([]);
  });

  test('a tool that throws, rejects or gives something odd does not keep the next call from being judged', async () => {
    const ran: string[] = [];
    const odd: readonly (() => unknown)[] = [
      () => {
        throw new Error('thrown');
      },
      () => Promise.reject(new Error('rejected')),
      () => undefined,
      () => ({ big: 'x'.repeat(100_000) }),
    ];
    const calls = odd.flatMap((_, n) => [
      { id: `odd_${n}`, name: 'write', args: { path: String(n) } },
      { id: `no_${n}`, name: 'write', args: { path: 'forbidden' } },
    ]);
    await attack(guarded(), calls, ({ args }) => {
      ran.push(String(args['path']));
      return odd[Number(args['path'])]!();
    });
    expect(new Set(ran)).toEqual(new Set(['0', '1', '2', '3']));
  });
}
