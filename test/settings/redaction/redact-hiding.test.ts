import { describe, expect, test } from 'vitest';
import { redactor } from '../../../src/settings/redaction/redactor.ts';

const { text, value } = redactor();

describe('the name of a secret may end a longer one', () => {
  test.each([
    'GITHUB_TOKEN',
    'githubToken',
    'DB_PASSWORD',
    'PGPASSWORD',
    'dbPwd',
    'OPENAI_API_KEY',
    'AWS_SECRET_ACCESS_KEY',
    'accessKey',
    'X-Auth-Token',
    'credential',
    'awsCredentials',
    'password2',
  ])('the value of %s is hidden', (key) => {
    expect(value({ [key]: ['SECRET'] })).toEqual({ [key]: '[redacted]' });
    expect(text(`${key}=SECRET go`)).toBe(`${key}=[redacted] go`);
  });

  test.each(['max_tokens', 'maxTokens', 'tokenCount', 'secretary', 'keyboard', 'passwordless'])(
    'the value of %s is not hidden',
    (key) => {
      expect(value({ [key]: 5 })).toEqual({ [key]: 5 });
      expect(text(`${key}=5 go`)).toBe(`${key}=5 go`);
    },
  );

  test('a name from the settings must match exactly', () => {
    const customers = redactor(['customer']);
    expect(customers.value({ customer: 'Ann', mainCustomer: 'Bob' })).toEqual({
      customer: '[redacted]',
      mainCustomer: 'Bob',
    });
    expect(customers.text('customer=Ann mainCustomer=Bob')).toBe(
      'customer=[redacted] mainCustomer=Bob',
    );
  });

  test('a name from the settings need not be a word', () => {
    expect(redactor(['full name', 'größe+']).text('full name: Ann\ngröße+=5')).toBe(
      'full name: [redacted]\ngröße+=[redacted]',
    );
  });
});

describe('a secret that is named by a sibling field', () => {
  const secret = { name: 'X-Api-Key', value: 'SECRET' };
  const harmless = { name: 'accept', value: 'kept' };

  test('a secret that a sibling field names is hidden in a value, whichever comes first', () => {
    expect(value([secret, harmless, { value: 'SECRET', Key: 'password' }])).toEqual([
      { ...secret, value: '[redacted]' },
      harmless,
      { value: '[redacted]', Key: 'password' },
    ]);
  });

  test('a secret that a sibling field names is hidden in JSON', () => {
    expect(text(JSON.stringify([secret, harmless]))).toBe(
      JSON.stringify([{ ...secret, value: '[redacted]' }, harmless]),
    );
  });

  test('a secret that an attribute names is hidden in a text', () => {
    expect(text('<input name="password" value="SECRET"> <input name=age value=7>')).toBe(
      '<input name="password" value="[redacted]"> <input name=age value=7>',
    );
  });
});

describe('a secret is found', () => {
  const token = { token: { value: 'SECRET' } };

  test('a secret is found in JSON within JSON within JSON', () => {
    const innermost = { password: 'a\\b"SECRET' };
    const nested = { a: JSON.stringify({ inner: JSON.stringify(innermost) }) };
    const shown = {
      a: JSON.stringify({ inner: JSON.stringify({ password: '[redacted]' }) }),
    };
    expect(value(nested)).toEqual(shown);
    expect(text(JSON.stringify(nested))).toBe(JSON.stringify(shown));
    expect(text(`{broken ${JSON.stringify(nested)}`)).not.toContain('SECRET');
  });

  test('a secret is found in a JSON string that holds JSON', () => {
    expect(text(JSON.stringify(JSON.stringify(token)))).toBe(
      JSON.stringify('{"token":"[redacted]"}'),
    );
  });

  test('an expression matches text that JSON escapes', () => {
    expect(redactor(['/say "\\w+"/']).text(JSON.stringify({ a: 'say "SECRET"' }))).toBe(
      '{"a":"[redacted]"}',
    );
  });

  test.each([
    [
      '{"token":["SECRET"]}\n{"token":{"value":"SECRET"}}',
      '{"token":"[redacted]"}\n{"token":"[redacted]"}',
    ],
    ['got {"token":{"value":"SECRET"}}', 'got {"token":"[redacted]"}'],
    ['{ got {"token":{"a]}":["SECRET"]},"b":1}', '{ got {"token":"[redacted]","b":1}'],
    ['{ got {"token": 123, "b":1}', '{ got {"token": "[redacted]", "b":1}'],
    ['{"a":{"token":"SECRET"},"a":1}', '{"a":{"token":"[redacted]"},"a":1}'],
    ['{ see {\n"token": [\n["SECRET"]\n]\n}', '{ see {\n"token": "[redacted]"\n}'],
    ["{'password': 'it\\'s SECRET', 'a': 1}", "{'password': '[redacted]', 'a': 1}"],
    ["connect(password=b'SECRET', a=1)", "connect(password=b'[redacted]', a=1)"],
    ['Cookie: a=b; session=SECRET\nAccept: all', 'Cookie: [redacted]\nAccept: all'],
    ['Set-Cookie=a=b; session=SECRET', 'Set-Cookie=[redacted]'],
    ['Authorization=Digest user="a", response="SECRET"', 'Authorization=[redacted]'],
    ['curl -H "Cookie: a=\'b\'; c=SECRET" x', 'curl -H "Cookie: [redacted]" x'],
    ['password: my secret phrase SECRET\nuser: ann', 'password: [redacted]\nuser: ann'],
    ['password = my "own" SECRET', 'password = [redacted]'],
    ["'password' => 'my SECRET', 'a' => 1", "'password' => '[redacted]', 'a' => 1"],
    ['PASSWORD=a,b\\ SECRET ls', 'PASSWORD=[redacted] ls'],
    ['https://ann:a:b@SECRET@example.org/a', 'https://ann:[redacted]@example.org/a'],
    ['x?access_token=SECRET&a=1', 'x?access_token=[redacted]&a=1'],
    ['password="SECRET', 'password="[redacted]'],
  ])('the secret in %j is hidden', (given, shown) => {
    expect(text(given)).toBe(shown);
    expect(text(shown)).toBe(shown);
  });

  test('a secret is found in a string of a value as in any other text', () => {
    expect(value({ log: 'got {"token":{"value":"SECRET"}}' })).toEqual({
      log: 'got {"token":"[redacted]"}',
    });
  });

  test('JSON without a secret stays as it was written', () => {
    expect(text('{ "a": [1,\n2.0] }')).toBe('{ "a": [1,\n2.0] }');
  });

  test.each([
    '[',
    '{"',
    '\\"',
    '"token":',
    'token: [',
    'a=',
    ' ',
    'x',
    '://a:',
    '{"name":"token",',
    'token=\\',
    '<a',
    '<password>',
    'password: |\n',
    'a.b',
    '{"a":',
    '-u a:',
    '%3A%2F%2F',
    '%3D',
    'eyJaaaaaa.',
    'SG.a',
    'sk-',
    '-----BEGIN PRIVATE KEY-----',
    'mysql -p',
    'password is: ',
  ])('a secret is found quickly, however often %j is repeated', (part) => {
    // A search that starts again at every place would take minutes.
    for (const end of ['', '!', 'token=SECRET'])
      expect(text(part.repeat(40_000 / part.length - 1) + end)).not.toContain('SECRET');
  });
});

describe('a secret that is cut', () => {
  test('a secret stays hidden when the room for the payload is nearly used up', () => {
    const filler = Array.from({ length: 20 }, () => 'x'.repeat(9_970));
    const secret = `id ${'s'.repeat(3_000)}!`;
    const shown = redactor(['/s+!/']).value([...filler, secret.slice(0, 400), secret]);
    // On a machine that hangs, the search is abandoned and nothing is shown.
    expect(JSON.stringify(shown)).toMatch(/\[redacted\]|cannot be shown/);
    expect(JSON.stringify(redactor(['/s+!/']).value([...filler, secret]))).not.toContain('sss');
  });

  test('a secret whose end an expression has not seen is not shown', () => {
    const long = `${'a'.repeat(39_000)} ${'s'.repeat(5_000)}!`;
    const shown = redactor(['/a+/', '/s+!/']).text(long);
    expect(shown).not.toContain('s'.repeat(9));
    expect(shown).toContain('more characters');
  });
});

describe('one time limit for a whole value', () => {
  test('only texts that took too long are hidden as a whole, and that is reported once', () => {
    const problems: string[] = [];
    const slow = redactor(['/^(a+)+$/', '/ann/'], (problem) => problems.push(problem));
    const evil = `${'a'.repeat(40)}!`;
    for (let again = 0; again < 3; again++)
      expect(slow.value({ evil, deep: [evil], short: 'ann b' })).toEqual({
        evil: '[redacted]',
        deep: ['[redacted]'],
        short: '[redacted] b',
      });
    expect(problems).toEqual([expect.stringContaining('/^(a+)+$/ takes too long')]);
  });

  test('each of two slow expressions is reported', () => {
    const problems: string[] = [];
    const slow = redactor(['/^(a+)+$/', '/^(b+)+$/'], (problem) => problems.push(problem));
    expect(slow.value([`${'a'.repeat(99)}!`, `${'b'.repeat(40)}!`])).toEqual([
      '[redacted]',
      '[redacted]',
    ]);
    expect(problems).toEqual([
      expect.stringContaining('/^(a+)+$/'),
      expect.stringContaining('/^(b+)+$/'),
    ]);
  });

  test('an error that a value throws is not blamed on an expression', () => {
    const problems: string[] = [];
    const quick = redactor(['/a+/'], (problem) => problems.push(problem));
    const hostile = {
      get trap() {
        throw new Error('no');
      },
    };
    expect(quick.value(hostile)).toBe('… (cannot be shown)');
    expect(quick.value('aab')).toBe('[redacted]b');
    expect(problems).toEqual([]);
  });
});
