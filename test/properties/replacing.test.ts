import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { defineStreamHook, replacing } from '../../src/entries/hook.ts';
import { holds } from './check.ts';

/** As long as the longest match, with what it looks ahead at. */
const holdBack = 12;

const patterns: readonly RegExp[] = [
  /(?<=ab: )\w{1,8}/,
  /(?<!a)b/,
  /(?<=(a|b) {0,3})c+?b/,
  /(?<=^a.{0,4})b/m,
  /\bab?\b/,
  /\Ba/,
  /^a/,
  /^a|b(?= )/m,
  /a(?=b{1,3})/,
  /a(?! b)/,
  /a{1,6}b?/,
  /a{1,6}?(?:b|c)/,
  /(?<one>[ab])c?\k<one>/,
  /(a|b)(?:\1| )/,
  /ab|abc|a/,
  /(?:)(?=b)/,
  /\b/,
  /b{0,3}/,
  /a$/m,
  /c$/,
  /^(?![^]*b)a/y,
  /[^\s:]{1,8}:/g,
  /😀a?|é/u,
  /(?<=😀)./su,
  /\p{Lu}{1,4}/u,
  /A{1,3}/i,
];

const piece = fc.string({
  unit: fc.constantFrom('a', 'b', 'c', 'A', ' ', ':', '\n', '😀', 'é', '\uD83D', '\uDE00'),
  maxLength: 60,
});
const cases = fc.record({
  pattern: fc.constantFrom(...patterns),
  text: piece,
  cuts: fc.array(fc.nat(60), { maxLength: 30 }),
  marks: fc.boolean(),
});

const partsOf = (text: string, cuts: readonly number[]): string[] => {
  const ends = [0, ...cuts.filter((cut) => cut < text.length).toSorted((a, b) => a - b)];
  return ends.map((at, index) => text.slice(at, ends[index + 1] ?? text.length));
};

test('replacing() does to a text in pieces what it does to the whole, and shows nothing early that it would have hidden', async () => {
  let answers = 0;
  await holds(
    cases,
    async ({ pattern, text, cuts, marks }) => {
      const by = marks ? (match: string): string => `<${match.length}>` : '$1[]';
      const everywhere = new RegExp(pattern, `${pattern.flags.replaceAll(/[gy]/g, '')}g`);
      const expected = text.replaceAll(everywhere, typeof by === 'string' ? () => by : by);
      const hook = defineStreamHook(replacing(pattern, by));
      const id = String(++answers);
      let [shown, held] = ['', ''];
      const parts = partsOf(text, cuts);
      for (const [index, part] of parts.entries()) {
        const done = index === parts.length - 1;
        const stream = { text: held + part, done, holdBack, id };
        const said = (await hook({ stream } as never)) as { text: string; held: string };
        shown += said.text;
        held = said.held;
        expect(held.length).toBeLessThanOrEqual(holdBack);
        expect(expected.startsWith(shown)).toBe(true);
      }
      expect(shown + held).toBe(expected);
    },
    600,
  );
});

test('replacing() forgets an answer once it is done, and keeps those beside it apart', async () => {
  const hook = defineStreamHook(replacing(/^secret|(?<=key )\w/, '-'));
  const say = async (id: string, text: string, done = false) =>
    ((await hook({ stream: { id, text, done, holdBack: 0 } } as never)) as { text: string }).text;
  expect(await say('1', 'key ')).toBe('key ');
  expect(await say('2', 'secret ')).toBe('- ');
  expect(await say('1', 'abc')).toBe('-bc');
  expect(await say('2', 'secret', true)).toBe('secret');
  expect(await say('2', 'secret')).toBe('-');
});
