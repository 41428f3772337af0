import { existsSync, readdirSync } from 'node:fs';
import { describe, test } from 'vitest';

const here = (path: string): URL => new URL(path, import.meta.url);

const isInstalled = existsSync(here('node_modules/@google/adk'));
const files =
  process.env['FRAMEWORKS'] === 'all' ? readdirSync(here('cases/')) : ['first.cases.ts'];

describe("the adapter for Google's ADK", async () => {
  if (!isInstalled) {
    test.skip(
      'the adapter is not tested: its packages are not installed; npm run frameworks installs them',
    );
    return;
  }
  // They import packages that may be missing here, so they are type-checked separately.
  for (const file of files.filter((name) => name.endsWith('.cases.ts')))
    await import(here(`cases/${file}`).href);
});
