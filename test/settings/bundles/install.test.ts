import fs, {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { readFolder } from '../../../src/settings/bundles/files.ts';
import { install, remove, type Replacing } from '../../../src/settings/bundles/install.ts';
import { readIndex } from '../../../src/settings/bundles/installed.ts';
import { lookAtBundles } from '../../../src/settings/bundles/look-at-bundles.ts';
import { readSigners } from '../../../src/settings/bundles/signers.ts';
import { verifyBundle } from '../../../src/settings/bundles/verify.ts';
import { bundlePlaces } from '../../../src/settings/files/levels.ts';
import { author, bundleIn, guardFiles } from '../../support/bundle.ts';
import { tempFolder } from '../../support/temp-folder.ts';

const by = author();
const passes = (): Promise<void> => Promise.resolve();

/** An administrator's folder, and bundles of any version made by its signer. */
function machine() {
  const folder = tempFolder();
  const place = bundlePlaces(folder).find(({ source }) => source === 'system')!;
  const systemFolder = join(place.folder, '..');
  mkdirSync(systemFolder, { recursive: true, mode: 0o755 });
  writeFileSync(place.signers, by.line);
  const candidate = (version: string, more: object = {}, files = guardFiles(more), who = by) => {
    if (who !== by) writeFileSync(place.signers, by.line + who.line);
    const from = bundleIn(join(folder, `author ${version}`), who, files, { version });
    const read = readFolder(from);
    const verified = verifyBundle(read, readSigners(place.trusts), place.signers);
    return { ...verified, files: read, from };
  };
  const put = (version: string, options: Partial<Replacing> = {}, ...rest: never[]) =>
    install(place, candidate(version, ...rest), { tryOut: passes, ...options });
  /** The versions that run now. */
  const now = (): readonly string[] =>
    lookAtBundles([place]).states.map(
      ({ installed, fault }) => installed!.version + (fault ? ` ${fault.message}` : ''),
    );
  return { folder, place, systemFolder, candidate, put, now };
}

test('a newer version replaces an older one, but not the other way round unless that is requested', async () => {
  const { candidate, now, place, put } = machine();
  expect(await put('1.2.9')).toEqual({ isSame: false });
  expect(await put('1.10.0')).toMatchObject({ before: { version: '1.2.9' }, isSame: false });
  expect(await put('1.10.0')).toMatchObject({ isSame: true });
  await expect(put('1.9.9')).rejects.toThrow(
    'is version 1.9.9, which is lower than the installed 1.10.0',
  );
  const other = candidate('1.10.0', { timeout: 5_000 });
  await expect(install(place, other, { tryOut: passes })).rejects.toThrow(
    'differs from the installed 1.10.0',
  );
  const stranger = candidate('2.0.0', {}, guardFiles(), author('bob'));
  await expect(install(place, stranger, { tryOut: passes })).rejects.toThrow(
    'is signed by bob, but the installed one by security@acme.example',
  );
  expect(now()).toEqual(['1.10.0']);
  await put('1.9.9', { toLower: true });
  expect(now()).toEqual(['1.9.9']);
  // A process that runs the previous version may keep using it; older versions are gone.
  expect(readdirSync(place.folder).filter((name) => name.startsWith('guards'))).toHaveLength(2);
  remove(place, 'guards');
  expect(() => remove(place, 'guards')).toThrow('is not installed');
  expect(readdirSync(place.folder)).toEqual([]);
});

const changing = (folder: string): Promise<void> => {
  writeFileSync(join(folder, 'written-by-a-test'), '');
  return Promise.resolve();
};

test('a bundle that fails its trial or changes itself in it leaves the old one running and no files behind', async () => {
  const { now, place, put } = machine();
  await put('1.0.0');
  const before = readdirSync(place.folder);
  await expect(put('2.0.0', { tryOut: () => Promise.reject(new Error('no')) })).rejects.toThrow(
    'no',
  );
  await expect(put('2.0.0', { tryOut: changing })).rejects.toThrow('"written-by-a-test" was added');
  expect(now()).toEqual(['1.0.0']);
  expect(readdirSync(place.folder)).toEqual(before);
});

test('the higher version of two updates at once stays, whichever ends first', async () => {
  const { now, put } = machine();
  await put('1.0.0');
  let go: (() => void) | undefined;
  const waiting = new Promise<void>((resolve) => (go = resolve));
  const slow = put('2.0.0', { tryOut: () => waiting });
  await put('3.0.0');
  go!();
  await expect(slow).rejects.toThrow('is version 2.0.0, which is lower than the installed 3.0.0');
  expect(now()).toEqual(['3.0.0']);
  const both = await Promise.all([put('4.0.0'), put('4.0.0')]);
  expect(both.filter(({ isSame }) => isSame)).toHaveLength(1);
  expect(now()).toEqual(['4.0.0']);
});

test('installed files have permissions that do not depend on the umask', async () => {
  const { now, place, put } = machine();
  const umask = process.umask(0o077);
  onTestFinished(() => void process.umask(umask));
  await put('1.0.0', {}, ...([{}, { ...guardFiles(), 'a/b/c.txt': 'x' }] as never[]));
  const [folder = ''] = readdirSync(place.folder).filter((name) => name.startsWith('guards'));
  const modes = ['.', 'a', 'a/b', 'a/b/c.txt', 'guard.sh', 'bundle.json'].map(
    (path) => statSync(join(place.folder, folder, path)).mode & 0o777,
  );
  expect(modes).toEqual([0o755, 0o755, 0o755, 0o644, 0o755, 0o644]);
  expect(statSync(place.index).mode & 0o777).toBe(0o644);
  process.umask(0o002);
  await put('1.1.0');
  expect(now()).toEqual(['1.1.0']);
});

/** The names of functions that write to a disk. */
const writes = [
  'mkdirSync',
  'openSync',
  'writeFileSync',
  'chmodSync',
  'fchmodSync',
  'fsyncSync',
  'renameSync',
  'rmSync',
] as const;

/**
 * Makes writes fail if `fault` returns an error; it receives the name of the function and the number of
 * earlier writes.
 */
function failWrites(fault: (name: string, before: number) => object | undefined): () => void {
  const real = Object.fromEntries(writes.map((name) => [name, fs[name]]));
  let before = 0;
  for (const name of writes)
    Object.assign(fs, {
      [name]: (...args: unknown[]): unknown => {
        const isReading = name === 'openSync' && (args[1] === 'r' || typeof args[1] === 'number');
        const error = isReading ? undefined : fault(name, before++);
        if (error) throw Object.assign(new Error('fault'), error);
        return (real[name] as (...given: unknown[]) => unknown)(...args);
      },
    });
  syncBuiltinESMExports();
  return () => {
    Object.assign(fs, real);
    syncBuiltinESMExports();
  };
}

test('an update that is killed at any point leaves the old version or the new one, and the next update succeeds', async () => {
  const { candidate, folder, now, place, put, systemFolder } = machine();
  await put('1.0.0');
  const saved = join(folder, 'saved');
  cpSync(systemFolder, saved, { recursive: true });
  const next = candidate('2.0.0');
  const seen = new Set<string>();
  let points = 0;
  for (let wasKilled = true; wasKilled; points++) {
    rmSync(systemFolder, { recursive: true });
    cpSync(saved, systemFolder, { recursive: true });
    wasKilled = false;
    // A killed process writes nothing more, not even to clean up.
    const revive = failWrites((_, before) => {
      wasKilled ||= before === points;
      return wasKilled ? { code: 'EKILLED' } : undefined;
    });
    await install(place, next, { tryOut: passes }).catch(() => undefined);
    revive();
    const [runs = '', ...others] = now();
    expect(others).toEqual([]);
    expect(['1.0.0', '2.0.0']).toContain(runs);
    seen.add(runs);
    // An old lock was left behind by a process that is gone.
    const lock = join(place.folder, '.lock');
    if (existsSync(lock)) utimesSync(lock, 0, 0);
    for (const name of readdirSync(place.folder))
      if (name.endsWith('.new')) utimesSync(join(place.folder, name), 0, 0);
    await install(place, candidate('3.0.0'), { tryOut: passes });
    expect(now()).toEqual(['3.0.0']);
    expect(readdirSync(place.folder).filter((name) => name.startsWith('.'))).toEqual([]);
  }
  expect(seen).toEqual(new Set(['1.0.0', '2.0.0']));
  expect(points).toBeGreaterThan(20);
});

test('a disk that fills up at any point of an update leaves the old version', async () => {
  const { candidate, now, place, put } = machine();
  await put('1.0.0');
  const before = readIndex(place);
  const next = candidate('2.0.0');
  for (const full of ['writeFileSync', 'fsyncSync', 'renameSync'])
    for (const which of [1, 2]) {
      let calls = 0;
      const empty = failWrites((name) =>
        name === full && ++calls === which ? { code: 'ENOSPC' } : undefined,
      );
      const failed = install(place, next, { tryOut: passes });
      await expect(failed.finally(empty)).rejects.toMatchObject({ code: 'ENOSPC' });
      expect(readIndex(place)).toEqual(before);
      expect(now()).toEqual(['1.0.0']);
      expect(readdirSync(place.folder).filter((one) => one.startsWith('.'))).toEqual([]);
    }
});
