import { execa } from 'execa';
import { expect, test } from 'vitest';

const host = new URL('../fixtures/hosts/starved.mjs', import.meta.url).pathname;

/** What a host heard of its events while no descriptor was free, and once they were again. */
interface Heard {
  readonly tool: string;
  readonly fired: string | null;
  readonly turn: Readonly<Record<string, unknown>>;
  readonly warnings: readonly string[];
}

/** `ready`: whether the hook system was made ready before the shortage, or in it. */
async function starved(ready: 'before' | 'within', onFailure: 'allow' | 'block') {
  const args = ['-c', 'ulimit -n 256; exec node "$@"', 'sh', host, ready, onFailure];
  const { stdout } = await execa('sh', args);
  return JSON.parse(stdout) as { readonly meanwhile: Heard; readonly afterwards: Heard };
}

test.concurrent.each(['allow', 'block'] as const)(
  'a shortage of descriptors after hooks were made ready is over when it is over, onFailure %s',
  async (onFailure) => {
    const { meanwhile, afterwards } = await starved('before', onFailure);
    expect(meanwhile.warnings).toContainEqual(expect.stringContaining('EMFILE'));
    if (onFailure === 'block') expect(meanwhile.tool).toContain('the hook "guard" failed');
    expect(afterwards).toEqual({
      tool: 'no',
      fired: 'no',
      turn: { type: 'promptBlocked', reason: 'no' },
      warnings: [],
    });
  },
);

test.concurrent('machines that could not be loaded deny where a hook says so, and are told', async () => {
  const { meanwhile, afterwards } = await starved('within', 'block');
  const denial = /^Blocked because the hook "guard" failed: EMFILE/;
  for (const { tool, fired, turn, warnings } of [meanwhile, afterwards]) {
    expect(tool).toMatch(denial);
    expect(fired).toMatch(denial);
    expect(turn).toEqual({ type: 'error', message: expect.stringContaining('EMFILE') });
    for (const warning of warnings)
      expect(warning).toMatch(/^BeforeTool: .*EMFILE.*; hook "guard" blocks, as its settings say$/);
    expect(warnings).toHaveLength(2);
  }
});

test.concurrent('machines that could not be loaded else let the call go on, and are told', async () => {
  const { meanwhile, afterwards } = await starved('within', 'allow');
  for (const { tool, fired, turn, warnings } of [meanwhile, afterwards]) {
    expect([tool, fired, turn['type']]).toEqual(['written', null, 'error']);
    for (const warning of warnings) expect(warning).toMatch(/EMFILE.*; it goes on without them$/);
    expect(warnings).toHaveLength(2);
  }
});
