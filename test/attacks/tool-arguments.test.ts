import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { AgentHooks } from '../../src/adapters/parts/agent-hooks.ts';
import { executeToolWithHooks } from '../../src/index.ts';
import { newCallId } from '../../src/core/calls/event-hooks.ts';
import type { ToolResult } from '../../src/core/protocol/tool-result.ts';
import { argumentAttacks } from '../support/argument-attacks.ts';
import { group, project } from '../support/project.ts';
import { waitUntil } from '../support/until.ts';

type Args = Readonly<Record<string, unknown>>;
type Run = (input: Args) => unknown;

/** The ways into the engine that all adapters and embedders share. */
const ways: Readonly<
  Record<string, (hooks: AgentHooks, name: string, args: Args, run: Run) => Promise<ToolResult>>
> = {
  executeToolWithHooks: (hooks, name, args, run) =>
    executeToolWithHooks(hooks.config, name, args, async (input) => resultOf(await run(input))),
  "an adapter's call that is judged as it runs": async (hooks, name, args, run) => {
    const call = { id: newCallId(), name, input: args };
    return (await hooks.tool(call, async (input) => resultOf(await run(input)))).toolResult;
  },
};

const resultOf = (value: unknown): ToolResult => ({
  llmContent: String(value),
  returnDisplay: '',
});

const guarded = (command: string): AgentHooks =>
  new AgentHooks({
    cwd: project({ '.hookmachine/settings.json': { hooks: { 'tool.before': [group(command)] } } }),
    onWarning: () => undefined,
  });

const circular: Record<string, unknown> = { path: 'a' };
circular['self'] = circular;
const revoked = Proxy.revocable({ path: 'a' }, {});
revoked.revoke();
let looks = 0;

/** Arguments that only code in this process can make, which hooks would see as others than the tool does. */
const twoFaced: readonly (readonly [string, () => object, 'refused' | 'as judged'])[] = [
  ['a number without a JSON form', () => ({ path: 'a', big: 1n }), 'refused'],
  ['a circle', () => circular, 'refused'],
  [
    'a getter that throws',
    () => ({
      path: 'a',
      get other(): never {
        throw new Error('no');
      },
    }),
    'refused',
  ],
  ['a proxy that is revoked', () => revoked.proxy, 'refused'],
  [
    'a getter',
    () => ({
      get path() {
        return looks++ < 1 ? 'allowed' : 'forbidden';
      },
    }),
    'as judged',
  ],
  [
    'a toJSON of its own',
    () => ({ path: 'forbidden', toJSON: () => ({ path: 'allowed' }) }),
    'as judged',
  ],
  [
    'a proxy that hides',
    () => new Proxy({ path: 'forbidden' }, { ownKeys: () => [] }),
    'as judged',
  ],
  ['an inherited argument', () => Object.create({ path: 'forbidden' }) as object, 'as judged'],
  [
    'a hidden argument',
    () => Object.defineProperty({}, 'path', { value: 'forbidden' }),
    'as judged',
  ],
  [
    'a getter deep inside',
    () => ({
      list: [
        {
          get path() {
            return looks++ < 1 ? 'allowed' : 'forbidden';
          },
        },
      ],
    }),
    'as judged',
  ],
];

describe.each(Object.keys(ways))('%s', (way) => {
  const call = ways[way]!;

  argumentAttacks(async (cwd, calls, run) => {
    const hooks = new AgentHooks({ cwd, onWarning: () => undefined });
    await Promise.all(
      calls.map(({ name, args }) => call(hooks, name, args, (input) => run({ name, args: input }))),
    );
    await hooks.end();
  });

  test('a tool gets its arguments as hooks judged them, or does not run', async () => {
    const hooks = guarded('exit 0');
    for (const [name, make, fate] of twoFaced) {
      looks = 0;
      const seen: string[] = [];
      const { error } = await call(hooks, 'write', make() as Args, (input) =>
        seen.push(JSON.stringify(input) + String(input['path'])),
      );
      expect(seen.join(), name).not.toContain('forbidden');
      expect([seen.length, error === undefined], name).toEqual(
        fate === 'refused' ? [0, false] : [1, true],
      );
      if (fate === 'refused') expect(error!.message, name).toContain('cannot be written as JSON');
    }
    await hooks.end();
  });

  test('a tool does not run if its arguments are changed while hooks judge them', async () => {
    const hooks = guarded('touch begun; until [ -f go ]; do sleep 0.01; done');
    const file = (name: string): string => join(hooks.config.getWorkingDir(), name);
    const args = { path: 'allowed', list: ['a'] };
    let ran = false;
    const ended = call(hooks, 'write', args, () => (ran = true));
    await waitUntil(() => existsSync(file('begun')));
    args.list[0] = 'forbidden';
    writeFileSync(file('go'), '');
    expect((await ended).error?.message).toContain('changed after the hooks had judged them');
    expect(ran).toBe(false);
    await hooks.end();
  });

  test('arguments that hooks and the tool see alike reach it as they are', async () => {
    const hooks = guarded('exit 0');
    const args = {
      path: 'a',
      when: new Date(0),
      map: new Map([[1, 2]]),
      none: undefined,
      bytes: Buffer.from('a'),
    };
    let given: unknown;
    await call(hooks, 'write', args, (input) => (given = input));
    expect(given).toBe(args);
    await hooks.end();
  });
});
