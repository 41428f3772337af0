import { describe, expect, test } from 'vitest';
import { readRedactEntries } from '../../../src/settings/redaction/redact-entries.ts';
import { redactOf, redactSettings } from '../../../src/settings/redaction/redact-settings.ts';
import { redactor } from '../../../src/settings/redaction/redactor.ts';
import { formatProblem } from '../../../src/core/definitions/problem.ts';
import { sandbox } from '../../support/sandbox.ts';

const { text, value } = redactor();

describe('what is always redacted', () => {
  test.each([
    'password',
    'Password',
    'token',
    'access_token',
    'accessToken',
    'secret',
    'client-secret',
    'api_key',
    'apiKey',
    'X-API-Key',
    'Authorization',
    'cookie',
    'private_key',
  ])('the value of the key %s is redacted at any depth', (key) => {
    expect(value({ a: [{ [key]: { whole: 'hunter2' }, kept: 1 }] })).toEqual({
      a: [{ [key]: '[redacted]', kept: 1 }],
    });
  });

  test.each([
    ['{"a":{"password":"hunter2"}}', '{"a":{"password":"[redacted]"}}'],
    ['log: {"password": "hun\\"ter2", "a": 1}', 'log: {"password":"[redacted]","a":1}'],
    ['say "{\\"password\\":\\"hunter2\\"}"', 'say "{\\"password\\":\\"[redacted]\\"}"'],
    ['GITHUB_TOKEN=hunter2 git push', 'GITHUB_TOKEN=[redacted] git push'],
    ["curl -H 'Authorization: Bearer hunter2' x", "curl -H 'Authorization: [redacted]' x"],
    ['mysql --password hunter2 -u root', 'mysql --password [redacted] -u root'],
    [
      'git clone https://ann:hunter2@example.org/a',
      'git clone https://ann:[redacted]@example.org/a',
    ],
    ['password: hunter2', 'password: [redacted]'],
  ])('the secret in the text %j is redacted', (given, shown) => {
    expect(text(given)).toBe(shown);
  });

  test.each(['max_tokens: 5', 'the token is gone', 'secretary: Ann', 'tokens=3'])(
    'the harmless text %j is not redacted',
    (harmless) => {
      expect(text(harmless)).toBe(harmless);
    },
  );
});

describe('what settings redact', () => {
  test('a key in the settings hides its value, whatever its case', () => {
    expect(redactor(['customer']).value({ CUSTOMER: 'Ann', customers: 'all' })).toEqual({
      CUSTOMER: '[redacted]',
      customers: 'all',
    });
  });

  test('an expression in the settings hides what it matches, in keys and values', () => {
    expect(redactor(['/\\bann\\b/i']).value({ Ann: ['Ann and Joanne'] })).toEqual({
      '[redacted]': ['[redacted] and Joanne'],
    });
  });

  test('an empty match of an expression hides nothing', () => {
    expect(redactor(['/x*/']).text('abxxc')).toBe('ab[redacted]c');
  });

  test('a bad entry of "redact" is reported, and the others still count', () => {
    const { names, expressions, problems } = readRedactEntries([
      '/(/',
      7,
      '',
      '/open',
      'a',
      '/b/gy',
    ]);
    expect(names).toEqual(['a']);
    expect(expressions).toEqual([/b/g]);
    expect(problems.map(({ index, message }) => [index, message])).toEqual([
      [
        0,
        expect.stringMatching(/^is not a regular expression \(.*Unterminated group\), so it was/),
      ],
      [1, 'is 7, so it was ignored'],
      [2, 'is "", so it was ignored'],
      [3, expect.stringMatching(/it has no closing "\/"/)],
    ]);
  });

  test('a problem of "redact" names file, line, place and fix', () => {
    const box = sandbox();
    const file = box.write(box.files.project, '{\n  "hooksConfig": { "redact": ["a", "/(/"] }\n}');
    box.write(box.files.user, { hooksConfig: { redact: ['b', 'a'] } });
    box.write(box.files.system, { hooksConfig: { redact: 'c' } });
    const { entries, problems } = redactSettings(box.project, box.systemFolder);
    expect(entries).toEqual(['a', 'b']);
    expect(problems.map(formatProblem)).toEqual([
      expect.stringMatching(
        /settings\.json:2:\d+ hooksConfig\.redact\[1\]: is not a regular expression/,
      ),
      expect.stringMatching(
        /settings\.json:1:\d+ hooksConfig\.redact: is "c", so it was ignored; make/,
      ),
    ]);
    expect(problems[0]?.file).toBe(file);
  });

  test('settings without the key "redact" redact nothing', () => {
    expect(redactOf({ values: { hooksConfig: {} } })).toEqual({ entries: [], problems: [] });
  });

  test('an expression that backtracks forever freezes nothing: its texts are hidden as a whole', () => {
    const problems: string[] = [];
    const slow = redactor(['/^(a+)+$/'], (problem) => problems.push(problem));
    const evil = `${'a'.repeat(40)}!`;
    for (let again = 0; again < 1_000; again++) expect(slow.text(evil)).toBe('[redacted]');
    expect(slow.text('bb')).toBe('bb');
    expect(problems).toEqual([expect.stringContaining('/^(a+)+$/ takes too long')]);
  });
});

describe('what is too long', () => {
  test('a long text is cut and says by how much', () => {
    expect(text('x'.repeat(30), 10)).toBe(`${'x'.repeat(10)}… (20 more characters)`);
    expect(String(value('x'.repeat(100_000)))).toMatch(/x… \(90000 more characters\)$/);
  });

  test('a secret at the cut is hidden before the cut is made', () => {
    expect(redactor(['/sk-\\d+/']).text('12345678 sk-123456789', 11)).not.toContain('sk-');
  });

  test('a character outside the basic plane is not cut in two', () => {
    expect(text(`${'x'.repeat(9)}😀y`, 10)).toBe('xxxxxxxxx… (2 more characters)');
  });

  test('circular, deep, broad and unreadable values are all handled in bounded size', () => {
    const circle: Record<string, unknown> = { name: 'circle' };
    circle['self'] = circle;
    expect(JSON.stringify(value(circle))).toContain('… (cut)');
    expect(value(Array.from({ length: 1_200 }, () => 0))).toHaveLength(1_001);
    const broad = Object.fromEntries(
      Array.from({ length: 9_000 }, (_, key) => [key, 'x'.repeat(99)]),
    );
    expect(JSON.stringify(value({ broad, broader: [broad, broad, broad] })).length).toBeLessThan(
      500_000,
    );
    const hostile = {
      get trap() {
        throw new Error('no');
      },
    };
    expect(value(hostile)).toBe('… (cannot be shown)');
    expect(value({ bytes: new Uint8Array(5), error: new Error('oops'), at: new Date(0) })).toEqual({
      bytes: '… (5 bytes)',
      error: 'oops',
      at: '1970-01-01T00:00:00.000Z',
    });
  });

  test('redacting does not change the original value', () => {
    const given = Object.freeze({ password: 'hunter2', list: Object.freeze(['a']) });
    value(given);
    expect(given).toEqual({ password: 'hunter2', list: ['a'] });
  });
});
