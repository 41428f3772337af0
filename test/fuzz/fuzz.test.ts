import { describe, expect, test } from 'vitest';
import { Coverage } from '../../fuzz/coverage.ts';
import { corpusOf, describeBroken, fuzz } from '../../fuzz/fuzz.ts';
import { promise, type Target } from '../../fuzz/target.ts';
import { targets } from '../../fuzz/targets/index.ts';
import { readStdout } from '../../src/hosts/plain/answer.ts';

/** How many inputs each target gets after its corpus; `npm run fuzz` continues for a minute each. */
const inputs = 25;
/**
 * The same seed each time, so that a failure was caused by the change at hand; `npm run fuzz` uses others.
 */
const seed = Number(process.env['FUZZ_SEED'] ?? 1);

describe(`whatever strangers write breaks nothing (FUZZ_SEED=${seed})`, () => {
  test.each(targets)('whatever strangers write does not break the target $name', async (target) => {
    const { broken, ...ran } = await fuzz(target, { inputs, seed });
    console.log(`${target.name}: ${JSON.stringify(ran)}`);
    expect(broken && describeBroken(target, broken)).toBeUndefined();
    expect(ran.tried).toBeGreaterThanOrEqual(corpusOf(target).length + inputs);
    expect(ran.covered).toBeGreaterThan(0);
  });
});

describe('the fuzzer', () => {
  const breaking: Target = {
    name: 'stdout',
    words: ['decision'],
    run: (text) => promise(!text.includes('decision":"d'), 'nobody says d'),
  };

  test('the fuzzer finds what breaks a target, and reduces it', async () => {
    const { broken } = await fuzz(breaking, { inputs: 100_000, seed: 1 });
    expect(broken?.input).toBe('decision":"d');
    expect(describeBroken(breaking, broken!)).toContain('nobody says d');
  });

  test('the fuzzer notices when code runs that had not run before', () => {
    const coverage = new Coverage();
    try {
      readStdout('BeforeTool', '');
      coverage.remember(coverage.news());
      readStdout('BeforeTool', '');
      expect(coverage.news().size).toBe(0);
      readStdout('BeforeTool', '{"decision":"deny"}');
      expect(coverage.news().size).toBeGreaterThan(0);
    } finally {
      coverage.close();
    }
  });
});
