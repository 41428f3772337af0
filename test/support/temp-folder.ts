import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder of the running test's own. It goes with all others when the tests end: to remove them one by one takes longer. */
export function tempFolder(): string {
  return mkdtempSync(join(tmpdir(), 'a test '));
}
