import { spawnSync } from 'node:child_process';
import { gzipSync } from 'node:zlib';
import { Header } from 'tar';
import { expect, test } from 'vitest';
import { archiveOf, readArchive } from '../../../src/settings/bundles/archive.ts';
import { readFolder } from '../../../src/settings/bundles/files.ts';
import { author, bundleIn } from '../../support/bundle.ts';
import { tempFolder } from '../../support/temp-folder.ts';

interface Entry {
  readonly path: string;
  readonly type?: 'File' | 'SymbolicLink' | 'Link' | 'Directory' | 'CharacterDevice' | 'FIFO';
  readonly linkpath?: string;
  readonly content?: string;
}

/** An archive that no tool would write. */
function archive(...entries: readonly Entry[]): Buffer {
  const blocks = entries.flatMap(({ path, type = 'File', linkpath = '', content = '' }) => {
    const block = Buffer.alloc(512);
    const size = Buffer.byteLength(content);
    new Header({ path, type, linkpath, size, mode: 0o644, mtime: new Date(0) }).encode(block);
    const body = Buffer.alloc(Math.ceil(size / 512) * 512);
    body.write(content);
    return [block, body];
  });
  return gzipSync(Buffer.concat([...blocks, Buffer.alloc(1024)]));
}

test('a bundle is the same from its folder, from our archive and from that of tar, and packing it twice gives the same file', async () => {
  const folder = bundleIn(tempFolder(), author());
  const files = readFolder(folder);
  const paths = [...files.keys()].filter((path) => !path.startsWith('bundle.json'));
  const made = await archiveOf(folder, paths, 'guards-1.0.0');
  expect(made.equals(await archiveOf(folder, paths.toReversed(), 'guards-1.0.0'))).toBe(true);
  const { stdout } = spawnSync('tar', ['-czf', '-', '.'], { cwd: folder });
  for (const packed of [made, stdout]) {
    const read = await readArchive(packed);
    expect(new Map(read)).toEqual(files);
  }
});

const manifest = { path: 'bundle.json', content: '{}' };
const zeros = Buffer.alloc(64 * 1024 * 1024);
test.each<[string, () => Buffer, string]>([
  ['a path that leads out of it', () => archive(manifest, { path: '../evil' }), 'leads outside it'],
  ['a nested path that leads out', () => archive({ path: 'a/../../evil' }), 'leads outside it'],
  ['an absolute path', () => archive(manifest, { path: '/etc/evil' }), 'leads outside it'],
  ['a path of another system', () => archive({ path: 'a\\..\\..\\evil' }), 'leads outside it'],
  [
    'a symbolic link',
    () => archive(manifest, { path: 'a', type: 'SymbolicLink', linkpath: '/etc/passwd' }),
    'is not a file (SymbolicLink)',
  ],
  [
    'a hard link',
    () => archive(manifest, { path: 'a', type: 'Link', linkpath: 'bundle.json' }),
    'is not a file (Link)',
  ],
  ['a device', () => archive({ path: 'a', type: 'CharacterDevice' }), 'is not a file'],
  ['a pipe', () => archive({ path: 'a', type: 'FIFO' }), 'is not a file'],
  ['a duplicate path', () => archive(manifest, manifest), 'holds "bundle.json" twice'],
  [
    'very many files',
    () => archive(...Array.from({ length: 600 }, (_, at) => ({ path: `f${at}` }))),
    'more than 500 files',
  ],
  ['content far larger than it looks', () => gzipSync(zeros), 'too large once unpacked'],
  ['plain text', () => Buffer.from('hello'), 'is not a .tgz'],
  ['text in gzip', () => gzipSync('hello'), 'is not a .tgz'],
  ['only half of its bytes', () => archive(manifest).subarray(0, 60), 'is not a .tgz'],
])('an archive with %s is refused', async (_, made, message) => {
  await expect(readArchive(made())).rejects.toThrow(message);
});
