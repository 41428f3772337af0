import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { serveRecording } from '../../../src/watch/inspector/serve-recording.ts';
import { tempFolder } from '../../support/temp-folder.ts';
import { current, describeInBrowser, openPage, picture, until } from './browser.ts';
import { madeRecording } from './entries.ts';

describeInBrowser('thousands of calls', () => {
  test('a page of thousands of calls lists them all, keeps only few in the document, and responds at once', async () => {
    const file = join(tempFolder(), 'many.jsonl');
    writeFileSync(file, madeRecording({ sessions: 4, turns: 10, calls: 48 }));
    const served = await serveRecording(file);
    onTestFinished(() => served.close());
    const page = await openPage(served.url);
    await until(() => page.locator('#source').textContent(), 'Recording');
    await until(
      () => page.locator('#counts').textContent(),
      '4 sessions · 2,000 calls · 240 denied',
    );
    const size = (): Promise<number> => page.evaluate('document.querySelectorAll("*").length');
    expect(await size()).toBeLessThan(1_500);

    // The frames while scrolling and seeking through everything; their times are printed for those who
    // inspect the run.
    const frames = await page.evaluate<{ worst: number; sizes: number[] }>(`(async () => {
      const rows = document.getElementById('rows');
      const time = document.getElementById('time');
      const sizes = [];
      let worst = 0;
      let before = performance.now();
      const frame = () => new Promise((resolve) => requestAnimationFrame((now) => {
        worst = Math.max(worst, performance.now() - before);
        before = performance.now();
        sizes.push(document.querySelectorAll('*').length);
        resolve();
      }));
      for (let i = 0; i <= 60; i++) {
        rows.scrollTop = rows.scrollHeight * i / 60;
        await frame();
      }
      for (let i = 0; i <= 60; i++) {
        time.value = time.max * i / 60;
        time.dispatchEvent(new Event('input'));
        await frame();
      }
      return { worst, sizes };
    })()`);
    console.log(`the longest of 122 frames over 2,000 calls took ${frames.worst.toFixed(0)} ms`);
    expect(Math.max(...frames.sizes)).toBeLessThan(1_500);

    await page.keyboard.press('End');
    await page.locator('#filter-decision').selectOption('denied');
    await until(() => page.locator('#filter-count').textContent(), '240 calls of 2,000');
    await page.locator('#rows').focus();
    await page.keyboard.press('ArrowDown');
    for (let i = 0; i < 30; i++) await page.keyboard.press('PageDown');
    await until(() => page.locator('.row.chosen').count(), 1);
    await until(current(page), expect.stringMatching(/^(?:blocked|done|finished|settled)$/));
    await picture(page, 'thousands');
  });
});
