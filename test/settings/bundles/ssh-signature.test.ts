import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { isBundleError } from '../../../src/settings/bundles/bundle-error.ts';
import { fingerprint, signingKey } from '../../../src/settings/bundles/ssh-signature.ts';
import { author } from '../../support/bundle.ts';
import { tempFolder } from '../../support/temp-folder.ts';

const text = Buffer.from('{"name":"guards"}\n');
const hasOpenSsh = spawnSync('ssh-keygen', ['-?']).error === undefined;

function keygen(folder: string, args: readonly string[], input?: Buffer): string {
  const done = spawnSync('ssh-keygen', args, { cwd: folder, input, encoding: 'utf8' });
  if (done.status !== 0) throw new Error(done.stderr);
  return done.stdout;
}

describe.skipIf(!hasOpenSsh)('signatures of ssh-keygen', () => {
  test('ssh-keygen and we accept each other’s signatures and agree on the fingerprint of a key', () => {
    const folder = tempFolder();
    keygen(folder, ['-q', '-t', 'ed25519', '-N', '', '-f', 'key']);
    const sign = ['-Y', 'sign', '-n', 'hookmachine-bundle', '-f', 'key'];
    for (const hash of ['sha256', 'sha512']) {
      const key = signingKey(text, keygen(folder, [...sign, '-O', `hashalg=${hash}`], text));
      expect(keygen(folder, ['-l', '-f', 'key.pub'])).toContain(fingerprint(key));
    }
    const other = keygen(folder, ['-Y', 'sign', '-n', 'file', '-f', 'key'], text);
    expect(() => signingKey(text, other)).toThrow('for "file", not for "hookmachine-bundle"');

    const ours = author();
    writeFileSync(join(folder, 'signers'), ours.line);
    writeFileSync(join(folder, 'sig'), ours.sign(text));
    const verify = ['-Y', 'verify', '-n', 'hookmachine-bundle', '-f', 'signers', '-s', 'sig'];
    const name = ours.line.split(' ')[0]!;
    expect(keygen(folder, [...verify, '-I', name], text)).toContain(fingerprint(ours.key));
  });

  test('signatures with a key of another type are refused', () => {
    const folder = tempFolder();
    keygen(folder, ['-q', '-t', 'ecdsa', '-N', '', '-f', 'key']);
    const made = keygen(folder, ['-Y', 'sign', '-n', 'hookmachine-bundle', '-f', 'key'], text);
    expect(() => signingKey(text, made)).toThrow('ecdsa-sha2-nistp256');
    expect(readFileSync(join(folder, 'key.pub'), 'utf8')).toContain('ecdsa');
  });
});

test('a signature of another text and a signature with any damage are refused', () => {
  const { key, sign } = author();
  const armored = sign(text);
  expect(signingKey(text, armored).equals(key)).toBe(true);
  expect(() => signingKey(Buffer.from('{"name":"others"}\n'), armored)).toThrow('was changed');
  const [begin = '', body = '', end = ''] = armored.split('\n');
  const blob = Buffer.from(body, 'base64');
  const with64 = (bytes: Buffer) => [begin, bytes.toString('base64'), end].join('\n');
  const attempts = [
    '',
    'x',
    `${begin}${end}`,
    with64(Buffer.concat([blob, Buffer.of(0)])),
    ...Array.from(blob.keys(), (length) => with64(blob.subarray(0, length))),
    ...Array.from(blob.keys(), (at) => {
      const flipped = Buffer.from(blob);
      flipped[at]! ^= 1;
      return with64(flipped);
    }),
  ];
  const went = attempts.map((attempt) => {
    try {
      // A flipped bit turns the key into another one, which signed nothing.
      return signingKey(text, attempt).toString('hex');
    } catch (error) {
      return isBundleError(error) || error;
    }
  });
  expect(new Set(went)).toEqual(new Set([true]));
});
