import { describe } from 'vitest';

// One file, and so one process with one browser: that each worker starts one takes half a minute of processor time.
describe("the inspector's page", async () => {
  await import('./live.page.ts');
  await import('./many.page.ts');
  await import('./replay.page.ts');
  await import('./report.page.ts');
  await import('./story.page.ts');
});
