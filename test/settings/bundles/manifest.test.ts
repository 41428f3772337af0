import { expect, test } from 'vitest';
import { checkPaths, readManifest } from '../../../src/settings/bundles/manifest.ts';
import { version } from '../../../src/base/version.ts';

const hash = 'a'.repeat(64);
const file = { sha256: hash, mode: '644' };
const whole = { name: 'guards', version: '1.0.0', files: { 'settings.json': file } };
const read = (value: unknown) =>
  readManifest(Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)));

test('a manifest describes the bundle and lists its files', () => {
  const given = { ...whole, description: 'All of them.', requireVersion: version };
  expect(read(given)).toMatchObject({ ...given, files: new Map([['settings.json', file]]) });
});

test.each<[string, unknown, string]>([
  ['plain text', 'x', 'cannot be used'],
  ['a list at the top', [], 'it is not a JSON object'],
  ['a comment', '{} // x', 'cannot be used'],
  ['a duplicate key', '{"name":"a","name":"b"}', '"name" occurs twice'],
  [
    'a duplicate file',
    `{"name":"a","version":"1.0.0","files":{"settings.json":1,"settings.json":2}}`,
    '"files.settings.json" occurs twice',
  ],
  ['an unknown key', { ...whole, scripts: {} }, 'there is no key "scripts"'],
  ['a name with a path in it', { ...whole, name: '../x' }, '"name" is "../x"'],
  ['a name in capitals', { ...whole, name: 'Guards' }, '"name" is "Guards"'],
  ['an invalid version', { ...whole, version: '1.0.0-beta' }, '"version"'],
  ['an invalid required version', { ...whole, requireVersion: '^1' }, '"requireVersion"'],
  ['no files', { ...whole, files: undefined }, '"files" is missing'],
  ['no settings', { ...whole, files: { a: file } }, 'does not list settings.json'],
  ['a file without a hash', { ...whole, files: { 'settings.json': {} } }, 'needs a "sha256"'],
  [
    'a file with a setuid mode',
    { ...whole, files: { 'settings.json': { ...file, mode: '4755' } } },
    'needs a "sha256", and a "mode"',
  ],
])('a manifest with %s is rejected', (_, given, message) => {
  expect(() => read(given)).toThrow(message);
});

const odd = 'is not a path';
test.each<[readonly string[], string]>([
  [['../x'], odd],
  [['a/../../x'], odd],
  [['./a'], odd],
  [['/etc/passwd'], odd],
  [['a//b'], odd],
  [['a/'], odd],
  [[''], odd],
  [['a\\..\\b'], odd],
  [['C:x'], odd],
  [['-rf'], odd],
  [['@a'], odd],
  [['a b'], odd],
  [['a\0b'], odd],
  [['é'], odd],
  [['e\u0301'], odd],
  [['a\u202Eb'], odd],
  [['trailing.'], odd],
  [['a'.repeat(201)], odd],
  [[Array.from({ length: 9 }, () => 'a').join('/')], odd],
  [['a', 'A'], 'occurs twice'],
  [['a/b', 'A/c'], '"A" is also listed as a'],
  [['a', 'a/b'], 'is a file and a folder'],
  [['A/b', 'a'], 'is a file and a folder'],
  [['bundle.json'], 'cannot be listed'],
  [['Bundle.JSON.sig'], 'cannot be listed'],
  [Array.from({ length: 501 }, (__, at) => `f${at}`), 'more than 500 files'],
])('the paths %j are not allowed in a bundle', (paths, message) => {
  expect(() => checkPaths(paths)).toThrow(message);
});

test('paths that every file system tells apart are allowed in a bundle', () => {
  checkPaths(['settings.json', 'hooks/no-keys.sh', 'hooks/.env', 'a.b/c+d@2_e', '__proto__', 'x']);
});
