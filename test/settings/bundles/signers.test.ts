import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readSigners, signerOf } from '../../../src/settings/bundles/signers.ts';
import { author } from '../../support/bundle.ts';
import { tempFolder } from '../../support/temp-folder.ts';

const { key, line } = author('ann@acme.example');
const own = line.trim().split(' ').slice(1).join(' ');

function signers(text: string) {
  const file = join(tempFolder(), 'allowed_signers');
  writeFileSync(file, text, { mode: 0o600 });
  return { ...readSigners([file]), file };
}
const at = (time: string) => Date.parse(time);

test('a line names a signer, possibly with comments, options and more names after the first', () => {
  const { all, problems } = signers(`# Ours
ann@acme.example,backup@acme.example namespaces="git,hookmachine-bundle",valid-after="20260101Z",valid-before="20270101120000Z" ${own} Ann's

bob ${author().line.split(' ').slice(1).join(' ').trim()}`);
  expect(problems).toEqual([]);
  expect(all.map(({ name }) => name)).toEqual(['ann@acme.example', 'bob']);
  const whose = (time: string) => signerOf(key, { all, problems }, '', at(time)).name;
  expect(whose('2026-11-23T00:00:00Z')).toBe('ann@acme.example');
  for (const time of ['2025-12-31T23:59:59Z', '2027-01-01T12:00:00Z'])
    expect(() => whose(time)).toThrow('whose key is not valid at this time');
});

test.each([
  ['* ', 'it does not name a signer plainly'],
  ['!bob,* ', 'it does not name a signer plainly'],
  ['ann namespaces="git" ', 'its key may not sign for "hookmachine-bundle"'],
  ['ann cert-authority ', '"cert-authority" is not understood'],
  ['ann no-touch-required ', '"no-touch-required" is not understood'],
  ['ann valid-before="soon" ', 'is not understood'],
  ['', 'it holds no Ed25519 key'],
])('a line that begins with %j is ignored and reported', (beginning, message) => {
  const { all, problems, file } = signers(`\n${beginning}${own}\n`);
  expect(all).toEqual([]);
  expect(problems).toEqual([
    expect.objectContaining({
      file,
      at: { line: 2, column: 1 },
      message: `${message.startsWith('is') ? '"valid-before=\\"soon\\"" ' : ''}${message}, so this line was ignored`,
    }),
  ]);
});

test('keys of other types and damaged keys are ignored', () => {
  const { all, problems } = signers(
    `a ssh-rsa AAAAB3NzaC1yc2EAAAADAQAB\nb ${own.slice(0, -4)}\nc ssh-ed25519\nd\n`,
  );
  expect(all).toEqual([]);
  expect(problems).toHaveLength(4);
});

test('a file of signers that others may write trusts nobody, and neither does a missing one', () => {
  const { file } = signers(line);
  chmodSync(file, 0o666);
  const { all, problems } = readSigners([file, join(tempFolder(), 'none')]);
  expect(all).toEqual([]);
  expect(problems.map(({ message }) => message)).toEqual([
    expect.stringMatching(/^can be written by others .*, so nobody in it is trusted$/),
  ]);
});
