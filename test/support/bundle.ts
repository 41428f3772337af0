import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { listFiles } from '../../src/settings/bundles/sign.ts';
import { readKey } from '../../src/settings/bundles/ssh-signature.ts';

/** Someone who signs, with a key in OpenSSH's format. */
export interface Author {
  readonly key: Buffer;
  /** The line for allowed_signers. */
  readonly line: string;
  readonly sign: (text: Buffer, namespace?: string) => string;
}

const string = (value: string | Buffer): Buffer => {
  const bytes = Buffer.from(value as string);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
};

/** An author with a new key. ssh-signature.test.ts tests what ssh-keygen signs. */
export function author(name = 'security@acme.example'): Author {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const raw = Buffer.from(publicKey.export({ format: 'jwk' }).x!, 'base64url');
  const key = Buffer.concat([string('ssh-ed25519'), string(raw)]);
  if (!readKey('ssh-ed25519', key.toString('base64'))) throw new Error('no key');
  return {
    key,
    line: `${name} ssh-ed25519 ${key.toString('base64')}\n`,
    sign: (text, namespace = 'hookmachine-bundle') => signatureOf(text, key, privateKey, namespace),
  };
}

function signatureOf(text: Buffer, key: Buffer, by: KeyObject, namespace: string): string {
  const about = Buffer.concat([string(namespace), string(''), string('sha512')]);
  const hash = string(createHash('sha512').update(text).digest());
  const signed = sign(null, Buffer.concat([Buffer.from('SSHSIG'), about, hash]), by);
  const blob = Buffer.concat([
    Buffer.from('SSHSIG\0\0\0\x01'),
    string(key),
    about,
    string(Buffer.concat([string('ssh-ed25519'), string(signed)])),
  ]);
  return `-----BEGIN SSH SIGNATURE-----\n${blob.toString('base64')}\n-----END SSH SIGNATURE-----\n`;
}

/** A guard that denies whatever has `secret` in it, and its tests. */
export const guardFiles = (more: object = {}): Readonly<Record<string, string>> => ({
  'settings.json': JSON.stringify({
    hooks: {
      'tool.before': [
        {
          hooks: [{ type: 'command', name: 'guard', command: '"$bundlePath/guard.sh"', ...more }],
        },
      ],
    },
  }),
  'guard.sh': '#!/bin/sh\ngrep -q secret || exit 0\necho "Guarded." >&2; exit 2\n',
  'guard.hooktest.yaml': `tests:
  - name: denies
    event: BeforeTool
    input: { tool_name: write_file, tool_input: { file_path: a, content: secret } }
    expect: { decision: deny, reason: Guarded }
  - name: lets others go on
    event: BeforeTool
    input: { tool_name: write_file, tool_input: { file_path: a, content: x } }
    expect: { decision: none }
`,
});

/** Writes the folder of a bundle; `*.sh` files are executable. Without an author it is not signed. */
export function bundleIn(
  folder: string,
  by: Author | undefined,
  files: Readonly<Record<string, string>> = guardFiles(),
  about: object = {},
): string {
  const manifest = JSON.stringify({ name: 'guards', version: '1.0.0', ...about });
  for (const [path, text] of Object.entries({ 'bundle.json': manifest, ...files })) {
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    chmodSync(file, path.endsWith('.sh') ? 0o755 : 0o644);
  }
  if (by) signIn(folder, by);
  return folder;
}

/** Signs the files in a folder. */
export function signIn(folder: string, by: Author): void {
  const { manifestBytes } = listFiles(folder);
  writeFileSync(join(folder, 'bundle.json'), manifestBytes);
  writeFileSync(join(folder, 'bundle.json.sig'), by.sign(manifestBytes));
}
