import { pbkdf2 } from 'node:crypto';
import type * as fs from 'node:fs';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { watchFiles } from '../../src/settings/watch-files.ts';
import { tempFolder } from '../support/temp-folder.ts';

// A system out of watches, which cannot be provoked without harm to others.
vi.mock('node:fs', async (original) => ({
  ...(await original<typeof fs>()),
  watch: () => {
    throw Object.assign(new Error('no space left for watches'), { code: 'ENOSPC' });
  },
}));

const patience = { timeout: 15_000, interval: 50 };

test('files are polled where they cannot be watched', async () => {
  const file = join(tempFolder(), 'settings.json');
  const changed = vi.fn<() => void>();
  // Whatever Node asks of the file system in the background has to wait.
  for (let thread = 0; thread < 8; thread += 1) pbkdf2('a', 'b', 300_000, 64, 'sha512', () => {});
  onTestFinished(watchFiles([file], changed));
  writeFileSync(file, '{}');
  await vi.waitFor(() => expect(changed).toHaveBeenCalledTimes(1), patience);
  writeFileSync(file, '{ "a": 1 }');
  await vi.waitFor(() => expect(changed).toHaveBeenCalledTimes(2), patience);
});
