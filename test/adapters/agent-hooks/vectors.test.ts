import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { jcsSha256 } from '../../../src/adapters/agent-hooks/index.ts';
import { canonicalJson } from '../../../src/base/canonical-json.ts';
import { tempFolder } from '../../support/temp-folder.ts';
import { faultsOf, runVector, type Vector } from './scenario.ts';

const folder = new URL('../../fixtures/agent-hooks/', import.meta.url);

/** What this host does not declare, and why; `docs/standards.md` says the same. */
const undeclared: Readonly<Record<string, string>> = {
  int64_json: 'JavaScript reads integers beyond 2^53 rounded',
  bigint_json: 'JavaScript reads integers beyond 2^53 rounded',
  incremental_output: 'the whole answer is judged before any of it is returned',
};

const vectors = readdirSync(new URL('vectors/', folder)).map(
  (name) => JSON.parse(readFileSync(new URL(`vectors/${name}`, folder), 'utf8')) as Vector,
);

describe('the published vectors of AGENT-HOOKS-0.1', () => {
  test('are all there', () => expect(vectors).toHaveLength(51));

  test.each(vectors.map((vector) => [vector.id, vector.title, vector] as const))(
    '%s %s',
    async (_, __, vector) => {
      const missing = (vector.capabilities ?? []).filter((name) => name in undeclared);
      if (missing.length > 0) {
        expect(vector.id).toMatch(/-(?:090|091|095|110|111|112|113)$/);
        return;
      }
      expect(faultsOf(vector, await runVector(vector, tempFolder()))).toEqual([]);
    },
  );
});

interface Golden {
  readonly id: string;
  readonly ctx: never;
  readonly expect: {
    readonly canonical_json?: string;
    readonly context_identity?: string;
    readonly error?: unknown;
  };
}

const { fixtures } = JSON.parse(readFileSync(new URL('identity.json', folder), 'utf8')) as {
  readonly fixtures: readonly Golden[];
};

/** Its text says 9.999999999999997e+22, and its golden JSON the double below that: a rounding of its generator. */
const misrounded = 'G-15-rfc8785-numbers';

test.each(fixtures.filter(({ id }) => id !== misrounded).map((one) => [one.id, one] as const))(
  'the golden identity %s',
  (_, { ctx, expect: wanted }) => {
    if (wanted.context_identity === undefined) expect(() => jcsSha256.identify(ctx)).toThrow(/./);
    else expect(jcsSha256.identify(ctx)).toBe(wanted.context_identity);
  },
);

test('numbers are written as RFC 8785 and ECMAScript write them', () => {
  const { ctx, expect: wanted } = fixtures.find(({ id }) => id === misrounded)!;
  const ours = canonicalJson(ctx);
  expect(ours).toContain('"f":9.999999999999997e+22');
  expect(ours.replaceAll('9.999999999999997e+22', '9.999999999999996e+22')).toBe(
    wanted.canonical_json,
  );
});

test.each([
  ['a number that is not finite', JSON.parse('{"a":1e400}')],
  ['an integer that was rounded', { a: 2 ** 53 }],
  ['half a character', { a: '\ud800' }],
  ['a hundred and thirty levels', JSON.parse(`${'['.repeat(130)}${']'.repeat(130)}`)],
])('%s has no identity', (_, value) => {
  expect(() => canonicalJson(value)).toThrow(/./);
});
