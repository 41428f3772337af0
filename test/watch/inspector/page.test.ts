import { describe } from 'vitest';

// A single file, and thus one process with one browser: if each worker started its own, that would take half
// a minute of processor time.
describe("the inspector's page", async () => {
  await import('./live.page.ts');
  await import('./many.page.ts');
  await import('./replay.page.ts');
  await import('./report.page.ts');
  await import('./story.page.ts');
});
