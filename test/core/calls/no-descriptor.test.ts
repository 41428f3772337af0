import { execa } from 'execa';
import { expect, test } from 'vitest';
import '../../build.ts';

const host = new URL('../../fixtures/hosts/starved.mjs', import.meta.url).pathname;

/** What a host saw of its events during the shortage of descriptors, and afterwards. */
interface Seen {
  readonly tool: string;
  readonly fired: string | null;
  readonly turn: Readonly<Record<string, unknown>>;
  readonly warnings: readonly string[];
}

/**
 * `ready`: whether the hook system was made ready before the shortage or within it; `where`: where its hooks
 * are defined.
 */
async function starved(
  ready: 'before' | 'within',
  onFailure: 'allow' | 'block',
  where: 'code' | 'file' | 'function' | 'host' = 'code',
) {
  const args = ['-c', 'ulimit -n 256; exec node "$@"', 'sh', host, ready, onFailure, where];
  const { stdout } = await execa('sh', args);
  return JSON.parse(stdout) as { readonly meanwhile: Seen; readonly afterwards: Seen };
}

const denied = {
  tool: 'no',
  fired: 'no',
  turn: { type: 'promptBlocked', reason: 'no' },
  warnings: [],
};

test.concurrent.each(
  (['before', 'within'] as const).flatMap((ready) =>
    (['allow', 'block'] as const).map((onFailure) => ({ ready, onFailure })),
  ),
)(
  'a shortage of descriptors has no lasting effect, with hooks made ready $ready it, onFailure $onFailure',
  async ({ ready, onFailure }) => {
    const { meanwhile, afterwards } = await starved(ready, onFailure);
    expect(meanwhile.warnings).toContainEqual(expect.stringContaining('EMFILE'));
    if (onFailure === 'block') {
      expect(meanwhile.tool).toContain('the hook "guard" failed');
      expect(meanwhile.fired).toContain('the hook "guard" failed');
      expect(meanwhile.turn).toMatchObject({ type: 'promptBlocked' });
    } else {
      expect([meanwhile.tool, meanwhile.fired]).toEqual(['written', null]);
      expect(meanwhile.turn).toMatchObject({ type: 'finalAnswer' });
    }
    expect(afterwards).toEqual(denied);
  },
);

test.concurrent('a function whose code cannot be loaded for lack of descriptors is called with the next event, and fails until then', async () => {
  const { meanwhile, afterwards } = await starved('within', 'block', 'function');
  expect(meanwhile.tool).toContain('the hook "guard" failed');
  expect(meanwhile.fired).toContain('the hook "guard" failed');
  expect(afterwards).toEqual(denied);
});

test.concurrent("a host's hooks that cannot be looked for for lack of descriptors are found with the next event", async () => {
  const { meanwhile, afterwards } = await starved('within', 'allow', 'host');
  expect(meanwhile.warnings).toContainEqual(expect.stringContaining('EMFILE'));
  expect(meanwhile.tool).toBe('written');
  expect(afterwards).toMatchObject({ tool: 'no', fired: 'no', warnings: [] });
});

test.concurrent.each(['before', 'within'] as const)(
  'settings that cannot be read for lack of descriptors are read with the next event, with hooks made ready %s the shortage',
  async (ready) => {
    const { meanwhile, afterwards } = await starved(ready, 'allow', 'file');
    expect(meanwhile.warnings).toContainEqual(expect.stringContaining('EMFILE'));
    expect(afterwards).toEqual(denied);
  },
);
