import { describe, expect, test } from 'vitest';
import {
  parseJson,
  type ParsedJson,
  type SyntaxFault,
} from '../../../src/settings/files/parse-json.ts';
import { cpuTime } from '../../support/cpu-time.ts';

const parsed = (text: string): ParsedJson => {
  const result = parseJson(text);
  if ('fault' in result) throw new Error(result.fault);
  return result;
};

const pathsOf = (doubled: ParsedJson['doubled']) => doubled.map(({ path }) => path());

const faultOf = (text: string): SyntaxFault => {
  const result = parseJson(text);
  if ('value' in result) throw new Error('it parsed');
  return result;
};

describe('JSON as people write it (C-16)', () => {
  test('comments and trailing commas are accepted', () => {
    const text = `// first
    { /* second */ "a": [1, 2,], // third
      "b": "no // comment, /* nor this */", }
    /* last */`;
    expect(parsed(text).value).toEqual({ a: [1, 2], b: 'no // comment, /* nor this */' });
  });

  test('a byte order mark and Windows line ends are accepted', () => {
    const { value, locate } = parsed('\uFEFF{\r\n  "a": {\r\n    "b": 1\r\n  }\r\n}\r\n');
    expect(value).toEqual({ a: { b: 1 } });
    expect(locate(['a', 'b'])).toEqual({ line: 3, column: 10 });
  });

  test.each(['null', '[]', '5', '"x"', 'true'])('%s is parsed as JSON', (text) => {
    expect(parsed(text).value).toEqual(JSON.parse(text));
  });

  test('keys of Object.prototype are ordinary keys', () => {
    const { value } = parsed('{"__proto__": {"polluted": 1}, "constructor": 2}');
    expect(Object.keys(value as object)).toEqual(['__proto__', 'constructor']);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });
});

describe('a syntax error', () => {
  test.each([
    ['{\n  "a": 1\n  "b": 2\n}', 'a comma is expected', { line: 3, column: 3 }],
    ['{"a": }', 'a value is expected', { line: 1, column: 7 }],
    ['{a: 1}', 'unexpected text', { line: 1, column: 2 }],
    ["{'a': 1}", 'unexpected text', { line: 1, column: 2 }],
    ['{"a": 1', 'a closing } is expected', { line: 1, column: 8 }],
    ['{} {}', 'there is more text after the end', { line: 1, column: 4 }],
    ['{"a": "x\n"}', 'a string does not end', { line: 1, column: 7 }],
    ['/* {}', 'a comment does not end', { line: 1, column: 1 }],
    ['', 'it is empty', { line: 1, column: 1 }],
    [' \n\t', 'it is empty', { line: 1, column: 1 }],
  ])('a syntax error in %j is reported with its place', (text, fault, at) => {
    expect(faultOf(text)).toEqual({ fault, at });
  });

  test('absurdly deep nesting is reported as a syntax error', () => {
    expect(faultOf('['.repeat(200_000)).fault).toBe('it is nested too deeply');
  });
});

describe('the place of a value', () => {
  const text = '{\n  "hooks": {\n    "BeforeTool": [\n      5\n    ]\n  }\n}';

  test('the place of a value is its position in the text', () => {
    expect(parsed(text).locate(['hooks', 'BeforeTool', 0])).toEqual({ line: 4, column: 7 });
  });

  test('the place of a missing value is that of the nearest value around it', () => {
    expect(parsed(text).locate(['hooks', 'AfterTool', 3, 'x'])).toEqual({ line: 2, column: 12 });
    expect(parsed(text).locate([])).toEqual({ line: 1, column: 1 });
  });

  test('the place of a value is in the last of duplicate keys, because that one counts', () => {
    const { value, locate, doubled } = parsed('{"a": [1],\n "a": [2]}');
    expect(value).toEqual({ a: [2] });
    expect(locate(['a', 0])).toEqual({ line: 2, column: 8 });
    expect(pathsOf(doubled)).toEqual([['a']]);
  });
});

test('duplicate keys are found at every depth', () => {
  expect(pathsOf(parsed('[{"b": {"c": 1, "c": 2, "c": 3}}, {"b": 1}]').doubled)).toEqual([
    [0, 'b', 'c'],
    [0, 'b', 'c'],
  ]);
});

test('a duplicate key is reported with the top-level key that it is under', () => {
  const { doubled } = parsed('{"a": [{"b": 1, "b": 2}], "c": 1, "c": {"d": 1, "d": 2}}');
  expect(doubled.map(({ top, path }) => [top, path()])).toEqual([
    ['c', ['c']],
    ['a', ['a', 0, 'b']],
    ['c', ['c', 'd']],
  ]);
});

test('a file of several megabytes is parsed in no noticeable time', () => {
  const hook = { type: 'command', command: 'x'.repeat(200) };
  const text = JSON.stringify({ hooks: Array.from({ length: 20_000 }, () => hook) });
  const start = cpuTime();
  expect((parsed(text).value as { hooks: unknown[] }).hooks).toHaveLength(20_000);
  expect(cpuTime() - start).toBeLessThan(5_000);
});
