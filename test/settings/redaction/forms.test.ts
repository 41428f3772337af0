import { describe, expect, test } from 'vitest';
import { redactor } from '../../../src/settings/redaction/redactor.ts';
import { innocent, namedForms, secret, shapes } from './forms.ts';

const { text, value } = redactor();

/** The first 8 characters of a hidden text that the shown one still contains. */
function shownOf(hidden: string, shown: string): string | undefined {
  for (let at = 0; at + 8 <= hidden.length; at++)
    if (shown.includes(hidden.slice(at, at + 8))) return hidden.slice(at, at + 8);
  return undefined;
}

/** The places where a text may occur. */
const places: readonly (readonly [string, (form: string) => string])[] = [
  ['by itself', (form) => text(form)],
  ['in a value', (form) => JSON.stringify(value({ a: [form] }))],
  ['in JSON', (form) => text(JSON.stringify({ a: { b: form } }))],
  ['in JSON within JSON', (form) => text(JSON.stringify({ a: JSON.stringify([form]) }))],
  ['among other lines', (form) => text(`first line\n${form}\nlast line`)],
];

describe.each(places)('a secret %s', (_, tell) => {
  test.each(namedForms)('a secret is hidden in %j', (form) => {
    const shown = tell(form);
    expect(shown).not.toContain(secret);
    expect(shownOf(secret, shown)).toBeUndefined();
    expect(shownOf(Buffer.from(`ann:${secret}`).toString('base64'), shown)).toBeUndefined();
    expect(shownOf(Buffer.from(secret).toString('base64'), shown)).toBeUndefined();
  });

  test.each(shapes)('a secret with the shape of %s is hidden', (name, shape) => {
    const parts = shape.split(/\n|\\n|hooks\.slack\.com\/services\/|api\/webhooks\//);
    const lines = parts.filter((part) => !/^-----|^https:/.test(part) || parts.length === 1);
    const shown = tell(shape);
    for (const line of lines) expect(shownOf(line, shown)).toBeUndefined();
    // The end of a torn key cannot be known.
    if (!name.startsWith('a torn')) expect(tell(`see (${shape}), please`)).toContain('please');
  });

  test.each(innocent)('no secret is seen in %j', (harmless) => {
    expect(tell(harmless)).not.toContain('[redacted]');
  });
});

test.each(innocent)('the harmless text %j stays as it is', (harmless) => {
  expect(text(harmless)).toBe(harmless);
});

test.each([
  'nginx:1.25@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef',
  '"a": "npm:pkg1x@1.0.0"',
  'From: ann99@example.org',
  'email:ann99@example.org',
  'kubectl delete secret db-creds1',
  '| password | string | required |',
  'password, username',
  'login(password, user22)',
  'password varchar2(255)',
  'echo "a1b2c3" | sha256sum',
  'cat <<< "hello"',
  'https://a.example/?code=200',
  'auth: oauth2',
  'server.port=8080',
  'WEBHOOK_PORT=3000',
  'error code: 500',
  '👨\u200D👩\u200D👧 and a co\u00ADop',
])('the text %j, which looks a little like a secret, stays as it is', (harmless) => {
  expect(text(harmless)).toBe(harmless.replace('\u00AD', ''));
});
