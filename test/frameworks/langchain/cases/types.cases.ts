import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { test } from 'vitest';

test('the types of the adapter for LangChain fit the real packages, and leave those of tools and models as they were', async () => {
  const folder = fileURLToPath(new URL('../', import.meta.url));
  await execa('tsc', ['-p', folder, '--noEmit'], { preferLocal: true });
});
