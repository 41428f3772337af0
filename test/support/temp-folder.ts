import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder of the running test's own. All are removed when the tests end: one by one would take longer. */
export function tempFolder(): string {
  return mkdtempSync(join(tmpdir(), 'a test '));
}
