import { array, constantFrom, json, jsonValue, nat, string, tuple } from 'fast-check';
import { getNodeValue, parseTree, type ParseError } from 'jsonc-parser';
import { expect, test } from 'vitest';
import { parseJson, parsePlainJson } from '../../../src/settings/files/parse-json.ts';
import { holds } from '../../properties/check.ts';

/** The result of the parser for JSON with comments; undefined if it rejects the text. */
function byParser(text: string): { value: unknown } | undefined {
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { allowTrailingComma: true });
  return root && errors.length === 0 ? { value: getNodeValue(root) } : undefined;
}

const pieces = constantFrom('{', '}', '[', ']', ',', ':', '"a"', '"b"', '"__proto__"', '1', '-0', '1e999', 'null', '//\n', '/**/', ' ', '\\', '"\\""', '\u00A0', '\u2028', '\uFEFF'); // prettier-ignore

test('a text that counts as plain has the value that the parser for JSON with comments reads', async () => {
  let [tried, plain] = [0, 0];
  const compare = (text: string): void => {
    tried++;
    const taken = parsePlainJson(text);
    if (!taken) return;
    plain++;
    expect(taken).toStrictEqual(byParser(text));
  };
  await holds(json({ depthSize: 'large' }), compare);
  await holds(array(pieces, { maxLength: 12 }), (some) => compare(some.join('')), 5_000);
  await holds(
    tuple(jsonValue(), nat(), string({ maxLength: 2 })),
    ([value, at, inserted]) => {
      const written = JSON.stringify(value, null, 1);
      const place = at % (written.length + 1);
      compare(written.slice(0, place) + inserted + written.slice(place));
    },
    2_000,
  );
  // Both kinds occur.
  expect(plain).toBeGreaterThan(100);
  expect(tried - plain).toBeGreaterThan(100);
});

test('settings in their usual form are plain', () =>
  holds(jsonValue({ maxDepth: 5 }), (value) => {
    expect(parsePlainJson(JSON.stringify(value, null, 2))).toBeDefined();
  }));

test('texts with comments, trailing commas, duplicate keys or deep nesting are not plain', () => {
  const deep = '['.repeat(60) + ']'.repeat(60);
  for (const text of ['{} // x', '[1,]', '{"a":1,"a":2}', '{"a":{"b":1,"b":1}}', deep, '', '{'])
    expect(parsePlainJson(text)).toBeUndefined();
});

test('a duplicate key is found however it is written, and strings that look like keys are not counted', () =>
  holds(tuple(string(), string()), ([key, value]) => {
    const entry = `${JSON.stringify(key)} :${JSON.stringify(`"${value}":`)}`;
    expect(parsePlainJson(`{${entry}}`)).toBeDefined();
    expect(parseJson(`{${entry},${entry}}`)).toMatchObject({ doubled: [{ top: key }] });
  }));
