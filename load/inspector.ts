/**
 * Measures how soon the inspector's page shows 20,000 calls, and how soon it filters them: `npx tsx
 * load/inspector.ts`.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { serveRecording } from '../src/watch/inspector/serve-recording.ts';
import { chromiumPath } from '../test/watch/inspector/chromium.ts';
import { madeRecording } from '../test/watch/inspector/entries.ts';

/** How often each is measured. */
const times = 5;

/** The time when all calls are shown, in ms since the page was requested. */
const filled = `new Promise((resolve) => {
  const look = () =>
    document.getElementById('source').textContent === 'Recording' &&
    document.getElementById('counts').textContent.includes('20,000 calls')
      ? resolve(performance.now())
      : requestAnimationFrame(look);
  look();
})`;

/** How long the page takes from a key press to the frame that shows what is left. */
const filterFor = (text: string): string => `new Promise((resolve) => {
  const field = document.getElementById('filter-text');
  field.value = ${JSON.stringify(text)};
  const from = performance.now();
  field.dispatchEvent(new Event('input', { bubbles: true }));
  requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - from))));
})`;

if (chromiumPath === undefined) throw new Error('there is no chromium: name one with CHROMIUM');
const folder = mkdtempSync(join(tmpdir(), 'hookmachine-inspector-'));
const file = join(folder, 'session.jsonl');
writeFileSync(file, madeRecording({ sessions: 4, turns: 100, calls: 48 }));
const served = await serveRecording(file);
const browser = await chromium.launch({
  executablePath: chromiumPath,
  args: ['--no-sandbox', '--disable-dev-shm-usage'],
});
try {
  await served.read;
  for (let time = 0; time < times; time++) {
    const page = await browser.newPage({ viewport: { width: 1_600, height: 950 } });
    const session = await page.context().newCDPSession(page);
    await session.send('Performance.enable', { timeDomain: 'threadTicks' });
    await page.goto(served.url, { waitUntil: 'commit' });
    const fill = await page.evaluate<number>(filled);
    const { metrics } = await session.send('Performance.getMetrics');
    const busy = 1_000 * metrics.find(({ name }) => name === 'TaskDuration')!.value;
    // About as long as a reader takes to begin typing.
    await page.waitForTimeout(2_000);
    const filters: string[] = [];
    for (const text of ['guard', 'guard secrets', 'budget', 'nothing like this', ''])
      filters.push(`${(await page.evaluate<number>(filterFor(text))).toFixed(0)} ms`);
    console.log(
      `filled in ${fill.toFixed(0)} ms (${busy.toFixed(0)} ms of work on its thread), filtered in ${filters.join(', ')}`,
    );
    await page.close();
  }
} finally {
  await browser.close();
  await served.close();
  rmSync(folder, { recursive: true, force: true });
}
