import { pbkdf2 } from 'node:crypto';
import type * as fs from 'node:fs';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { watchFiles } from '../../../src/settings/files/watch-settings.ts';
import { tempFolder } from '../../support/temp-folder.ts';

const failure = (code: string) => Object.assign(new Error(code), { code });
const isShort = vi.hoisted(() => ({ ofDescriptors: false }));

// A system without watches or file descriptors, which cannot be provoked without harm to others.
vi.mock('node:fs', async (original) => {
  const real = await original<typeof fs>();
  return {
    ...real,
    watch: () => {
      throw failure('ENOSPC');
    },
    openSync: (...args: Parameters<typeof fs.openSync>) => {
      if (isShort.ofDescriptors) throw failure('EMFILE');
      return real.openSync(...args);
    },
  };
});

const patience = { timeout: 60_000, interval: 50 };

test('files are polled if they cannot be watched', async () => {
  const file = join(tempFolder(), 'settings.json');
  const changed = vi.fn<() => void>();
  // Anything that Node requests from the file system in the background has to wait.
  for (let thread = 0; thread < 8; thread += 1) pbkdf2('a', 'b', 300_000, 64, 'sha512', () => {});
  onTestFinished(watchFiles(() => [file], changed));
  writeFileSync(file, '{}');
  await vi.waitFor(() => expect(changed).toHaveBeenCalledTimes(1), patience);
  writeFileSync(file, '{ "a": 1 }');
  await vi.waitFor(() => expect(changed).toHaveBeenCalledTimes(2), patience);
});

test('a shortage of file descriptors does not count as a change', async () => {
  const file = join(tempFolder(), 'settings.json');
  writeFileSync(file, '{}');
  const changed = vi.fn<() => void>();
  onTestFinished(watchFiles(() => [file], changed));
  isShort.ofDescriptors = true;
  await new Promise((resolve) => setTimeout(resolve, 3_000));
  expect(changed).not.toHaveBeenCalled();
  isShort.ofDescriptors = false;
  writeFileSync(file, '{ "a": 1 }');
  await vi.waitFor(() => expect(changed).toHaveBeenCalledTimes(1), patience);
});
