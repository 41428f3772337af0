import { afterAll, expect, test } from 'vitest';
import { written } from './proof/corpus.ts';
import { labelOf } from './proof/label.ts';
import { Sandboxes, whyNoSandbox, type Judged } from './proof/sandbox.ts';

/*
 * The short form of `npm run guards`: some commands of its corpus, each judged and then run in a sandbox of its own.
 */

const refused = whyNoSandbox();
if (refused !== undefined)
  process.stderr.write(`SKIPPED: no guard is proved by execution here (${refused})\n`);

const apart = 40;
const commands = written.filter((_, index) => index % apart === 0);
const sandboxes = refused === undefined ? new Sandboxes() : undefined;

afterAll(() => sandboxes?.end());

test.skipIf(sandboxes === undefined)(
  'what destroys or leaks in a sandbox is denied or asked about beforehand',
  async () => {
    const judged: readonly Judged[] = await sandboxes!.judge(commands);
    const before = await sandboxes!.run(':');
    const missed: string[] = [];
    const kinds = new Set<string>();
    for (const { command, answer } of judged) {
      const { is, because } = labelOf(await sandboxes!.run(command), before);
      kinds.add(is);
      if (/^(?:catastrophic|dangerous)$/.test(is) && answer === 'allow')
        missed.push(`${command} ${because}`);
    }
    expect(missed).toEqual([]);
    expect(kinds).toContain('catastrophic');
    expect(kinds).toContain('harmless');
  },
);
